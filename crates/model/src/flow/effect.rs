//! What an executor may do. A node's effects are those of its executor, never of the document.

words! {
    /// In the contract's order (§1).
    Effect {
        PureCompute = "pure_compute",
        ReadLocal = "read_local",
        ReadExternal = "read_external",
        WriteLocal = "write_local",
        WriteExternal = "write_external",
        ExecuteProcess = "execute_process",
    }
}

impl Effect {
    /// Something outside of Segue may be different afterwards: what must be authorized before, and is
    /// never repeated on its own after a crash.
    #[must_use]
    pub const fn is_write(self) -> bool {
        matches!(self, Self::WriteLocal | Self::WriteExternal)
    }
}

words! {
    /// How real the evidence is; it says nothing about quality.
    EvidenceLevel {
        /// Built-in deterministic code.
        Deterministic = "E1_DETERMINISTIC",
        /// A real process, HTTP boundary, person or other flow was crossed.
        RealExecutor = "E2_REAL_EXECUTOR",
    }
}
