//! The common suite on each backend.

use std::{
    fs,
    sync::{Arc, Mutex},
};

use segue_journal::{InstanceId, Journal, Memory, MemoryInstance, OpenOptions, open};
use segue_testkit::journal_suite::Home;
use tempfile::TempDir;

struct InMemory {
    memory: Memory,
    opened: Mutex<Vec<Arc<MemoryInstance>>>,
}

impl InMemory {
    fn new() -> Self {
        Self { memory: Memory::new(), opened: Mutex::default() }
    }
}

impl Home for InMemory {
    fn open(&self) -> Arc<dyn Journal> {
        let instance = self.memory.open_instance();
        self.opened.lock().unwrap().push(Arc::clone(&instance));
        instance
    }

    fn lose(&self, instance: &InstanceId) {
        let opened = self.opened.lock().unwrap();
        opened.iter().find(|other| other.instance() == instance).unwrap().lose_lock();
    }
}

struct InFolder {
    folder: TempDir,
}

impl InFolder {
    fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }
}

impl Home for InFolder {
    fn open(&self) -> Arc<dyn Journal> {
        open(&OpenOptions::new(self.folder.path())).unwrap()
    }

    fn lose(&self, instance: &InstanceId) {
        fs::remove_file(self.folder.path().join("instances").join(format!("{instance}.lock"))).unwrap();
    }
}

mod memory {
    segue_testkit::journal_suite!(super::InMemory::new());
}

mod sqlite {
    segue_testkit::journal_suite!(super::InFolder::new());
}
