//! A capability in the catalogue: the definition, and what the last look at it showed.

use serde::Serialize;

use super::{
    super::{
        fields::cut,
        json::{Json, Object, object},
    },
    Capability, VERSION,
};

/// Characters of a probe's summary.
pub const SUMMARY_MAX: usize = 500;

words! {
    Status {
        Validated = "validated",
        Ready = "ready",
        Unavailable = "unavailable",
    }
}

/// What a probe saw. A probe never throws: a failure is a record, with `details.error_type`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProbeRecord {
    pub ok: bool,
    /// ISO-8601, UTC.
    pub checked_at: String,
    /// At most [`SUMMARY_MAX`] characters.
    pub summary: String,
    pub details: Json,
}

impl ProbeRecord {
    #[must_use]
    pub fn new(ok: bool, checked_at: String, summary: &str, details: Object) -> Self {
        Self { ok, checked_at, summary: cut(summary, SUMMARY_MAX), details: details.into() }
    }

    fn to_json(&self) -> Json {
        Json::Object(object([
            ("ok", self.ok.into()),
            ("checked_at", self.checked_at.as_str().into()),
            ("summary", self.summary.as_str().into()),
            ("details", self.details.clone()),
        ]))
    }
}

/// As the catalogue holds and returns it.
#[derive(Debug, Clone, PartialEq)]
pub struct Saved {
    pub capability: Capability,
    pub status: Status,
    pub last_probe: Option<ProbeRecord>,
}

impl Saved {
    /// One that has been checked and not yet tried.
    #[must_use]
    pub const fn validated(capability: Capability) -> Self {
        Self { capability, status: Status::Validated, last_probe: None }
    }

    /// What "test connection" leaves behind.
    #[must_use]
    pub fn probed(self, probe: ProbeRecord) -> Self {
        let status = if probe.ok { Status::Ready } else { Status::Unavailable };
        Self { capability: self.capability, status, last_probe: Some(probe) }
    }

    /// The reply shape (contract §13).
    #[must_use]
    pub fn to_json(&self) -> Json {
        let capability = &self.capability;
        Json::Object(object([
            ("id", (&capability.id).into()),
            ("version", VERSION.into()),
            ("name", capability.name.as_str().into()),
            ("kind", capability.kind().into()),
            ("source", capability.source.into()),
            ("description", capability.description.as_str().into()),
            ("effects", capability.effects.clone().into()),
            ("timeout_seconds", capability.timeout_seconds.into()),
            ("config", capability.config.to_json()),
            ("fingerprint", (&capability.fingerprint()).into()),
            ("status", self.status.into()),
            ("last_probe", self.last_probe.as_ref().map(ProbeRecord::to_json).into()),
        ]))
    }
}
