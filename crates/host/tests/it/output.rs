use segue_host::{AttachError, Exit, HostEvent, Link, Offsets, SpoolReader, start};

use crate::harness::{LONG, Place, Seen, is_alive, run, until};

#[tokio::test]
async fn lines_and_the_exit_status_arrive() {
    let place = Place::new();
    let (seen, end) = run(&place, "echo one; echo two >&2; echo three; exit 7").await;
    assert_eq!(
        (seen.text(), seen.err.as_slice(), &seen.exit),
        ("one\nthree\n", b"two\n".as_slice(), &Some(Exit::Code(7)))
    );
    assert_eq!((end.exit, end.streams, end.stop_receipt.stderr_bytes), (Exit::Code(7), Offsets { out: 10, err: 4 }, 4));
}

#[tokio::test]
async fn a_program_that_is_over_before_anyone_attaches_is_heard_in_full() {
    let place = Place::new();
    let started = place.start("echo quick").await;
    until("it is over", || !is_alive(started.identity.program.pid)).await;
    let mut link = place.attach().await;
    let mut seen = Seen::default();
    seen.the_end(&mut link.receiver).await;
    assert_eq!(seen.text(), "quick\n");
    place.release(link).await;
}

#[tokio::test]
async fn a_line_of_64_mib_arrives_whole_and_so_does_the_next() {
    let place = Place::new();
    let (seen, _) = run(&place, "head -c 67108864 /dev/zero | tr '\\0' x; echo; echo next").await;
    assert_eq!(seen.out.len(), (64 << 20) + 6);
    assert!(seen.out[..64 << 20].iter().all(|byte| *byte == b'x'));
    assert_eq!(&seen.out[64 << 20..], b"\nnext\n");
}

#[tokio::test]
async fn stderr_without_a_line_end_blocks_nothing() {
    let place = Place::new();
    let (seen, end) = run(&place, "head -c 20000000 /dev/zero >&2; echo reply; head -c 20000000 /dev/zero >&2").await;
    assert_eq!((seen.text(), seen.err.len(), end.stop_receipt.stderr_bytes), ("reply\n", 40_000_000, 40_000_000));
}

#[tokio::test]
async fn counted_stderr_is_not_kept() {
    let place = Place::new();
    let mut spec = place.spec("echo secret >&2; echo out; echo secret >&2");
    spec.config.count_only_stderr = true;
    start(spec).await.unwrap();
    let mut link = place.attach().await;
    let mut seen = Seen::default();
    let end = seen.the_end(&mut link.receiver).await;
    assert_eq!((seen.text(), seen.err.len(), end.stop_receipt.stderr_bytes), ("out\n", 0, 14));
    let spool = std::fs::read(place.dir().join("spool.0")).unwrap();
    assert!(!String::from_utf8_lossy(&spool).contains("secret"));
    place.release(link).await;
}

#[tokio::test]
async fn a_client_that_comes_and_goes_gets_every_byte_once() {
    let place = Place::new();
    let mut spec = place.spec("i=0; while [ $i -lt 30000 ]; do echo line $i; echo note $i >&2; i=$((i+1)); done");
    // Many segments, so that attaching starts in the middle of some.
    spec.config.segment_bytes = 64 << 10;
    start(spec).await.unwrap();
    let mut seen = Seen::default();
    let mut attached = 0;
    while seen.end.is_none() {
        // A host that is over does not wait for one who has been here and left.
        let mut link = match Link::attach(&place.dir(), seen.offsets()).await {
            Ok(link) => link,
            Err(AttachError::Unreachable(_)) => {
                until("the host is gone", || place.marked().is_empty()).await;
                SpoolReader::open(&place.dir(), seen.offsets()).unwrap().for_each(|event| seen.take(event.unwrap()));
                segue_host::remove(&place.dir()).await.unwrap();
                break;
            }
            Err(error) => panic!("{error}"),
        };
        attached += 1;
        // Each time a little more is taken before the connection is dropped, in the middle of whatever is under way.
        for _ in 0..attached {
            let Ok(event) = tokio::time::timeout(LONG, link.receiver.recv()).await else { panic!("nothing comes") };
            let Some(event) = event else { break };
            seen.take(event);
            if seen.end.is_some() {
                link.sender.release().await.unwrap();
                assert_eq!(link.receiver.recv().await, None);
                break;
            }
        }
        if attached % 3 == 0 {
            link.sender.ack(seen.offsets());
        }
    }
    place.is_clean().await;
    assert!(seen.end.is_some());
    let expected: String = (0..30_000).map(|i| format!("line {i}\n")).collect();
    assert!(seen.text() == expected, "stdout differs");
    let expected: String = (0..30_000).map(|i| format!("note {i}\n")).collect();
    assert!(seen.err == expected.as_bytes(), "stderr differs");
    assert!(attached > 10, "attached {attached} times");
}

