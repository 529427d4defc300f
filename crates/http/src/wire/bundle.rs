//! Integration bundles (contract §19).

use segue_flow::api::Installed;
use segue_model::flow::{
    Json, Object, Problem,
    bundle::{Action, Reason},
    fields::{Fields, Word},
    json::object,
};

use crate::shape::{Named, Shape, follows, has, version};

const INSTALLATION_CONTRACT: &str = "symphlo.integration-bundle-installation.v1";
/// Characters of what the caller repeats; longer texts are wrong whatever they say.
const REPEATED_MAX: usize = 300;

const BUNDLE: Named = Named {
    name: "IntegrationBundle",
    about: "At most 32 capabilities and 32 flows, at least one of them.",
    shape: Shape::Exact(&[
        version("symphlo.integration-bundle.v1"),
        has("bundle_id", Shape::Text),
        has("bundle_version", Shape::Text),
        has("name", Shape::Text),
        has("publisher", Shape::Text),
        has("capabilities", Shape::List(&Shape::Map)),
        has("flows", Shape::List(&Shape::Map)),
    ]),
};

pub const PREVIEW_REQUEST: Named = Named {
    name: "IntegrationBundlePreviewRequest",
    about: "",
    shape: Shape::Exact(&[
        version("symphlo.integration-bundle-preview-request.v1"),
        has("bundle", Shape::Named(&BUNDLE)),
    ]),
};

pub const INSTALL_REQUEST: Named = Named {
    name: "IntegrationBundleInstallRequest",
    about: "Hash and phrase are those of the plan.",
    shape: Shape::Exact(&[
        version("symphlo.integration-bundle-install-request.v1"),
        has("bundle", Shape::Named(&BUNDLE)),
        has("bundle_hash", Shape::Text),
        has("confirmation_phrase", Shape::Text),
    ]),
};

pub const PLAN: Named = Named {
    name: "IntegrationBundlePlan",
    about: "What an installation would do.",
    shape: Shape::Exact(&[
        version("symphlo.integration-bundle-plan.v1"),
        has("bundle_id", Shape::Text),
        has("bundle_version", Shape::Text),
        has("name", Shape::Text),
        has("publisher", Shape::Text),
        has("bundle_hash", Shape::Text),
        has("status", Shape::Words(&["ready", "blocked"])),
        has(
            "summary",
            Shape::Exact(&[
                has("create", Shape::Integer),
                has("reuse", Shape::Integer),
                has("conflict", Shape::Integer),
            ]),
        ),
        has(
            "capabilities",
            Shape::List(&Shape::Exact(&[
                has("id", Shape::Text),
                has("kind", Shape::Text),
                has("action", Shape::Words(Action::WORDS)),
                has("reason", Shape::Words(Reason::WORDS)),
                has("fingerprint", Shape::Text),
            ])),
        ),
        has(
            "flows",
            Shape::List(&Shape::Exact(&[
                has("id", Shape::Text),
                has("action", Shape::Words(Action::WORDS)),
                has("reason", Shape::Words(Reason::WORDS)),
            ])),
        ),
        has("confirmation_phrase", Shape::OrNull(&Shape::Text)),
    ]),
};

const IDS: Shape = Shape::List(&Shape::Text);

pub const INSTALLATION: Named = Named {
    name: "IntegrationBundleInstallation",
    about: "",
    shape: Shape::Exact(&[
        version(INSTALLATION_CONTRACT),
        has("bundle_id", Shape::Text),
        has("bundle_version", Shape::Text),
        has("bundle_hash", Shape::Text),
        has("created_capability_ids", IDS),
        has("reused_capability_ids", IDS),
        has("created_flow_ids", IDS),
        has("reused_flow_ids", IDS),
    ]),
};

/// The bundle to be looked at.
///
/// # Errors
/// The request does not follow the contract exactly.
pub fn read_preview(body: &Object) -> Result<&Json, Problem> {
    let fields = Fields::new(body, "");
    follows(&fields, &[&PREVIEW_REQUEST])?;
    fields.get("bundle").ok_or_else(|| fields.problem("bundle", "must be an object"))
}

/// The bundle to be installed, its hash and the phrase.
///
/// # Errors
/// The request does not follow the contract exactly.
pub fn read_install(body: &Object) -> Result<(&Json, &str, &str), Problem> {
    let fields = Fields::new(body, "");
    follows(&fields, &[&INSTALL_REQUEST])?;
    let bundle = fields.get("bundle").ok_or_else(|| fields.problem("bundle", "must be an object"))?;
    Ok((bundle, fields.text("bundle_hash", REPEATED_MAX)?, fields.text("confirmation_phrase", REPEATED_MAX)?))
}

#[must_use]
pub fn installation(installed: Installed) -> Object {
    object([
        ("contract_version", INSTALLATION_CONTRACT.into()),
        ("bundle_id", installed.bundle_id.into()),
        ("bundle_version", installed.bundle_version.into()),
        ("bundle_hash", installed.bundle_hash.into()),
        ("created_capability_ids", installed.created_capability_ids.into()),
        ("reused_capability_ids", installed.reused_capability_ids.into()),
        ("created_flow_ids", installed.created_flow_ids.into()),
        ("reused_flow_ids", installed.reused_flow_ids.into()),
    ])
}
