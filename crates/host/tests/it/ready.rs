use std::io::Write;
use std::process::{Command, Stdio};

use segue_host::{Exit, HOST_MARK, HostSpec, HostState, Ready, StartError, start_ready, state};

use crate::harness::{Place, Seen, until};

impl Place {
    /// A host that has come to wait for its order.
    async fn ready(&self) -> Ready {
        let spec = self.spec("");
        let ready = Ready::prepare(self.id.clone(), spec.exe, spec.env);
        until("it is named as a host", || self.marked().iter().any(|pid| is_named_host(*pid))).await;
        ready
    }
}

fn is_named_host(pid: i32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name == "segue-host\n")
}

/// Everything that a program is given: what differs from one whose host was started for it.
const SHOWS: &str = "pwd; echo $A-$SEGUE_HOST-$HOME-$ONLY_HOST; ls /proc/self/fd | wc -l; \
    ps -o pid=,pgid=,sid= -p $$; ulimit -Sn; for arg; do echo \"[$arg]\"; done";

#[tokio::test]
async fn a_host_that_is_ready_runs_its_program_as_one_that_was_started_for_it() {
    let place = Place::new();
    let mut spec = place.spec(SHOWS);
    let mut env = spec.env.clone();
    env.push(("ONLY_HOST".into(), "no".into()));
    let ready = Ready::prepare(place.id.clone(), spec.exe.clone(), env);
    spec.env.push(("A".into(), "b c".into()));
    spec.args.extend(["sh", "", "x y"].map(Into::into));
    spec.config.open_files = Some(77);
    let [waiting] = loop {
        if let Ok(only) = <[i32; 1]>::try_from(place.marked()) {
            break only;
        }
        tokio::task::yield_now().await;
    };
    let started = start_ready(spec, ready).await.unwrap();
    assert_eq!(started.identity.host.pid, waiting, "no other was started");
    let mut link = place.attach().await;
    let pid = link.hello.identity.program.pid;
    let mut seen = Seen::default();
    let end = seen.the_end(&mut link.receiver).await;
    assert_eq!(end.exit, Exit::Code(0));
    let lines: Vec<&str> = seen.text().lines().collect();
    let workspace = place.workspace().canonicalize().unwrap();
    assert_eq!(lines[..2], [workspace.to_str().unwrap(), &format!("b c-{}--", place.id)]);
    assert_eq!(lines[2], "4", "standard input, output and error, and the folder that ls reads");
    assert_eq!(lines[3].split_whitespace().collect::<Vec<_>>(), [pid.to_string(), pid.to_string(), pid.to_string()]);
    assert_eq!(lines[4..], ["77", "[]", "[x y]"]);
    place.release(link).await;
}

#[tokio::test]
async fn nothing_can_be_found_of_a_host_that_was_told_nothing_and_it_goes_with_its_owner() {
    let place = Place::new();
    let ready = place.ready().await;
    assert_eq!(state(&place.dir(), None).await.unwrap(), HostState::Missing);
    let pid = place.marked()[0];
    assert_eq!(std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap(), std::path::Path::new("/"));
    drop(ready);
    place.is_clean().await;
}

/// As when its server is killed, before or while it tells.
#[tokio::test]
async fn a_host_whose_order_does_not_come_whole_starts_nothing_and_leaves_nothing() {
    // The length of a whole order, and less.
    for said in [&b""[..], &[64, 0, 0, 0, 0, 0, 0, 0], &[64, 0, 0, 0, 0, 0, 0, 0, b'{', b'}', 0]] {
        let place = Place::new();
        let mut child = Command::new(place.spec("").exe)
            .args(["host", "--ready"])
            .env(HOST_MARK, place.id.as_str())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(said).unwrap();
        let ended = child.wait_with_output().unwrap();
        assert_eq!((ended.status.code(), ended.stdout.len()), (Some(0), 0), "{said:?}");
        place.is_clean().await;
    }
}

#[tokio::test]
async fn a_fresh_host_is_started_where_the_one_that_is_ready_cannot_be_used() {
    // It was killed meanwhile.
    let place = Place::new();
    let ready = place.ready().await;
    let pid = place.marked()[0];
    rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), rustix::process::Signal::KILL).unwrap();
    until("it is dead", || place.marked().is_empty()).await;
    let started = start_ready(place.spec("echo fresh"), ready).await.unwrap();
    assert_ne!(started.identity.host.pid, pid);
    says(&place, "fresh\n").await;

    // It has the mark of another.
    let (place, other) = (Place::new(), Place::new());
    let ready = other.ready().await;
    start_ready(place.spec("echo $SEGUE_HOST"), ready).await.unwrap();
    says(&place, &format!("{}\n", place.id)).await;
    other.is_clean().await;

    // It could not be started.
    let place = Place::new();
    let ready = Ready::prepare(place.id.clone(), place.workspace().join("no-host"), Vec::new());
    start_ready(place.spec("echo started"), ready).await.unwrap();
    says(&place, "started\n").await;
}

async fn says(place: &Place, text: &str) {
    let mut link = place.attach().await;
    let mut seen = Seen::default();
    seen.the_end(&mut link.receiver).await;
    assert_eq!(seen.text(), text);
    place.release(link).await;
}

#[tokio::test]
async fn what_cannot_start_under_a_ready_host_is_told_as_under_any_other() {
    let place = Place::new();
    let gone = place.workspace().join("gone");
    let failed = |spec: HostSpec, ready| async { start_ready(spec, ready).await.unwrap_err() };

    let error = failed(HostSpec { program: gone.clone(), ..place.spec("") }, place.ready().await).await;
    assert_eq!(error.to_string(), format!("execute {}: No such file or directory (os error 2)", gone.display()));
    place.is_clean().await;

    let error = failed(HostSpec { cwd: gone.clone(), ..place.spec("") }, place.ready().await).await;
    let StartError::WorkingFolder(folder, cause) = error else { panic!("{error:?}") };
    assert_eq!((folder, cause.kind()), (gone, std::io::ErrorKind::NotFound));
    place.is_clean().await;

    std::fs::create_dir_all(place.dir()).unwrap();
    let error = failed(place.spec(""), place.ready().await).await;
    assert!(matches!(error, StartError::Folder(..)));
    assert!(place.dir().exists(), "it is not ours");
    std::fs::remove_dir_all(place.dir()).unwrap();
    place.is_clean().await;
}
