//! Processes that the agent leaves behind or runs, and how it takes SIGTERM.
//!
//! Each is this same executable in another role (`--helper …`), so that nothing else has to be installed and a
//! leftover is recognised by its command line. Refuses to know why a process is started.
//!
//! A helper tells through its standard input, a socket, when it has taken its place: the turn goes on only
//! then, and a test needs no sleep.

use std::io::{BufRead, BufReader, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal};

use super::directive::Spawned;

/// First argument of the program in a role other than the agent's.
pub const HELPER: &str = "--helper";

/// Where a spawned process goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the agent's process group, holding its stdout and stderr.
    SameGroup,
    /// In a session of its own, still a descendant.
    OwnSession,
    /// In a session of its own, its parent gone.
    Daemon,
}

/// Starts a process that only rests. Returns its pid once it is where it belongs.
pub fn spawn_resting(place: Place, spawned: Spawned) -> std::io::Result<u32> {
    let (ours, theirs) = UnixStream::pair()?;
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(HELPER);
    command.arg(if place == Place::Daemon { "daemon" } else { "rest" });
    command.arg(spawned.lifetime.as_secs_f64().to_string());
    if place != Place::SameGroup {
        command.arg("own-session");
        command.stdout(Stdio::null()).stderr(Stdio::null());
    }
    if spawned.stubborn {
        command.arg("stubborn");
    }
    let mut child = command.stdin(OwnedFd::from(theirs)).spawn()?;
    // The command holds their end open, and with it the answer's end would never come.
    drop(command);
    let mut pid = String::new();
    BufReader::new(ours).read_line(&mut pid)?;
    if place == Place::Daemon {
        child.wait()?;
    }
    pid.trim().parse().map_err(std::io::Error::other)
}

/// Starts a shell command in a session of its own, with its output in pipes, as real agents do.
pub fn shell_in_own_session(command: &str, cwd: &str) -> std::io::Result<Child> {
    Command::new(std::env::current_exe()?)
        .args([HELPER, "session", "sh", "-c", command])
        .current_dir(cwd)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}

/// Kills what [`shell_in_own_session`] started, with everything in its session's first group.
pub fn kill_session(pid: u32) {
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else {
        return;
    };
    // The second call is for a child that has not reached its own group yet.
    let _ = rustix::process::kill_process_group(pid, Signal::KILL);
    let _ = rustix::process::kill_process(pid, Signal::KILL);
}

pub fn kill_self() -> ! {
    let _ = rustix::process::kill_process(rustix::process::getpid(), Signal::KILL);
    // SIGKILL of oneself is delivered before the call returns.
    std::process::abort()
}

/// Points descriptor 1 at `/dev/null`; the caller has let go of its other handles.
pub fn close_stdout() -> std::io::Result<()> {
    let null = std::fs::File::options().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&null)?;
    Ok(())
}

/// Calls `act` in a thread each time SIGTERM arrives, in place of dying.
pub fn on_sigterm(act: impl Fn() + Send + 'static) -> std::io::Result<()> {
    let (arrived, send) = UnixStream::pair()?;
    signal_hook::low_level::pipe::register(signal_hook::consts::SIGTERM, send)?;
    std::thread::spawn(move || {
        let mut arrived = arrived;
        let mut byte = [0];
        while std::io::Read::read_exact(&mut arrived, &mut byte).is_ok() {
            act();
        }
    });
    Ok(())
}

/// The program in another role. `arguments` are those after [`HELPER`].
pub fn helper(arguments: &[String]) -> ExitCode {
    match run_helper(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            super::complain(&format!("helper {arguments:?}: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run_helper(arguments: &[String]) -> std::io::Result<()> {
    let (role, rest) = arguments.split_first().ok_or_else(|| std::io::Error::other("no role"))?;
    let has = |word: &str| rest.iter().any(|argument| argument == word);
    match role.as_str() {
        "session" => {
            rustix::process::setsid()?;
            let (program, arguments) = rest.split_first().ok_or_else(|| std::io::Error::other("no program"))?;
            Err(Command::new(program).args(arguments).exec())
        }
        "daemon" => {
            rustix::process::setsid()?;
            let told = std::io::stdin().as_fd().try_clone_to_owned()?;
            Command::new(std::env::current_exe()?).args([HELPER, "rest"]).args(rest).stdin(told).spawn()?;
            Ok(())
        }
        "rest" => {
            if has("own-session") {
                rustix::process::setsid()?;
            }
            if has("stubborn") {
                on_sigterm(|| ())?;
            }
            let seconds = rest.first().and_then(|text| text.parse().ok()).unwrap_or_default();
            let told = std::io::stdin().as_fd().try_clone_to_owned()?;
            // Whoever started us may be gone already; resting is what we are for.
            let _ = writeln!(UnixStream::from(told), "{}", std::process::id());
            std::thread::sleep(Duration::from_secs_f64(seconds));
            Ok(())
        }
        _ => Err(std::io::Error::other("unknown role")),
    }
}
