//! Integration bundles (contract §19): capabilities and flows that are installed together, and the plan that says
//! beforehand what an installation would do. Nothing here installs.

use super::{
    canonical::Hash,
    capability::{Capability, Kind, Resolve, Source, read::Author},
    compile::{Callee, Catalogue, CompileError, Context, compile},
    document::Document,
    executor::{Binding, Profile},
    fields::Fields,
    id::{PortableId, matches},
    json::{Json, object},
    problem::Problem,
};

pub const BUNDLE_CONTRACT: &str = "symphlo.integration-bundle.v1";
pub const PLAN_CONTRACT: &str = "symphlo.integration-bundle-plan.v1";

/// Resources of one sort in a bundle.
pub const RESOURCES_MAX: usize = 32;
const NAME_MAX: usize = 160;
/// Digits of the bundle's hash in the confirmation phrase.
const PHRASE_DIGITS: usize = 12;

const KEYS: [&str; 7] =
    ["contract_version", "bundle_id", "bundle_version", "name", "publisher", "capabilities", "flows"];

/// A bundle that follows every rule that can be checked without the catalogue.
#[derive(Debug, Clone, PartialEq)]
pub struct Bundle {
    pub bundle_id: String,
    pub bundle_version: String,
    pub name: String,
    pub publisher: String,
    pub capabilities: Vec<Capability>,
    pub flows: Vec<(PortableId, Document)>,
    /// Of the bundle as sent.
    pub hash: Hash,
}

impl Bundle {
    /// # Errors
    /// The first rule that is broken.
    pub fn read(value: &Json, resolve: Resolve<'_>) -> Result<Self, Problem> {
        let fields = Fields::of(value, "")?;
        fields.exactly(&KEYS)?;
        fields.literal("contract_version", BUNDLE_CONTRACT)?;
        let bundle = Self {
            bundle_id: read_pattern(&fields, "bundle_id", 3, 80, is_lower, |b| is_lower(b) || b"._-".contains(&b))?,
            bundle_version: read_pattern(&fields, "bundle_version", 1, 64, is_alphanumeric, |b| {
                is_alphanumeric(b) || b"._+-".contains(&b)
            })?,
            name: fields.text("name", NAME_MAX)?.to_owned(),
            publisher: fields.text("publisher", NAME_MAX)?.to_owned(),
            capabilities: read_capabilities(&fields, resolve)?,
            flows: read_flows(&fields)?,
            hash: Hash::of(value),
        };
        if bundle.capabilities.is_empty() && bundle.flows.is_empty() {
            return Err(Problem::new("", "a bundle must hold at least one capability or flow"));
        }
        Ok(bundle)
    }
}

fn is_lower(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

fn is_alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn read_pattern(
    fields: &Fields<'_>,
    name: &str,
    min: usize,
    max: usize,
    first: fn(u8) -> bool,
    rest: fn(u8) -> bool,
) -> Result<String, Problem> {
    let text = fields.optional_string(name)?.filter(|text| matches(text, min, max, first, rest));
    text.map(str::to_owned).ok_or_else(|| fields.problem(name, format!("must be {min} to {max} allowed characters")))
}

fn read_capabilities(fields: &Fields<'_>, resolve: Resolve<'_>) -> Result<Vec<Capability>, Problem> {
    let items = fields.array("capabilities", RESOURCES_MAX)?;
    let items = items.ok_or_else(|| fields.problem("capabilities", "must be an array"))?;
    let mut read: Vec<Capability> = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let path = format!("/capabilities/{index}");
        let capability = Capability::read(item, resolve, Author::Caller)
            .map_err(|problem| Problem::new(format!("{path}{}", problem.path), problem.message))?;
        if capability.source != Source::Manual {
            return Err(Problem::new(path + "/source", "must be manual in a bundle"));
        }
        if read.iter().any(|other| other.id == capability.id) {
            return Err(Problem::new(path + "/id", "occurs twice"));
        }
        read.push(capability);
    }
    Ok(read)
}

fn read_flows(fields: &Fields<'_>) -> Result<Vec<(PortableId, Document)>, Problem> {
    let items = fields.array("flows", RESOURCES_MAX)?.ok_or_else(|| fields.problem("flows", "must be an array"))?;
    let mut read: Vec<(PortableId, Document)> = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let flow = Fields::of(item, format!("/flows/{index}"))?;
        let id = flow.optional_string("id")?.and_then(PortableId::parse);
        let id = id.ok_or_else(|| flow.problem("id", "must be a portable flow id"))?;
        if read.iter().any(|(other, _)| *other == id) {
            return Err(flow.problem("id", "occurs twice"));
        }
        read.push((id, Document::from(flow.members().clone())));
    }
    Ok(read)
}

words! {
    /// What an installation does with one resource.
    Action {
        Create = "create",
        Reuse = "reuse",
        Conflict = "conflict",
    }
}

words! {
    Reason {
        NotInstalled = "not_installed",
        SameFingerprint = "same_operational_fingerprint",
        DifferentFingerprint = "different_operational_fingerprint",
        SameFlow = "same_canonical_flow",
        DifferentFlow = "different_canonical_flow",
        AmbiguousFlow = "ambiguous_existing_portable_id",
    }
}

