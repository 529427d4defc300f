//! Who may depend on whom, and who may know what. The tables behind `ARCHITECTURE.md`.

/// One crate of ours.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    pub name: &'static str,
    /// Crates of ours that it may need at run time.
    pub ours: &'static [&'static str],
}

/// Every crate of the workspace. One that is not here is a problem: a new crate needs a reason.
pub const ROOMS: [Room; 14] = [
    Room { name: "segue-model", ours: &[] },
    Room { name: "segue-journal", ours: &["segue-model"] },
    Room { name: "segue-host", ours: &["segue-model"] },
    Room { name: "segue-channel", ours: &["segue-model", "segue-journal", "segue-host"] },
    Room { name: "segue-flow", ours: &["segue-model", "segue-journal", "segue-host", "segue-channel"] },
    Room { name: "segue-mcp", ours: &["segue-model", "segue-channel", "segue-flow"] },
    Room { name: "segue-web-assets", ours: &[] },
    Room { name: "segue-http", ours: &["segue-model", "segue-channel", "segue-flow", "segue-web-assets"] },
    Room {
        name: "segue",
        ours: &[
            "segue-model",
            "segue-journal",
            "segue-host",
            "segue-channel",
            "segue-flow",
            "segue-mcp",
            "segue-http",
            "segue-web-assets",
        ],
    },
    // The window starts the program and talks to it over HTTP.
    Room { name: "segue-desktop", ours: &[] },
    // Tests only: it may look into every room, and nobody needs it at run time.
    Room {
        name: TESTKIT,
        ours: &["segue-model", "segue-journal", "segue-host", "segue-channel", "segue-flow", "segue-mcp", "segue-http"],
    },
    // The protocol's conformance suite asks for HTTP and fixtures, which must not reach the program.
    Room { name: CONFORMANCE, ours: &["segue-channel", "segue-mcp"] },
    Room { name: "segue-fuzz", ours: &["segue-model", "segue-journal", "segue-host", "segue-channel", "segue-flow"] },
    Room { name: "xtask", ours: &[] },
];

/// The crate that any other may need, for its tests.
pub const TESTKIT: &str = "segue-testkit";

/// A program for one test; no crate may need it.
const CONFORMANCE: &str = "segue-testkit-conformance";

/// The only dependencies that the rules may have, whatever else is convenient.
pub const OF_MODEL: [&str; 9] =
    ["indexmap", "serde", "serde_json", "thiserror", "sha2", "jiff", "cel", "croner", "zmij"];

/// A foreign crate that only some of ours may need at run time.
#[derive(Debug, Clone, Copy)]
pub struct Reserved {
    pub foreign: &'static str,
    pub rooms: &'static [&'static str],
}

/// One crate per protocol, one crate for SQL.
pub const RESERVED: [Reserved; 7] = [
    Reserved { foreign: "rusqlite", rooms: &["segue-journal"] },
    Reserved { foreign: "inotify", rooms: &["segue-journal"] },
    Reserved { foreign: "rmcp", rooms: &["segue-mcp", TESTKIT, CONFORMANCE] },
    Reserved { foreign: "agent-client-protocol-schema", rooms: &["segue-host", TESTKIT] },
    Reserved { foreign: "axum", rooms: &["segue-http", TESTKIT, CONFORMANCE] },
    Reserved { foreign: "clap", rooms: &["segue", TESTKIT] },
    Reserved { foreign: "tracing-subscriber", rooms: &["segue", TESTKIT] },
];

/// Words in the source that only some crates may use. Comments and tests are not looked at.
#[derive(Debug, Clone, Copy)]
pub struct Knowledge {
    pub words: &'static [&'static str],
    pub who: Who,
    pub why: &'static str,
}

#[derive(Debug, Clone, Copy)]
pub enum Who {
    /// These and nobody else.
    Only(&'static [&'static str]),
    /// Anybody but these.
    NotIn(&'static [&'static str]),
}

impl Who {
    pub fn may(self, room: &str) -> bool {
        match self {
            Self::Only(rooms) => rooms.contains(&room),
            Self::NotIn(rooms) => !rooms.contains(&room),
        }
    }
}

pub const KNOWLEDGE: [Knowledge; 4] = [
    Knowledge {
        words: &["process::Command", "tokio::process", "Command::new("],
        who: Who::Only(&["segue-host", "segue-desktop", TESTKIT, "xtask"]),
        why: "only the host starts processes",
    },
    Knowledge {
        words: &["\"SELECT ", "\"INSERT INTO ", "\"UPDATE ", "\"DELETE FROM ", "\"CREATE TABLE ", "PRAGMA "],
        who: Who::Only(&["segue-journal", "xtask"]),
        why: "only the journal knows SQL",
    },
    Knowledge {
        words: &["kill_process", "pidfd_", "setsid("],
        who: Who::Only(&["segue-host", "segue-desktop", TESTKIT, "xtask"]),
        why: "only the host sends signals and makes sessions, and the window to the server that it owns",
    },
    Knowledge {
        words: &[
            "tokio::",
            "async fn",
            "SystemTime",
            "Instant::",
            "std::fs",
            "std::net",
            "std::env",
            "std::process",
            "std::thread",
            "getrandom",
        ],
        who: Who::NotIn(&["segue-model"]),
        why: "the rules are pure: time, chance and the world are arguments",
    },
];
