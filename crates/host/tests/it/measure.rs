//! Figures, printed and never asserted: `cargo nextest run -p segue-host --release --run-ignored only --no-capture`.

use std::time::{Duration, Instant};

use segue_host::{Link, Offsets};

use crate::harness::{Place, Seen, run};

#[tokio::test]
#[ignore = "prints figures"]
async fn memory_of_an_idle_host() {
    let place = Place::new();
    let started = place.start("echo ready; cat").await;
    let mut link = place.attach().await;
    Seen::default().until(&mut link.receiver, "its word", |seen| !seen.out.is_empty()).await;
    let rollup = || std::fs::read_to_string(format!("/proc/{}/smaps_rollup", started.identity.host.pid)).unwrap();
    let pss = |text: &str| text.lines().find(|line| line.starts_with("Pss:")).unwrap().to_owned();
    eprintln!("idle host: {}", pss(&rollup()));
    let big = bytes::Bytes::from(vec![b'x'; 64 << 20]);
    link.sender.send_line(1, big).await.unwrap();
    let mut seen = Seen::default();
    while seen.out.len() < 64 << 20 {
        let Some(event) = link.receiver.recv().await else { break };
        if let segue_host::HostEvent::Out { bytes, .. } = event {
            seen.out.extend_from_slice(&bytes);
        }
    }
    eprintln!("after 64 MiB in and out: {}", pss(&rollup()));
    link.sender.close_input().await.unwrap();
    while !matches!(link.receiver.recv().await.unwrap(), segue_host::HostEvent::End(_)) {}
    place.release(link).await;
}

#[tokio::test]
#[ignore = "prints figures"]
async fn throughput_and_latency() {
    let place = Place::new();
    let began = Instant::now();
    let (seen, _) = run(&place, "seq 1 100000 | sed 's/.*/{\"jsonrpc\":\"2.0\",\"method\":\"session\\/update\",\"params\":{\"text\":\"& xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}}/'").await;
    eprintln!("100,000 lines, {} bytes, buffered by the program: {:?}", seen.out.len(), began.elapsed());

    let place = Place::new();
    let script = "import os\nfor i in range(100000): os.write(1, b'{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"text\":\"xxxxxxxxxxxxxxxxxxxxxx\"}}\\n')";
    let mut spec = place.spec("");
    spec.program = "/usr/bin/env".into();
    spec.args = vec!["python3".into(), "-c".into(), script.into()];
    let began = Instant::now();
    segue_host::start(spec).await.unwrap();
    let mut link = place.attach().await;
    let mut seen = Seen::default();
    seen.the_end(&mut link.receiver).await;
    eprintln!("100,000 lines, {} bytes, one write each: {:?}", seen.out.len(), began.elapsed());
    place.release(link).await;

    let mut starts = Vec::new();
    let mut whole = Vec::new();
    for _ in 0..50 {
        let place = Place::new();
        let began = Instant::now();
        place.start("exit 0").await;
        starts.push(began.elapsed());
        let mut link = Link::attach(&place.dir(), Offsets::default()).await.unwrap();
        Seen::default().the_end(&mut link.receiver).await;
        link.sender.release().await.unwrap();
        while link.receiver.recv().await.is_some() {}
        whole.push(began.elapsed());
        place.is_clean().await;
    }
    let median = |times: &mut Vec<Duration>| {
        times.sort();
        times[times.len() / 2]
    };
    eprintln!("start: p50 {:?}; started, ended, released: p50 {:?}", median(&mut starts), median(&mut whole));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "prints figures"]
async fn fifty_at_once() {
    let places: Vec<Place> = (0..50).map(|_| Place::new()).collect();
    let began = Instant::now();
    let mut jobs = tokio::task::JoinSet::new();
    for place in places {
        jobs.spawn(async move {
            let (seen, _) = run(&place, "echo done").await;
            assert_eq!(seen.text(), "done\n");
        });
    }
    jobs.join_all().await;
    eprintln!("50 programs at once, from start to an empty folder: {:?}", began.elapsed());
}
