//! Tells a person what went wrong in a window of the platform, where there is one, and waits until it is closed.

#[cfg(target_os = "linux")]
pub fn tell(what: &str) {
    use gtk::prelude::{DialogExt, GtkWindowExt};

    // Without a display the words on standard error have to do.
    if gtk::init().is_err() {
        return;
    }
    let dialog = gtk::MessageDialog::new(
        None::<&gtk::Window>,
        gtk::DialogFlags::MODAL,
        gtk::MessageType::Error,
        gtk::ButtonsType::Close,
        what,
    );
    dialog.set_title(crate::window::TITLE);
    dialog.run();
}

#[cfg(not(target_os = "linux"))]
pub fn tell(what: &str) {
    rfd::MessageDialog::new()
        .set_level(rfd::MessageLevel::Error)
        .set_title(crate::window::TITLE)
        .set_description(what)
        .set_buttons(rfd::MessageButtons::Ok)
        .show();
}
