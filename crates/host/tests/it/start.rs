use std::os::unix::fs::PermissionsExt;

use segue_host::{Exit, HostState, Offsets, StartError, start, state};

use crate::harness::{Place, Seen, run, until};

#[tokio::test]
async fn a_program_gets_its_folder_its_environment_its_session_and_nothing_else() {
    let place = Place::new();
    let mut spec =
        place.spec("pwd; echo $A-$SEGUE_HOST-$HOME; ls /proc/self/fd | wc -l; ps -o pid=,pgid=,sid= -p $$; trap");
    spec.env.push(("A".into(), "b c".into()));
    start(spec).await.unwrap();
    let mut link = place.attach().await;
    let pid = link.hello.identity.program.pid;
    let mut seen = Seen::default();
    let end = seen.the_end(&mut link.receiver).await;
    assert_eq!(end.exit, Exit::Code(0));
    let lines: Vec<&str> = seen.text().lines().collect();
    let workspace = place.workspace().canonicalize().unwrap();
    assert_eq!(lines[..2], [workspace.to_str().unwrap(), &format!("b c-{}-", place.id)]);
    // Standard input, output and error, and the folder that ls reads.
    assert_eq!(lines[2], "4");
    assert_eq!(lines[3].split_whitespace().collect::<Vec<_>>(), [pid.to_string(), pid.to_string(), pid.to_string()]);
    assert_eq!(lines.len(), 4);
    place.release(link).await;
}

#[tokio::test]
async fn a_program_may_have_as_many_files_open_as_its_host_is_told() {
    for (told, expected) in [(Some(77), "77"), (None, "the host's")] {
        let place = Place::new();
        let mut spec = place.spec("read line; ulimit -Sn; ulimit -Hn");
        spec.config.open_files = told;
        let started = start(spec).await.unwrap();
        let limits = std::fs::read_to_string(format!("/proc/{}/limits", started.identity.host.pid)).unwrap();
        let line = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
        let host: Vec<&str> = line.split_whitespace().skip(3).take(2).collect();
        let mut link = place.attach().await;
        link.sender.send_line(1, "go\n".into()).await.unwrap();
        let mut seen = Seen::default();
        seen.the_end(&mut link.receiver).await;
        let expected = if told.is_some() { expected } else { host[0] };
        assert_eq!(seen.text().lines().collect::<Vec<_>>(), [expected, host[1]]);
        place.release(link).await;
    }
}

#[tokio::test]
async fn signals_stand_at_their_defaults_in_the_program() {
    let place = Place::new();
    let (seen, _) = run(&place, "cat /proc/self/status").await;
    let mask = |name: &str| {
        let line = seen.text().lines().find(|line| line.starts_with(name)).unwrap();
        u64::from_str_radix(line.split_whitespace().nth(1).unwrap(), 16).unwrap()
    };
    // The 31 classic signals; what lies above is whatever the tests were started with.
    assert_eq!(["SigBlk", "SigIgn", "SigCgt"].map(|name| mask(name) & 0x7fff_ffff), [0; 3]);
}

