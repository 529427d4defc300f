//! The resources the suite reads.

use rmcp::{
    ErrorData,
    model::{ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ResourceTemplate},
};
use serde_json::json;

/// A picture of one pixel, in Base64.
pub const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

pub fn all() -> Vec<Resource> {
    vec![
        Resource::new("test://static-text", "Static text")
            .with_description("Text that never changes")
            .with_mime_type("text/plain"),
        Resource::new("test://static-binary", "Static binary")
            .with_description("One pixel")
            .with_mime_type("image/png"),
    ]
}

pub fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new("test://template/{id}/data", "By id")
            .with_description("Data of an id")
            .with_mime_type("application/json"),
    ]
}

pub fn text(uri: &str, mime_type: &str, text: impl Into<String>) -> ResourceContents {
    ResourceContents::TextResourceContents {
        uri: uri.to_owned(),
        mime_type: Some(mime_type.to_owned()),
        text: text.into(),
        meta: None,
    }
}

pub fn read(uri: &str) -> Result<ReadResourceResponse, ErrorData> {
    let contents = match uri {
        "test://static-text" => text(uri, "text/plain", "This is the content of the static text resource."),
        "test://static-binary" => ResourceContents::BlobResourceContents {
            uri: uri.to_owned(),
            mime_type: Some("image/png".to_owned()),
            blob: PIXEL.to_owned(),
            meta: None,
        },
        _ => match uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data")) {
            Some(id) => {
                let data = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
                text(uri, "application/json", data.to_string())
            }
            None => {
                return Err(ErrorData::resource_not_found(
                    format!("there is no resource {uri}"),
                    Some(json!({"uri": uri})),
                ));
            }
        },
    };
    Ok(ReadResourceResult::new(vec![contents]).into())
}
