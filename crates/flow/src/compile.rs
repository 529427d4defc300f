//! Compiling documents against what is saved here and now, and remembering everything that this looked at: a Run
//! keeps it.

use std::{
    cell::{Cell, RefCell},
    sync::Arc,
};

use segue_journal::Journal;
use segue_model::flow::{
    Binding, Catalogue, CompileError, Context, Document, ExecutorRef, Flow, PortableId, Problem, Profile,
    bundle::Installed,
    capability::Capability,
    compile::{Callee, Compiled, compile},
};

use crate::{
    bindings::Preset,
    catalogue,
    error::{FlowError, StorageError},
    form,
    frozen::Executors,
    shared::Shared,
    store,
};
use segue_model::run::about::CalleeAbout;

/// What local ids begin with; twelve digits follow.
const LOCAL_PREFIX: &str = "task_";

/// A flow with everything that a Run of it needs.
#[derive(Debug, Clone)]
pub struct Whole {
    pub compiled: Compiled,
    /// What its nodes and those of the flows inside it are bound to.
    pub executors: Executors,
    /// The flows inside it at any depth.
    pub callees: Vec<(Flow, CalleeAbout)>,
}

/// What is saved, read as it is asked for. Blocks.
#[derive(Debug)]
pub struct Saved {
    shared: Arc<Shared>,
    preset: Option<Preset>,
    profile: Profile,
    unnamed: [u8; 6],
    executors: RefCell<Executors>,
    callees: RefCell<Vec<(Flow, CalleeAbout)>>,
    /// Flows that are being compiled, the outermost first.
    open: RefCell<Vec<String>>,
    /// Why a flow that is named does not compile.
    broken: RefCell<Option<(String, FlowError)>>,
    /// The first read that failed.
    fault: RefCell<Option<StorageError>>,
    /// Any agent will do: only the structure is judged.
    any_agent: Cell<bool>,
}

impl Saved {
    #[must_use]
    pub fn new(shared: &Arc<Shared>, profile: Profile, preset: Option<Preset>) -> Self {
        Self {
            shared: Arc::clone(shared),
            preset,
            profile,
            unnamed: shared.draw(),
            executors: RefCell::default(),
            callees: RefCell::default(),
            open: RefCell::default(),
            broken: RefCell::default(),
            fault: RefCell::default(),
            any_agent: Cell::new(false),
        }
    }

    /// A document without an id is named after the local id that it is saved under, so that it is the same flow each
    /// time and can be authorized.
    #[must_use]
    pub fn unnamed_as(mut self, local_id: &str) -> Self {
        let digits = local_id.strip_prefix(LOCAL_PREFIX).filter(|digits| digits.len() == 2 * self.unnamed.len());
        let byte = |at: usize| u8::from_str_radix(digits?.get(2 * at..2 * at + 2)?, 16).ok();
        if let Some(bytes) = (0..self.unnamed.len()).map(byte).collect::<Option<Vec<u8>>>() {
            self.unnamed.copy_from_slice(&bytes);
        }
        self
    }

    /// What a read failed with, if one did: then nothing that was answered meanwhile counts.
    pub fn take_fault(&self) -> Option<StorageError> {
        self.fault.take()
    }

    fn journal(&self) -> &dyn Journal {
        &**self.shared.journal()
    }

    /// What a read gave; the first that fails is the answer to the whole.
    fn read<T>(&self, read: Result<Option<T>, StorageError>) -> Option<T> {
        match read {
            Ok(found) => found,
            Err(error) => {
                self.fault.borrow_mut().get_or_insert(error);
                None
            }
        }
    }

    /// # Errors
    /// The first thing that keeps the document from being a flow.
    pub fn compile(&self, document: &Document) -> Result<Whole, FlowError> {
        let compiled = self.compile_one(document)?;
        Ok(Whole { compiled, executors: self.executors.take(), callees: self.callees.take() })
    }

    /// Whether the document is a flow under some profile: agent nodes that name no capability may be any agent.
    ///
    /// # Errors
    /// What is wrong with its structure, or with what it names.
    pub fn check(&self, document: &Document) -> Result<(), FlowError> {
        let deterministic = self.compile(document);
        if let Err(FlowError::Compile(CompileError::Unsupported(_) | CompileError::PresetMissing(_))) = &deterministic {
            let agents = Self { profile: Profile::Codex, ..Self::new(&self.shared, Profile::Codex, None) };
            agents.any_agent.set(true);
            return agents.compile(document).map(drop);
        }
        deterministic.map(drop)
    }

