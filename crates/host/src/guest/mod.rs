//! The host process: `segue host --dir D -- PROGRAM ARGS…`, or `segue host --ready`, which is told later.
//!
//! It owns one program's tree: moves its bytes through a spool to whoever attaches, writes input once, and ends the
//! tree when asked, or when nobody is left to ask. One thread and one poll loop; no async runtime, no protocol beyond
//! the JSON-RPC envelope. Everything it is told comes by argument, environment and its standard input.
//!
//! One that is ready has nothing yet: no folder, no lock, no socket. It waits for its order on its standard input, and
//! is gone without a trace when that ends before the order is whole.

mod client;
mod ending;
mod input;
mod ladder;
mod output;
mod program;
mod run;
mod watch;

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::facts::{AskedBy, EndRecord, Exit, HostIdentity, Offsets, StopReceipt};
use crate::folder::Folder;
use crate::order::{self, Order};
use crate::record::{HEAD_BYTES, Kind};
use crate::spool::Spool;

pub(crate) use input::last_begun;
pub(crate) use ladder::millis;

/// The one line a host writes to its standard output.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Report {
    Started(HostIdentity),
    Failed(String),
    /// The working folder cannot be entered; the number of the system's error.
    NoWorkingFolder(i32),
}

/// The exit status of a host that could not do its work. Its parent has the report; nobody else looks.
const FAILED: i32 = 1;
const USAGE: i32 = 2;
/// Nothing was started and nothing is left; nobody has to know.
const UNTOLD: i32 = 0;

/// The word of a host that is told later.
pub(crate) const READY: &str = "--ready";

/// Runs a host to its end and gives its exit status. `args` are the words after `host`.
///
/// Must be the first thing a process does: it closes every descriptor but the standard ones, which a thread or a
/// library may have opened for itself.
pub fn guest_main(args: impl Iterator<Item = OsString>) -> i32 {
    close_inherited();
    let Some(words) = parse_args(args) else { return USAGE };
    // A program name for `ps`; the executable is called by another path.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::set_name(c"segue-host");
    // A leader of its own session hears nothing of its parent's terminal. It fails only for one that is a leader already.
    let _ = rustix::process::setsid();
    let order = match words {
        Words::Now { dir, program, args } => configured(dir, program, args),
        Words::Ready => match told() {
            Some(order) => Ok(order),
            None => return UNTOLD,
        },
    };
    if let Ok(Order { place: Some(place), .. }) = &order
        && let Err(error) = std::env::set_current_dir(&place.cwd)
    {
        report(&Report::NoWorkingFolder(error.raw_os_error().unwrap_or_default()));
        return FAILED;
    }
    match order.and_then(launch) {
        Ok(host) => {
            report(&Report::Started(host.identity().clone()));
            match let_go() {
                Ok(()) => {
                    crate::start_pages::give_back();
                    host.run()
                }
                Err(_) => FAILED,
            }
        }
        Err(cause) => {
            report(&Report::Failed(cause));
            FAILED
        }
    }
}

enum Words {
    Now { dir: PathBuf, program: PathBuf, args: Vec<OsString> },
    Ready,
}

fn parse_args(mut args: impl Iterator<Item = OsString>) -> Option<Words> {
    let flag = args.next()?;
    if flag == READY {
        return args.next().is_none().then_some(Words::Ready);
    }
    let (dir, dashes) = (args.next()?, args.next()?);
    (flag == "--dir" && dashes == "--").then_some(())?;
    Some(Words::Now { dir: dir.into(), program: args.next()?.into(), args: args.collect() })
}

fn configured(dir: PathBuf, program: PathBuf, args: Vec<OsString>) -> Result<Order, String> {
    let mut config = String::new();
    let read = io::stdin().take(CONFIG_MAX_BYTES).read_to_string(&mut config);
    read.map_err(|error| format!("read the configuration: {error}"))?;
    let config = serde_json::from_str(&config).map_err(|error| format!("read the configuration: {error}"))?;
    Ok(Order { config, dir, program, args, place: None })
}

/// Waits to be told, for as long as somebody could; `None` when nobody can any more.
fn told() -> Option<Order> {
    let mut message = Vec::new();
    io::stdin().take(ORDER_MAX_BYTES).read_to_end(&mut message).ok()?;
    order::decode(&message)
}

