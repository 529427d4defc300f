//! `segue app` opens the console in a browser, where there is one to open and nobody said no.

use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Child, Stdio},
};

use segue_testkit::program::Program;

use crate::contract::served::{wait_for, world};

/// A desktop's opener that keeps what it was given.
const OPENER: &str = "printf '%s %s' \"$#\" \"$1\" > \"$HOME/draft\" && mv \"$HOME/draft\" \"$HOME/shown\"";

struct App(Child, String);

impl App {
    fn start(world: &Program, arguments: &[&str]) -> App {
        let mut command = world.command(["app", "--port", "0"].iter().chain(arguments));
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("started");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let line = lines.next().expect("a line").expect("text");
        let url = line.strip_prefix("app=").expect("the address").to_owned();
        // Until it ends, so that it can say what it wants to.
        std::thread::spawn(move || lines.count());
        App(child, url)
    }
}

impl Drop for App {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_person_with_a_screen_sees_the_console() {
    for screen in ["DISPLAY", "WAYLAND_DISPLAY"] {
        let mut world = world();
        world.install_script("xdg-open", OPENER);
        world.env(screen, "nowhere");
        let app = App::start(&world, &[]);
        let shown = world.home().join("shown");
        wait_for("the opener to be called", || shown.exists());
        assert_eq!(fs::read_to_string(shown).expect("its arguments"), format!("1 {}", app.1));
    }
}

#[test]
fn nothing_is_opened_without_a_screen_or_when_told_so_and_no_opener_is_no_failure() {
    for (screen, arguments, opener) in
        [("", &[][..], true), ("nowhere", &["--no-open"][..], true), ("nowhere", &[][..], false)]
    {
        let mut world = world();
        if opener {
            world.install_script("xdg-open", OPENER);
        } else {
            world.env("PATH", &world.agents_dir().display().to_string());
        }
        world.env("DISPLAY", screen);
        let app = App::start(&world, arguments);
        assert!(app.1.starts_with("http://127.0.0.1:"), "{}", app.1);
        drop(app);
        assert!(!world.home().join("shown").exists(), "{screen:?} {arguments:?}");
    }
}
