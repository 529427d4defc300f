//! Finds an installed agent, or says why a test does without.

use std::env;
use std::path::{Path, PathBuf};

use super::Agent;

/// Names the folder that `install.sh` was given; by default `.check/agents` in the repository.
pub const DIRECTORY_VARIABLE: &str = "SEGUE_AGENTS_DIR";

/// `1`: a missing agent is a failure. `0`: no real agent is started. Unset: those that are installed.
pub const WANTED_VARIABLE: &str = "SEGUE_REAL_AGENTS";

/// The agent's launcher, an absolute path; or nothing, after saying so on standard error, when the test is to be
/// skipped.
///
/// # Panics
/// When the agent is missing and [`WANTED_VARIABLE`] is `1`.
pub fn launcher_or_skip(agent: Agent) -> Option<PathBuf> {
    let wanted = env::var(WANTED_VARIABLE).ok();
    match find(agent, &directory(), wanted.as_deref()) {
        Found::Launcher(launcher) => Some(launcher),
        Found::Skip(why) => {
            skip(&why);
            None
        }
        Found::Missing(why) => panic!("{why}"),
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Found {
    Launcher(PathBuf),
    Skip(String),
    Missing(String),
}

fn find(agent: Agent, directory: &Path, wanted: Option<&str>) -> Found {
    let launcher = directory.join("bin").join(agent.program());
    let name = agent.name();
    if wanted == Some("0") {
        return Found::Skip(format!("{name}: {WANTED_VARIABLE} is 0"));
    }
    if launcher.is_file() {
        return Found::Launcher(launcher);
    }
    let why = format!(
        "{name}: there is no {}; run crates/testkit/agents/install.sh {} {name}",
        launcher.display(),
        directory.display()
    );
    if wanted == Some("1") { Found::Missing(why) } else { Found::Skip(why) }
}

fn directory() -> PathBuf {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // Relative to the repository, not to the crate whose tests run.
    let directory = env::var_os(DIRECTORY_VARIABLE).unwrap_or_else(|| ".check/agents".into());
    let joined = repository.join(directory);
    joined.canonicalize().unwrap_or(joined)
}

#[expect(clippy::print_stderr, reason = "a skipped test has no other way to be seen")]
fn skip(why: &str) {
    eprintln!("skipped, {why}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_agent_fails_the_test_only_where_agents_are_wanted() {
        let empty = Path::new("/nowhere");
        let why = "cline: there is no /nowhere/bin/cline; run crates/testkit/agents/install.sh /nowhere cline";
        assert_eq!(find(Agent::Cline, empty, Some("1")), Found::Missing(why.to_owned()));
        assert_eq!(find(Agent::Cline, empty, None), Found::Skip(why.to_owned()));
    }

    #[test]
    fn an_installed_agent_is_used_unless_none_is_wanted() {
        let directory = tempfile::tempdir().expect("a folder");
        let launcher = directory.path().join("bin/codex-acp");
        std::fs::create_dir_all(directory.path().join("bin")).expect("a folder");
        std::fs::write(&launcher, "").expect("a file");
        let find = |wanted| find(Agent::Codex, directory.path(), wanted);
        assert_eq!(find(None), Found::Launcher(launcher.clone()));
        assert_eq!(find(Some("1")), Found::Launcher(launcher));
        assert_eq!(find(Some("0")), Found::Skip("codex: SEGUE_REAL_AGENTS is 0".to_owned()));
    }
}