fn launch(order: Order) -> Result<run::Host, String> {
    let at = |what: &'static str| move |error: io::Error| format!("{what}: {error}");
    let Order { config, dir, program: path, args, place } = order;
    crate::tree::adopt_descendants().map_err(at("become the reaper of descendants"))?;
    let folder = Folder::open(&dir).map_err(at("open the host's folder"))?;
    let mut lock = folder.lock_file().map_err(at("open the lock"))?;
    lock.lock().map_err(at("take the lock"))?;
    let mut spool = Spool::create(&folder, config.segment_bytes).map_err(at("create the spool"))?;
    let waker = run::Signals::register().map_err(at("watch for signals"))?;
    let listener = run::listen(&folder).map_err(at("open the socket"))?;
    let input = input::Input::new(folder.input_file().map_err(at("open the input record"))?);

    let env = place.map(|place| place.env);
    let program = match program::Program::start(&path, &args, env.as_deref(), config.open_files) {
        Ok(program) => program,
        Err(error) => {
            let cause = format!("execute {}: {error}", path.display());
            never_started(&folder, &mut spool, &cause).map_err(at("record the failure"))?;
            return Err(cause);
        }
    };
    let identity = identify(&program).map_err(at("identify the processes"))?;
    // For a server that died before it stored what this host reported.
    serde_json::to_writer(&mut lock, &identity).map_err(|error| format!("write the identity: {error}"))?;
    // The workspace must not be kept from being unmounted or removed by a host.
    let _ = std::env::set_current_dir("/");
    Ok(run::Host::new(run::Parts { config, folder, lock, spool, listener, signals: waker, program, input, identity }))
}

/// A configuration is a few hundred bytes.
const CONFIG_MAX_BYTES: u64 = 1 << 20;
/// More than a system gives a program in arguments and environment (6 MiB on Linux).
const ORDER_MAX_BYTES: u64 = 8 << 20;

fn identify(program: &program::Program) -> io::Result<HostIdentity> {
    let this = i32::try_from(std::process::id()).map_err(io::Error::other)?;
    let missing = || io::Error::other("the process table does not show this process");
    Ok(HostIdentity {
        boot_id: crate::tree::boot_id()?,
        pid_namespace: crate::tree::pid_namespace()?,
        host: crate::tree::identify(this).ok_or_else(missing)?,
        program: program.id(),
    })
}

/// So that a server which died between starting this host and reading its report finds out what happened.
fn never_started(folder: &Folder, spool: &mut Spool, cause: &str) -> io::Result<()> {
    let end = EndRecord {
        exit: Exit::NeverStarted(cause.to_owned()),
        stop_receipt: StopReceipt {
            asked_by: AskedBy::SelfExit,
            reason: None,
            processes: Vec::new(),
            processes_unlisted: 0,
            escaped: Vec::new(),
            tree_empty: true,
            unseen: None,
            unconfirmed: None,
            stderr_bytes: 0,
            steps: Vec::new(),
        },
        streams: Offsets::default(),
        last_input: 0,
    };
    let mut record = vec![0; HEAD_BYTES];
    serde_json::to_writer(&mut record, &end)?;
    spool.append(folder, Kind::End, 0, &mut record)
}

fn report(report: &Report) {
    if let Ok(mut line) = serde_json::to_vec(report) {
        line.push(b'\n');
        // A parent that is gone does not need it.
        let _ = io::stdout().write_all(&line).and_then(|()| io::stdout().flush());
    }
}

/// The parent's pipes are given up: it must be able to see their end.
fn let_go() -> io::Result<()> {
    let null = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    Ok(())
}

/// Descriptors that an ancestor left open by mistake: this process outlives it and must not hold its pipes.
fn close_inherited() {
    let own = if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };
    let Ok(entries) = std::fs::read_dir(own) else { return };
    let open: Vec<i32> = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    // The one that read the list is among them, and closed already.
    let still_open = |fd: &i32| std::fs::symlink_metadata(format!("{own}/{fd}")).is_ok();
    for fd in open.into_iter().filter(|fd| *fd > 2).filter(still_open) {
        #[expect(
            unsafe_code,
            reason = "no safe call closes a descriptor by number; nothing in this process owns one yet"
        )]
        // SAFETY: called first of all (see `guest_main`), so no value in this process owns any of these.
        unsafe {
            rustix::io::close(fd);
        }
    }
}
