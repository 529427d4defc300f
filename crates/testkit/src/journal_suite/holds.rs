//! Exclusive holds.

use std::thread;

use segue_journal::{AppendError, Batch, HoldChange, HoldKey};

use super::{Home, settled, written};

fn key(session: &str) -> HoldKey {
    HoldKey { agent: "claude".to_owned(), session: session.to_owned() }
}

fn take(session: &str, holder: &str) -> HoldChange {
    HoldChange::Take { key: key(session), holder: holder.to_owned() }
}

fn hand(session: &str, holder: &str) -> HoldChange {
    HoldChange::Move { key: key(session), holder: holder.to_owned() }
}

fn free(session: &str, holder: &str) -> HoldChange {
    HoldChange::Free { key: key(session), holder: holder.to_owned() }
}

fn holds(holds: Vec<HoldChange>) -> Batch {
    Batch { holds, ..Batch::default() }
}

pub fn a_session_is_held_by_one(home: &dyn Home) {
    let (one, other) = (home.open(), home.open());
    written(&*one, holds(vec![take("s", "task a")]));
    let refused = settled(other.append(holds(vec![take("other", "task b"), take("s", "task b")])));
    assert_eq!(refused, Err(AppendError::Held { key: key("s"), holder: "task a".to_owned() }));
    // Nothing of the refused batch is left, and who has it may take it again.
    assert_eq!(other.holder(&key("other")), Ok(None));
    written(&*one, holds(vec![take("s", "task a")]));
    assert_eq!(other.holder(&key("s")), Ok(Some("task a".to_owned())));
}

pub fn a_hold_moves_and_is_freed_by_its_holder_only(home: &dyn Home) {
    let journal = home.open();
    let holder = || journal.holder(&key("s"));
    written(&*journal, holds(vec![hand("s", "task a")]));
    assert_eq!(holder(), Ok(Some("task a".to_owned())));
    written(&*journal, holds(vec![hand("s", "kept agent x")]));
    written(&*journal, holds(vec![free("s", "task a")]));
    assert_eq!(holder(), Ok(Some("kept agent x".to_owned())));
    written(&*journal, holds(vec![free("s", "kept agent x"), take("s", "task b")]));
    assert_eq!(holder(), Ok(Some("task b".to_owned())));
    let refused = settled(journal.append(holds(vec![free("s", "task b"), take("s", "task c"), take("s", "task d")])));
    assert_eq!(refused, Err(AppendError::Held { key: key("s"), holder: "task c".to_owned() }));
    assert_eq!(holder(), Ok(Some("task b".to_owned())));
    written(&*journal, holds(vec![free("s", "task b"), free("s", "task b")]));
    assert_eq!(holder(), Ok(None));
}

pub fn of_many_who_take_one_wins(home: &dyn Home) {
    let instances = [home.open(), home.open(), home.open()];
    let results: Vec<_> = thread::scope(|scope| {
        let takers: Vec<_> = (0..12)
            .map(|number| {
                let journal = &instances[number % instances.len()];
                scope.spawn(move || settled(journal.append(holds(vec![take("s", &format!("task {number}"))]))))
            })
            .collect();
        takers.into_iter().map(|taker| taker.join().expect("no panic")).collect()
    });
    let winners: Vec<_> = (0..results.len()).filter(|number| results[*number].is_ok()).collect();
    let [winner] = winners[..] else { panic!("winners: {winners:?}") };
    let holder = format!("task {winner}");
    let refused = Err(AppendError::Held { key: key("s"), holder: holder.clone() });
    assert!(results.iter().enumerate().all(|(number, result)| number == winner || *result == refused));
    assert_eq!(instances[0].holder(&key("s")), Ok(Some(holder)));
}
