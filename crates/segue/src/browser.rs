//! Shows a page in the person's browser, where there is a screen.

/// What a desktop opens an address with.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
/// Elsewhere than on a Mac, a session with a screen has one of these. Without one the opener would look for a browser
/// of the terminal.
const SCREENS: [&str; 2] = ["WAYLAND_DISPLAY", "DISPLAY"];

/// Never fails: the address is printed as well.
pub fn show(url: &str) {
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if !cfg!(target_os = "macos") && !SCREENS.iter().any(is_set) {
        return;
    }
    if let Err(error) = segue_host::launch(OPENER, url) {
        tracing::info!("no browser was opened: {OPENER}: {error}");
    }
}