    /// Pins every bound step to what it is bound to now.
    ///
    /// # Errors
    /// A step names a capability or flow that is not there.
    pub fn pin(&self, document: &mut Document) -> Result<(), FlowError> {
        let pinned = document.pin(self);
        self.judged(pinned)
    }

    fn compile_one(&self, document: &Document) -> Result<Compiled, FlowError> {
        let id = document.members().get("id").and_then(|id| id.as_str()).unwrap_or_default().trim().to_owned();
        self.open.borrow_mut().push(id);
        let context = Context { catalogue: self, profile: self.profile, unnamed: self.unnamed };
        let compiled = compile(document, context);
        self.open.borrow_mut().pop();
        let compiled = self.judged(compiled)?;
        form::check_schemas(&compiled.flow)?;
        Ok(compiled)
    }

    /// A flow that is not there because it does not compile is not the same as one that does not exist.
    fn judged<T>(&self, result: Result<T, CompileError>) -> Result<T, FlowError> {
        if let Some(fault) = self.fault.take() {
            return Err(fault.into());
        }
        result.map_err(|error| match (&error, self.broken.take()) {
            (CompileError::UnknownFlow(id), Some((broken, why))) if *id == broken => {
                FlowError::Invalid(Problem::new("", format!("flow \"{id}\" cannot be used: {why}")))
            }
            _ => error.into(),
        })
    }

    fn callee(&self, id: &str) -> Result<Callee, FlowError> {
        let found = store::by_portable_id(&self.shared, self.journal(), id)?;
        let mut document = found.document;
        document.pin_samples(self);
        let compiled = self.compile_one(&document)?;
        let known = self.callees.borrow().iter().any(|(flow, _)| flow.hash() == compiled.flow.hash());
        if !known {
            let about = CalleeAbout {
                flow_id: compiled.flow.flow_id().to_owned(),
                hash: compiled.flow.hash().clone(),
                task_id: found.local_id,
                task_title: found.task.title,
                goal: found.task.goal,
                topic: found.task.topic,
                granularity: found.task.granularity,
                capability_ids: compiled.capability_ids.clone(),
                inputs: compiled.inputs.clone(),
            };
            self.callees.borrow_mut().push((compiled.flow.clone(), about));
        }
        Ok(compiled.into())
    }
}

impl Catalogue for Saved {
    fn capability(&self, id: &str) -> Option<Capability> {
        let capability = self.read(catalogue::find(&self.shared, id))?.capability;
        let executor = self.executor_of(&capability).executor_id;
        self.executors.borrow_mut().insert(executor, capability.clone());
        Some(capability)
    }

    fn executor_of(&self, capability: &Capability) -> ExecutorRef {
        self.shared.named_executor(&capability.id).unwrap_or_else(|| capability.executor())
    }

    fn preset(&self, profile: Profile) -> Option<Binding> {
        if self.any_agent.get() {
            return Some(store::any_agent());
        }
        let preset = self.preset.as_ref().filter(|_| profile == self.profile)?;
        let executor = preset.binding.executor.executor_id.clone();
        self.executors.borrow_mut().insert(executor, preset.capability.clone());
        Some(preset.binding.clone())
    }

    fn flow(&self, id: &str) -> Option<Callee> {
        if self.open.borrow().iter().any(|open| open == id) {
            let why = FlowError::Invalid(Problem::new("", "it would contain itself"));
            *self.broken.borrow_mut() = Some((id.to_owned(), why));
            return None;
        }
        match self.callee(id) {
            Ok(callee) => Some(callee),
            Err(FlowError::NotFound(_)) => None,
            Err(FlowError::Storage(error)) => {
                self.fault.borrow_mut().get_or_insert(error);
                None
            }
            Err(why) => {
                *self.broken.borrow_mut() = Some((id.to_owned(), why));
                None
            }
        }
    }
}

impl Installed for Saved {
    fn documents(&self, id: &PortableId) -> Vec<Document> {
        let found = store::all_by_portable_id(&self.shared, self.journal(), id.as_str());
        self.read(found.map(Some)).unwrap_or_default().into_iter().map(|found| found.document).collect()
    }
}
