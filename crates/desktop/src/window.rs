//! The window: shows what the runtime serves and goes nowhere else.

use std::sync::Arc;

use tao::{
    dpi::LogicalSize,
    event::{Event, WindowEvent},
    event_loop::{ControlFlow, EventLoop},
    window::{Window, WindowBuilder},
};
use wry::{NewWindowResponse, WebView, WebViewBuilder};

use crate::{dialog, folders, process::End, runtime::Runtime};

pub const TITLE: &str = "Segue";
/// As the contract has it.
const SIZE: LogicalSize<f64> = LogicalSize::new(1440.0, 920.0);
const LEAST: LogicalSize<f64> = LogicalSize::new(1080.0, 700.0);

/// What reaches the window from outside.
#[derive(Debug)]
pub enum Happening {
    SecondStart,
    Signalled,
    RuntimeEnded(End),
}

#[derive(Debug, thiserror::Error)]
pub enum WindowError {
    #[error("no window can be opened: {0}")]
    Window(#[from] tao::error::OsError),
    #[error("no page can be shown: {0}")]
    Page(#[from] wry::Error),
}

/// Opens the window, and ends the process with the runtime when it closes.
pub fn open(events: EventLoop<Happening>, runtime: Arc<Runtime>) -> Result<(), WindowError> {
    let shown = WindowBuilder::new().with_title(TITLE).with_inner_size(SIZE).with_min_inner_size(LEAST).build(&events);
    let shown = shown.map_err(WindowError::from).and_then(|window| Ok((page(&window, &runtime)?, window)));
    let (page, window) = match shown {
        Ok(shown) => shown,
        Err(error) => {
            runtime.end();
            return Err(error);
        }
    };
    let mut closing = false;
    events.run(move |event, _, flow| {
        // The page lives as long as the loop.
        let _ = &page;
        *flow = ControlFlow::Wait;
        match event {
            Event::UserEvent(Happening::SecondStart) => {
                window.set_minimized(false);
                window.set_focus();
            }
            Event::WindowEvent { event: WindowEvent::CloseRequested, .. } | Event::UserEvent(Happening::Signalled)
                if !closing =>
            {
                closing = true;
                window.set_visible(false);
                let ending = Arc::clone(&runtime);
                // Its end arrives as news; the loop goes on meanwhile.
                std::thread::spawn(move || ending.end());
            }
            Event::UserEvent(Happening::RuntimeEnded(end)) => {
                if !closing {
                    dialog::tell(&format!(
                        "Segue has stopped, with {end}. What ran is in its record; start it again to go on."
                    ));
                }
                *flow = ControlFlow::Exit;
            }
            _ => {}
        }
    })
}

fn page(window: &Window, runtime: &Arc<Runtime>) -> Result<WebView, wry::Error> {
    let inside = runtime.address.clone();
    let saved = runtime.address.clone();
    let page = WebViewBuilder::new()
        .with_url(runtime.address.as_str())
        // Nothing of a page stays on the disk.
        .with_incognito(true)
        .with_devtools(false)
        .with_navigation_handler(move |target| inside.covers(&target))
        .with_new_window_req_handler(|_, _| NewWindowResponse::Deny)
        .with_download_started_handler(move |source, place| {
            let name = place.file_name().map(std::ffi::OsStr::to_owned);
            if let (Some(folder), Some(name)) = (folders::downloads(), name) {
                *place = free(&folder.join(name));
            }
            saved.covers(&source)
        });
    #[cfg(target_os = "linux")]
    {
        use tao::platform::unix::WindowExtUnix;
        use wry::WebViewBuilderExtUnix;
        match window.default_vbox() {
            Some(inside) => page.build_gtk(inside),
            None => page.build(window),
        }
    }
    #[cfg(not(target_os = "linux"))]
    page.build(window)
}

/// A name that no file has yet: what a person saved earlier stays.
fn free(wanted: &std::path::Path) -> std::path::PathBuf {
    let name = wanted.file_name().unwrap_or_default().to_string_lossy().into_owned();
    (1..1000)
        .map(|number| wanted.with_file_name(format!("{number}-{name}")))
        .find(|path| !path.exists())
        .filter(|_| wanted.exists())
        .unwrap_or_else(|| wanted.to_owned())
}