#[tokio::test]
async fn an_attach_inside_a_chunk_gets_the_rest_of_it() {
    let place = Place::new();
    place.start("printf 0123456789; printf abc >&2; read x").await;
    let mut first = place.attach().await;
    Seen::default()
        .until(&mut first.receiver, "both streams", |seen| seen.offsets() == Offsets { out: 10, err: 3 })
        .await;
    let mut link = Link::attach(&place.dir(), Offsets { out: 4, err: 3 }).await.unwrap();
    assert_eq!(link.receiver.recv().await, Some(HostEvent::Out { offset: 4, bytes: b"456789".as_slice().into() }));
    // The newer attach closed the older one.
    assert_eq!(first.receiver.recv().await, None);
    let ahead = Link::attach(&place.dir(), Offsets { out: 11, err: 0 }).await;
    assert!(matches!(ahead, Err(AttachError::Refused(_))), "{ahead:?}");
    // A refused one changes nothing.
    link.sender.close_input().await.unwrap();
    while !matches!(link.receiver.recv().await.unwrap(), HostEvent::End(_)) {}
    place.release(link).await;
}

#[tokio::test]
async fn acknowledged_segments_are_given_back_and_asking_for_them_tells_the_gap() {
    let place = Place::new();
    let mut spec = place.spec("head -c 1000000 /dev/zero; read x");
    spec.config.segment_bytes = 128 << 10;
    start(spec).await.unwrap();
    let mut link = place.attach().await;
    let mut seen = Seen::default();
    seen.until(&mut link.receiver, "a million bytes", |seen| seen.out.len() == 1_000_000).await;
    let segments = || {
        std::fs::read_dir(place.dir())
            .unwrap()
            .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("spool."))
            .count()
    };
    assert!(segments() > 5);
    link.sender.ack(seen.offsets());
    until("one segment is left", || segments() == 1).await;
    let mut late = place.attach().await;
    let Some(HostEvent::Gap { from: 0, to, .. }) = late.receiver.recv().await else { panic!("no gap") };
    assert_eq!(late.hello.kept, Offsets { out: to, err: 0 });
    let Some(HostEvent::Out { offset, .. }) = late.receiver.recv().await else { panic!("no output") };
    assert_eq!(offset, to);
    late.sender.close_input().await.unwrap();
    while !matches!(late.receiver.recv().await.unwrap(), HostEvent::End(_)) {}
    place.release(late).await;
}

#[tokio::test]
async fn at_the_limit_the_program_is_held_and_nothing_is_dropped() {
    let place = Place::new();
    let mut spec = place.spec("head -c 3000000 /dev/zero | tr '\\0' y; echo done");
    spec.config.segment_bytes = 64 << 10;
    spec.config.spool_limit_bytes = 512 << 10;
    start(spec).await.unwrap();
    let mut link = place.attach().await;
    let mut seen = Seen::default();
    seen.until(&mut link.receiver, "the limit", |seen| seen.out.len() >= 512 << 10).await;
    // No more comes until some of it is acknowledged.
    let more = tokio::time::timeout(
        std::time::Duration::from_millis(300),
        seen.until(&mut link.receiver, "the rest", |seen| seen.out.len() > 640 << 10),
    );
    assert!(more.await.is_err());
    let receiving = async {
        while seen.end.is_none() {
            link.sender.ack(seen.offsets());
            for event in link.receiver.recv_batch(8).await.unwrap() {
                seen.take(event);
            }
        }
    };
    tokio::time::timeout(LONG, receiving).await.unwrap();
    assert_eq!(seen.out.len(), 3_000_005);
    assert!(seen.out.ends_with(b"ydone\n"));
    place.release(link).await;
}

/// A megabyte of disk, for hosts to fill.
struct SmallDisk {
    path: std::path::PathBuf,
}

impl SmallDisk {
    /// `None`, and a word about it, where mounting is not allowed.
    fn mount(place: &Place) -> Option<Self> {
        let path = place.workspace().join("small");
        std::fs::create_dir(&path).unwrap();
        let mut mount = std::process::Command::new("mount");
        let mounted = mount.args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]).arg(&path).output().unwrap();
        if !mounted.status.success() {
            #[expect(clippy::print_stderr, reason = "a test that did nothing must be seen to have done nothing")]
            {
                eprintln!("SKIPPED: cannot mount: {}", String::from_utf8_lossy(&mounted.stderr));
            }
            return None;
        }
        Some(Self { path })
    }

    fn fill_but(&self, bytes: usize) {
        std::fs::write(self.path.join("filler"), vec![0; (1 << 20) - bytes]).unwrap();
    }

    fn fill(&self) {
        use std::io::Write;
        let mut filler = std::fs::File::create(self.path.join("filler")).unwrap();
        while filler.write_all(&[0; 4096]).is_ok() {}
    }

    fn empty(&self) {
        std::fs::remove_file(self.path.join("filler")).unwrap();
    }

    fn unmount(&self) {
        assert!(std::process::Command::new("umount").arg(&self.path).status().unwrap().success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = std::process::Command::new("umount").arg("-l").arg(&self.path).status();
        }
    }
}

