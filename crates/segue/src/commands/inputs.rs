//! The inputs of a Run as a command line gives them: `name=value` and a file, the former over the latter.

use std::path::PathBuf;

use clap::Args;
use segue_model::flow::{
    Document, Json, Object,
    inputs::{Declaration, InputType, read_declarations},
};

use super::CommandError;
use crate::document_file;

#[derive(Debug, Clone, Args)]
pub struct Inputs {
    /// An input: text as it is, values of other types as JSON
    #[arg(long = "input", value_name = "NAME=VALUE", value_parser = pair)]
    given: Vec<(String, String)>,
    /// File with an object of inputs, JSON or YAML; - for standard input
    #[arg(long = "inputs", value_name = "FILE")]
    file: Option<PathBuf>,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("must be NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

impl Inputs {
    /// Nothing was given.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.given.is_empty() && self.file.is_none()
    }

    /// As the document declares them. What it does not declare is refused when the Run is admitted.
    ///
    /// # Errors
    /// The file is no object, an input is given twice, or a value is no JSON where its type asks for it.
    pub fn read(&self, document: Option<&Document>) -> Result<Object, CommandError> {
        let declared = document.map(|document| read_declarations(&document.fields()).unwrap_or_default());
        let mut inputs = document_file::object(self.file.as_ref())?;
        for (at, (name, text)) in self.given.iter().enumerate() {
            if self.given[..at].iter().any(|(before, _)| before == name) {
                return Err(CommandError::Usage(format!(
                    "input {name} is given twice: leave one --input {name}=… out"
                )));
            }
            inputs.insert(name.clone(), value(declared.as_deref().unwrap_or_default(), name, text)?);
        }
        Ok(inputs)
    }
}

fn value(declared: &[Declaration], name: &str, text: &str) -> Result<Json, CommandError> {
    let declaration = declared.iter().find(|declared| declared.name == name);
    if declaration.is_none_or(|declared| declared.input_type == InputType::String) {
        return Ok(text.into());
    }
    Json::parse(text).map_err(|error| CommandError::Usage(format!("input {name}: {text:?} is no JSON: {error}")))
}
