use std::io::Write;
use std::os::unix::fs::FileExt;

use rustix::process::{Pid, Signal, kill_process};
use segue_host::{AskedBy, AttachError, HostEvent, HostState, How, Link, Offsets, SpoolReader, Started, state, sweep};

use crate::harness::{Place, Seen, is_alive, until};

async fn kill_host(started: &Started) {
    let pid = started.identity.host.pid;
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    until("the host is dead", || !is_alive(pid)).await;
}

#[tokio::test]
async fn a_killed_host_is_lost_and_what_it_left_is_found_and_ended() {
    let place = Place::new();
    // A plain child, one that ignores SIGTERM in a session of its own, one without the mark below it.
    let script = "sleep 1000 & setsid sh -c 'trap \"\" TERM; env -i sleep 1001 & while :; do sleep 0.1; done' & sleep 0.2; echo ready; cat; sleep 1002";
    let started = place.start(script).await;
    let mut link = place.attach().await;
    Seen::default().until(&mut link.receiver, "its word", |seen| !seen.out.is_empty()).await;
    assert_eq!(state(&place.dir(), Some(&started.identity)).await.unwrap(), HostState::Alive);
    kill_host(&started).await;
    assert_eq!(link.receiver.recv().await, None);
    assert_eq!(state(&place.dir(), Some(&started.identity)).await.unwrap(), HostState::Lost);
    assert!(matches!(Link::attach(&place.dir(), Offsets::default()).await, Err(AttachError::Unreachable(_))));
    assert_eq!(segue_host::identity(&place.dir()).await.unwrap(), Some(started.identity.clone()));

    let receipt = sweep(&started.host_id, Some(&started.identity)).await;
    assert_eq!((receipt.asked_by, receipt.tree_empty, &receipt.unconfirmed), (AskedBy::Sweep, true, &None));
    let how = |name: &str| {
        receipt.processes.iter().filter(|process| process.name == name).map(|process| process.how).collect::<Vec<_>>()
    };
    assert!(how("sh").contains(&How::Sigkill), "{receipt:?}");
    assert!(how("sleep").len() >= 3, "{receipt:?}");
    segue_host::remove(&place.dir()).await.unwrap();
    place.is_clean().await;
}

#[tokio::test]
async fn a_sweep_without_an_identity_goes_by_the_mark_and_touches_nothing_else() {
    let place = Place::new();
    let bystander = Place::new();
    let other = bystander.start("cat").await;
    let started = place.start("sleep 1000; echo never").await;
    kill_host(&started).await;
    let receipt = sweep(&started.host_id, None).await;
    assert!(receipt.tree_empty && !receipt.processes.is_empty(), "{receipt:?}");
    assert!(is_alive(other.identity.program.pid) && is_alive(other.identity.host.pid));
    segue_host::remove(&place.dir()).await.unwrap();
    place.is_clean().await;
    let mut link = bystander.attach().await;
    link.sender.stop(None).await.unwrap();
    Seen::default().the_end(&mut link.receiver).await;
    bystander.release(link).await;
}

#[tokio::test]
async fn a_reused_number_or_another_boot_is_never_signalled() {
    let place = Place::new();
    let mut bystander = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
    let started = place.start("cat").await;
    let mut link = place.attach().await;
    let mut reused = started.identity.clone();
    reused.program.pid = i32::try_from(bystander.id()).unwrap();
    reused.program.start_ticks += 1_000_000;
    link.sender.stop(None).await.unwrap();
    Seen::default().the_end(&mut link.receiver).await;
    place.release(link).await;
    let receipt = sweep(&started.host_id, Some(&reused)).await;
    assert_eq!((receipt.tree_empty, receipt.processes), (true, vec![]));
    let mut elsewhere = reused.clone();
    elsewhere.boot_id = "another".to_owned();
    let receipt = sweep(&started.host_id, Some(&elsewhere)).await;
    assert_eq!((receipt.tree_empty, receipt.unconfirmed.is_some()), (false, true));
    assert_eq!(bystander.try_wait().unwrap(), None);
    bystander.kill().unwrap();
    bystander.wait().unwrap();
}

#[tokio::test]
async fn a_torn_tail_is_cut_and_what_is_whole_is_read() {
    let place = Place::new();
    let started = place.start("echo one; cat").await;
    let mut link = place.attach().await;
    link.sender.send_line(41, bytes::Bytes::from_static(b"two\n")).await.unwrap();
    Seen::default().until(&mut link.receiver, "both lines", |seen| seen.text() == "one\ntwo\n").await;
    kill_host(&started).await;
    sweep(&started.host_id, Some(&started.identity)).await;
    let spool = place.dir().join("spool.0");
    let read = || {
        let mut seen = Seen::default();
        SpoolReader::open(&place.dir(), Offsets::default()).unwrap().for_each(|event| seen.take(event.unwrap()));
        seen.text().to_owned()
    };
    assert_eq!(read(), "one\ntwo\n");
    let whole = std::fs::read(&spool).unwrap();
    // Half a record more, as a crash leaves it.
    std::fs::OpenOptions::new().append(true).open(&spool).unwrap().write_all(&whole[whole.len() - 12..]).unwrap();
    assert_eq!(read(), "one\ntwo\n");
    for cut in 1..21 {
        std::fs::write(&spool, &whole[..whole.len() - cut]).unwrap();
        assert_eq!(read(), "one\n", "{cut} bytes short");
    }
    std::fs::write(&spool, &whole).unwrap();
    std::fs::OpenOptions::new().write(true).open(&spool).unwrap().write_all_at(b"X", whole.len() as u64 - 2).unwrap();
    assert_eq!(read(), "one\n");
    assert_eq!(state(&place.dir(), Some(&started.identity)).await.unwrap(), HostState::Lost);
    assert_eq!(segue_host::last_input(&place.dir()).await.unwrap(), 41);
    let mut elsewhere = started.identity.clone();
    elsewhere.boot_id = "another".to_owned();
    assert_eq!(state(&place.dir(), Some(&elsewhere)).await.unwrap(), HostState::OtherBoot);
    segue_host::remove(&place.dir()).await.unwrap();
    assert_eq!(state(&place.dir(), Some(&started.identity)).await.unwrap(), HostState::Missing);
    place.is_clean().await;
}

#[tokio::test]
async fn a_stopped_host_is_silent_and_not_dead() {
    let place = Place::new();
    let started = place.start("echo one; cat").await;
    let host = Pid::from_raw(started.identity.host.pid).unwrap();
    kill_process(host, Signal::STOP).unwrap();
    assert!(matches!(Link::attach(&place.dir(), Offsets::default()).await, Err(AttachError::Silent)));
    assert_eq!(state(&place.dir(), Some(&started.identity)).await.unwrap(), HostState::Alive);
    kill_process(host, Signal::CONT).unwrap();
    let mut link = place.attach().await;
    assert_eq!(link.receiver.recv().await, Some(HostEvent::Out { offset: 0, bytes: b"one\n".as_slice().into() }));
    link.sender.close_input().await.unwrap();
    while !matches!(link.receiver.recv().await.unwrap(), HostEvent::End(_)) {}
    place.release(link).await;
}

#[tokio::test]
async fn the_server_reaps_the_hosts_it_started() {
    let place = Place::new();
    let started = place.start("echo done").await;
    let mut link = place.attach().await;
    Seen::default().the_end(&mut link.receiver).await;
    place.release(link).await;
    let stat = format!("/proc/{}/stat", started.identity.host.pid);
    until("no zombie is left", || !std::fs::exists(&stat).unwrap()).await;
}