#[tokio::test]
async fn the_host_holds_nothing_of_its_parent_and_its_folder_is_private() {
    let place = Place::new();
    let started = place.start("read line").await;
    let open = || {
        let fds = std::fs::read_dir(format!("/proc/{}/fd", started.identity.host.pid)).unwrap();
        let targets = fds.filter_map(|fd| std::fs::read_link(fd.unwrap().path()).ok());
        targets.map(|target| target.to_string_lossy().into_owned()).collect::<Vec<String>>()
    };
    // It is on its way: the report comes a moment before the last descriptor is closed.
    until("its standard descriptors lead nowhere, and no other does", || {
        let standard = |fd| std::fs::read_link(format!("/proc/{}/fd/{fd}", started.identity.host.pid)).unwrap();
        let null = std::path::Path::new("/dev/null");
        (0..3).all(|fd| standard(fd) == null) && open().iter().filter(|target| *target == "/dev/null").count() == 3
    })
    .await;
    let targets = open();
    let kinds: Vec<&str> =
        targets.iter().map(|target| target.split(':').next().unwrap().rsplit('/').next().unwrap()).collect();
    // Standard descriptors; the program's three pipes; listener, and two signal pairs; the folder, and three files in it.
    let count = |kind: &str| kinds.iter().filter(|have| **have == kind).count();
    assert_eq!((count("null"), count("pipe")), (3, 3), "{targets:?}");
    let folder = targets.iter().filter(|target| target.starts_with(place.dir().to_str().unwrap())).count();
    assert_eq!(folder + 6 + count("socket"), targets.len(), "{targets:?}");
    let mode = |name: &str| std::fs::metadata(place.dir().join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!([mode(""), mode("sock"), mode("lock"), mode("spool.0")], [0o700, 0o600, 0o600, 0o600]);
    let link = place.attach().await;
    link.sender.close_input().await.unwrap();
    let mut link = link;
    Seen::default().the_end(&mut link.receiver).await;
    place.release(link).await;
}

#[tokio::test]
async fn a_program_that_cannot_be_executed_is_named_with_the_reason() {
    let place = Place::new();
    let mut spec = place.spec("");
    spec.program = place.workspace().join("not-there");
    let error = start(spec).await.unwrap_err();
    let expected =
        format!("execute {}: No such file or directory (os error 2)", place.workspace().join("not-there").display());
    assert_eq!(error.to_string(), expected);
    place.is_clean().await;
    assert_eq!(state(&place.dir(), None).await.unwrap(), HostState::Missing);
}

#[tokio::test]
async fn a_missing_working_folder_and_a_missing_host_are_told_apart() {
    let place = Place::new();
    let mut spec = place.spec("");
    spec.cwd = place.workspace().join("gone");
    assert!(matches!(start(spec).await, Err(StartError::WorkingFolder(..))));
    let mut spec = place.spec("");
    spec.exe = place.workspace().join("no-host");
    assert!(matches!(start(spec).await, Err(StartError::Host(..))));
    let mut spec = place.spec("");
    spec.exe = "/bin/true".into();
    assert!(matches!(start(spec).await, Err(StartError::Vanished)));
    place.is_clean().await;
}

/// One that had made its spool may have started its program: that is not the same as never having run.
#[tokio::test]
async fn a_host_that_dies_while_it_starts_its_program_is_lost_and_leaves_its_folder() {
    let place = Place::new();
    let mut spec = place.spec("");
    spec.exe = place.workspace().join("a-host");
    std::fs::write(&spec.exe, "#!/bin/sh\n: > \"$3/spool.0\"\nkill -9 $$\n").unwrap();
    std::fs::set_permissions(&spec.exe, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(matches!(start(spec).await, Err(StartError::Lost)));
    assert_eq!(state(&place.dir(), None).await.unwrap(), HostState::Lost);
    segue_host::remove(&place.dir()).await.unwrap();
    place.is_clean().await;
}

#[tokio::test]
async fn a_folder_that_is_there_already_is_not_touched() {
    let place = Place::new();
    std::fs::create_dir_all(place.dir()).unwrap();
    assert!(matches!(start(place.spec("")).await, Err(StartError::Folder(..))));
    assert!(place.dir().exists());
    std::fs::remove_dir_all(place.dir()).unwrap();
    place.is_clean().await;
}

#[tokio::test]
async fn a_path_longer_than_a_socket_address_works() {
    let place = Place::new();
    let mut spec = place.spec("echo far");
    spec.dir = place.workspace().join("d".repeat(120)).join("e".repeat(120));
    let dir = spec.dir.clone();
    start(spec).await.unwrap();
    let mut link = segue_host::Link::attach(&dir, Offsets::default()).await.unwrap();
    let mut seen = Seen::default();
    seen.the_end(&mut link.receiver).await;
    assert_eq!(seen.text(), "far\n");
    place.release(link).await;
    assert!(!dir.exists());
}
