use bytes::Bytes;
use segue_host::{AskedBy, Exit, Link, Offsets};

use crate::harness::{Place, Seen};

#[tokio::test]
async fn input_comes_back_from_cat_and_its_end_ends_it() {
    let place = Place::new();
    place.start("cat").await;
    let mut link = place.attach().await;
    link.sender.send_line(1, Bytes::from_static(b"{\"a\":1}\n")).await.unwrap();
    link.sender.send_line(2, Bytes::from_static(b"no line end")).await.unwrap();
    link.sender.close_input().await.unwrap();
    let mut seen = Seen::default();
    let end = seen.the_end(&mut link.receiver).await;
    assert_eq!((seen.text(), end.exit, end.last_input), ("{\"a\":1}\nno line end", Exit::Code(0), 2));
    assert_eq!(end.stop_receipt.asked_by, AskedBy::SelfExit);
    place.release(link).await;
}

#[tokio::test]
async fn a_repeated_number_is_written_once() {
    let place = Place::new();
    place.start("cat").await;
    let mut seen = Seen::default();
    for round in 1..=3_u64 {
        let mut link = Link::attach(&place.dir(), seen.offsets()).await.unwrap();
        assert_eq!(link.hello.last_input, (round - 1) * 10);
        // After an attach everything unanswered is sent again.
        for n in 1..=round * 10 {
            link.sender.send_line(n, format!("{n}\n").into()).await.unwrap();
        }
        seen.until(&mut link.receiver, "the newest", |seen| seen.text().ends_with(&format!("\n{}\n", round * 10)))
            .await;
    }
    let mut link = Link::attach(&place.dir(), seen.offsets()).await.unwrap();
    link.sender.close_input().await.unwrap();
    seen.the_end(&mut link.receiver).await;
    assert_eq!(seen.text(), (1..=30).map(|n| format!("{n}\n")).collect::<String>());
    place.release(link).await;
}

#[tokio::test]
async fn an_input_of_64_mib_passes_through_a_program_that_answers_as_it_reads() {
    let place = Place::new();
    place.start("cat").await;
    let mut link = place.attach().await;
    let big: Vec<u8> = (0..64_u32 << 20).map(|i| (i % 251) as u8).collect();
    link.sender.send_line(1, big.clone().into()).await.unwrap();
    link.sender.close_input().await.unwrap();
    let mut seen = Seen::default();
    seen.the_end(&mut link.receiver).await;
    assert!(seen.out == big, "{} bytes came back", seen.out.len());
    place.release(link).await;
}

#[tokio::test]
async fn a_program_that_never_reads_can_be_stopped_with_input_waiting() {
    let place = Place::new();
    place.start("echo ready; exec sleep 1000").await;
    let mut link = place.attach().await;
    let mut seen = Seen::default();
    seen.until(&mut link.receiver, "its word", |seen| !seen.out.is_empty()).await;
    let big = Bytes::from(vec![b'x'; 64 << 20]);
    // More than the host takes in: the rest stays in the socket, and a stop goes around it.
    for n in 1..=6 {
        link.sender.send_line(n, big.clone()).await.unwrap();
    }
    link.sender.stop(None).await.unwrap();
    let end = seen.the_end(&mut link.receiver).await;
    assert_eq!((end.exit, end.last_input, end.stop_receipt.tree_empty), (Exit::Signal(15), 1, true));
    place.release(link).await;
}

#[tokio::test]
async fn a_program_that_exits_without_reading_is_judged_by_its_exit() {
    let place = Place::new();
    place.start("echo answer; exit 3").await;
    let mut link = place.attach().await;
    link.sender.send_line(1, vec![b'x'; 64 << 20].into()).await.unwrap();
    let mut seen = Seen::default();
    let end = seen.the_end(&mut link.receiver).await;
    assert_eq!((seen.text(), end.exit), ("answer\n", Exit::Code(3)));
    place.release(link).await;
}

#[tokio::test]
async fn one_that_closes_its_input_and_goes_on_is_heard_to_its_end() {
    let place = Place::new();
    place.start("exec <&-; echo closed; while [ ! -e go ]; do sleep 0.01; done; echo still here").await;
    let mut link = Link::attach(&place.dir(), Offsets::default()).await.unwrap();
    let mut seen = Seen::default();
    seen.until(&mut link.receiver, "the close", |seen| !seen.out.is_empty()).await;
    link.sender.send_line(1, Bytes::from_static(b"nobody reads this\n")).await.unwrap();
    std::fs::write(place.workspace().join("go"), "").unwrap();
    seen.the_end(&mut link.receiver).await;
    assert_eq!(seen.text(), "closed\nstill here\n");
    place.release(link).await;
}