impl Reason {
    #[must_use]
    pub const fn action(self) -> Action {
        match self {
            Self::NotInstalled => Action::Create,
            Self::SameFingerprint | Self::SameFlow => Action::Reuse,
            Self::DifferentFingerprint | Self::DifferentFlow | Self::AmbiguousFlow => Action::Conflict,
        }
    }
}

/// What is installed already.
pub trait Installed: Catalogue {
    /// Every saved document with this portable id.
    fn documents(&self, id: &PortableId) -> Vec<Document>;
}

/// What an installation would do.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    pub capabilities: Vec<(Capability, Reason)>,
    /// Documents are pinned, as they would be saved.
    pub flows: Vec<(PortableId, Document, Reason)>,
}

/// Plans an installation.
///
/// # Errors
/// A flow does not compile, or names a capability that is neither installed nor in the bundle.
pub fn plan(bundle: &Bundle, installed: &dyn Installed) -> Result<Plan, CompileError> {
    let overlay = Overlay { bundle, installed };
    let capabilities = bundle.capabilities.iter().map(|capability| {
        let reason = match installed.capability(capability.id.as_str()) {
            None => Reason::NotInstalled,
            Some(existing) if existing.fingerprint() == capability.fingerprint() => Reason::SameFingerprint,
            Some(_) => Reason::DifferentFingerprint,
        };
        (capability.clone(), reason)
    });
    let mut plan = Plan { capabilities: capabilities.collect(), flows: Vec::with_capacity(bundle.flows.len()) };
    for (id, document) in &bundle.flows {
        let mut document = document.clone();
        document.pin(&overlay)?;
        compile(&document, overlay.context())?;
        let reason = match installed.documents(id).as_slice() {
            [] => Reason::NotInstalled,
            [existing] if *existing == document => Reason::SameFlow,
            [_] => Reason::DifferentFlow,
            [_, _, ..] => Reason::AmbiguousFlow,
        };
        plan.flows.push((id.clone(), document, reason));
    }
    Ok(plan)
}

impl Plan {
    fn reasons(&self) -> impl Iterator<Item = Reason> {
        self.capabilities.iter().map(|(_, reason)| *reason).chain(self.flows.iter().map(|(_, _, reason)| *reason))
    }

    /// There is no conflict.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.reasons().all(|reason| reason.action() != Action::Conflict)
    }

    /// What the installer must repeat; `None` when blocked.
    #[must_use]
    pub fn confirmation_phrase(&self, bundle: &Bundle) -> Option<String> {
        let phrase = || format!("INSTALL {} {}", bundle.bundle_id, bundle.hash.prefix(PHRASE_DIGITS));
        self.is_ready().then(phrase)
    }

    /// The reply shape.
    #[must_use]
    pub fn to_json(&self, bundle: &Bundle) -> Json {
        let count = |action: Action| {
            let count = self.reasons().filter(|reason| reason.action() == action).count();
            (action.as_str(), u32::try_from(count).unwrap_or(u32::MAX).into())
        };
        let capabilities = self.capabilities.iter().map(|(capability, reason)| {
            let kind: Kind = capability.kind();
            Json::Object(object([
                ("id", (&capability.id).into()),
                ("kind", kind.into()),
                ("action", reason.action().into()),
                ("reason", (*reason).into()),
                ("fingerprint", (&capability.fingerprint()).into()),
            ]))
        });
        let flows = self.flows.iter().map(|(id, _, reason)| {
            let members = [("id", id.into()), ("action", reason.action().into()), ("reason", (*reason).into())];
            Json::Object(object(members))
        });
        Json::Object(object([
            ("contract_version", PLAN_CONTRACT.into()),
            ("bundle_id", bundle.bundle_id.as_str().into()),
            ("bundle_version", bundle.bundle_version.as_str().into()),
            ("name", bundle.name.as_str().into()),
            ("publisher", bundle.publisher.as_str().into()),
            ("bundle_hash", (&bundle.hash).into()),
            ("status", if self.is_ready() { "ready" } else { "blocked" }.into()),
            ("summary", Json::Object(object([Action::Create, Action::Reuse, Action::Conflict].map(count)))),
            ("capabilities", Json::Array(capabilities.collect())),
            ("flows", Json::Array(flows.collect())),
            ("confirmation_phrase", self.confirmation_phrase(bundle).into()),
        ]))
    }
}

/// What would be installed afterwards: the installed things come first, for nothing is overwritten.
struct Overlay<'a> {
    bundle: &'a Bundle,
    installed: &'a dyn Installed,
}

impl Overlay<'_> {
    /// Bundles always have ids, so nothing is drawn for them.
    const fn context(&self) -> Context<'_> {
        Context { catalogue: self, profile: Profile::Deterministic, unnamed: [0; 6] }
    }
}

impl Catalogue for Overlay<'_> {
    fn capability(&self, id: &str) -> Option<Capability> {
        let bundled = || self.bundle.capabilities.iter().find(|capability| capability.id.as_str() == id).cloned();
        self.installed.capability(id).or_else(bundled)
    }

    fn preset(&self, profile: Profile) -> Option<Binding> {
        self.installed.preset(profile)
    }

    /// Flows inside a bundle do not see each other: which of them is installed is decided one by one.
    fn flow(&self, id: &str) -> Option<Callee> {
        self.installed.flow(id)
    }
}