/// Needs the right to mount; says so where it is missing.
#[tokio::test]
async fn a_full_disk_holds_the_program_and_space_lets_it_go_on() {
    let place = Place::new();
    let Some(mount) = SmallDisk::mount(&place) else { return };
    mount.fill_but(400 << 10);
    let mut spec = place.spec("head -c 700000 /dev/zero | tr '\\0' z; echo done");
    spec.dir = mount.path.join("host");
    let dir = spec.dir.clone();
    start(spec).await.unwrap();
    let mut link = Link::attach(&dir, Offsets::default()).await.unwrap();
    let mut seen = Seen::default();
    // What fits is passed on; it stops before all of it.
    seen.until(&mut link.receiver, "what fits", |seen| seen.out.len() > 200 << 10).await;
    let more = tokio::time::timeout(
        std::time::Duration::from_millis(500),
        seen.until(&mut link.receiver, "more", |seen| seen.out.len() > 500 << 10),
    );
    assert!(more.await.is_err());
    mount.empty();
    let end = seen.the_end(&mut link.receiver).await;
    assert_eq!((seen.out.len(), end.exit), (700_005, Exit::Code(0)));
    link.sender.release().await.unwrap();
    assert_eq!(link.receiver.recv().await, None);
    place.is_clean().await;
    mount.unmount();
}

/// Needs the right to mount, as above.
#[tokio::test]
async fn what_a_program_said_last_outlasts_a_full_disk() {
    let place = Place::new();
    let Some(mount) = SmallDisk::mount(&place) else { return };
    let mut spec = place.spec("echo ready; read go; head -c 40000 /dev/zero; echo last words >&2");
    spec.dir = mount.path.join("host");
    let dir = spec.dir.clone();
    let started = start(spec).await.unwrap();
    let mut link = Link::attach(&dir, Offsets::default()).await.unwrap();
    let mut seen = Seen::default();
    seen.until(&mut link.receiver, "its word", |seen| !seen.out.is_empty()).await;
    mount.fill();
    link.sender.send_line(1, bytes::Bytes::from_static(b"go\n")).await.unwrap();
    until("the program is over", || !is_alive(started.identity.program.pid)).await;
    // Longer than an end waits for output that somebody else holds up.
    let wait = std::time::Duration::from_millis(2_500);
    let early = tokio::time::timeout(wait, seen.until(&mut link.receiver, "the end", |seen| seen.end.is_some()));
    assert!(early.await.is_err());
    mount.empty();
    let end = seen.the_end(&mut link.receiver).await;
    assert_eq!((seen.out.len(), seen.err.as_slice(), end.exit), (40_006, b"last words\n".as_slice(), Exit::Code(0)));
    link.sender.release().await.unwrap();
    assert_eq!(link.receiver.recv().await, None);
    place.is_clean().await;
    mount.unmount();
}

#[tokio::test]
async fn what_a_host_left_reads_the_same_as_what_it_said() {
    let place = Place::new();
    let mut spec = place.spec("i=0; while [ $i -lt 5000 ]; do echo line $i; echo note $i >&2; i=$((i+1)); done");
    spec.config.segment_bytes = 32 << 10;
    start(spec).await.unwrap();
    let mut link = place.attach().await;
    let mut live = Seen::default();
    live.the_end(&mut link.receiver).await;
    drop(link);
    until("the host is gone", || place.marked().is_empty()).await;
    for from in [Offsets::default(), Offsets { out: 1, err: 20_001 }, Offsets { out: 30_007, err: 5 }, live.offsets()] {
        let mut read = Seen {
            out: live.out[..from.out as usize].to_vec(),
            err: live.err[..from.err as usize].to_vec(),
            ..Seen::default()
        };
        for event in SpoolReader::open(&place.dir(), from).unwrap() {
            read.take(event.unwrap());
        }
        // Not `assert_eq`: nobody reads a hundred thousand numbers.
        assert!(read.out == live.out && read.err == live.err, "{from:?}");
        assert_eq!((&read.exit, &read.end), (&live.exit, &live.end), "{from:?}");
    }
    segue_host::remove(&place.dir()).await.unwrap();
    place.is_clean().await;
}
