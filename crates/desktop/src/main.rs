//! `segue-desktop`: the console in a window of its own.
//!
//! The window owns its runtime: it starts `segue app` on a free port of this machine, shows what that serves and
//! nothing else, and ends it when it closes. Of Segue it knows the command line and the address that `app` prints.

mod address;
mod dialog;
mod folders;
mod instance;
mod options;
mod process;
mod runtime;
mod window;

use std::{io::Write as _, process::ExitCode, sync::Arc};

use tao::event_loop::EventLoopBuilder;

use crate::{
    instance::{First, Instance},
    options::Options,
    runtime::Runtime,
    window::Happening,
};

/// What keeps the window from opening.
#[derive(Debug, thiserror::Error)]
enum StartError {
    #[error("{0}")]
    Options(#[from] options::OptionsError),
    #[error("{0}")]
    Folders(#[from] folders::FolderError),
    #[error("{0}")]
    Instance(#[from] instance::InstanceError),
    #[error("{0}")]
    Runtime(#[from] runtime::RuntimeError),
    #[error("{0}")]
    Window(#[from] window::WindowError),
}

fn main() -> ExitCode {
    match start() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(&error.to_string());
            dialog::tell(&error.to_string());
            ExitCode::from(2)
        }
    }
}

/// Opens the window. Returns only when it did not open, or another one came to the front instead.
fn start() -> Result<(), StartError> {
    let options = Options::of_this_process()?;
    let state = folders::state(options.state_root.as_deref())?;
    let first = match instance::claim(&state)? {
        Instance::Other => return Ok(()),
        Instance::First(first) => first,
    };
    let events = EventLoopBuilder::<Happening>::with_user_event().build();
    let runtime = Arc::new(Runtime::start(&options, &state)?);
    watch(&events, &runtime, first);
    window::open(events, runtime)?;
    Ok(())
}

/// What reaches the window from outside: signals, a second start, the end of the runtime.
fn watch(events: &tao::event_loop::EventLoop<Happening>, runtime: &Arc<Runtime>, first: First) {
    let fronted = events.create_proxy();
    first.listen(move || fronted.send_event(Happening::SecondStart).is_ok());

    let ended = events.create_proxy();
    let waited_for = Arc::clone(runtime);
    std::thread::spawn(move || {
        let how = waited_for.wait();
        // A window that has closed waits for no news.
        let _ = ended.send_event(Happening::RuntimeEnded(how));
    });

    let signalled = events.create_proxy();
    match signal_hook::iterator::Signals::new(signal_hook::consts::TERM_SIGNALS) {
        Ok(mut signals) => {
            std::thread::spawn(move || {
                for _ in &mut signals {
                    let _ = signalled.send_event(Happening::Signalled);
                }
            });
        }
        // Then they end the window at once, and the runtime sees the end of its input.
        Err(error) => tell(&format!("signals cannot be listened for: {error}")),
    }
}

/// Says something on standard error; what cannot be said is lost.
fn tell(text: &str) {
    let _ = writeln!(std::io::stderr(), "segue-desktop: {text}");
}
