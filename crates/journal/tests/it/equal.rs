//! Both journals say the same, whatever is done to them.

use std::{fs, sync::Arc};

use proptest::{prelude::*, sample::select};
use segue_journal::{
    Append, ArtifactRow, Authority, Batch, DocumentChange, EventFilter, HoldChange, HoldKey, HostRow, InstanceId,
    Journal, LeaseRow, Memory, MemoryInstance, NewEvent, OpenOptions, Row, RunFilter, StreamName, TaskFilter, open,
};
use segue_testkit::journal_suite::{all_runs, run_row, settled, task_row};
use tempfile::TempDir;

/// One thing that an instance does. Names and numbers are drawn from few, so that they meet.
#[derive(Debug, Clone)]
enum Deed {
    Append(Draft),
    TakeOver(usize),
    Request(usize),
    PutBlob(usize),
    /// The first instance is thought dead from now on.
    Lose,
}

#[derive(Debug, Clone, Default)]
struct Draft {
    appends: Vec<(usize, u8, u64, Vec<usize>, bool)>,
    rows: Vec<(u8, usize, usize)>,
    holds: Vec<(u8, usize, usize)>,
    answered: Vec<i64>,
    documents: Vec<(u8, usize, u64)>,
}

const STREAMS: [(&str, &str); 5] = [("task", "t0"), ("task", "t1"), ("lease", "l0"), ("run", "r0"), ("run", "r1")];
const KINDS: [&str; 3] = ["text", "tool", "end"];
/// Digests of the blobs that may be put.
const DIGESTS: [&str; 2] = [
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    "cb8379ac2098aa165029e3938a51da0bcecfc008fd6795f401178647f96c5b34",
];
const BLOBS: [&[u8]; 2] = [b"abc", b"def"];
const KEYS: [Option<&str>; 3] = [None, Some("k0"), Some("k1")];

fn stream(number: usize) -> StreamName {
    StreamName::new(STREAMS[number].0, STREAMS[number].1)
}

impl Draft {
    fn batch(&self, instances: &[InstanceId]) -> Batch {
        let appends = self.appends.iter().map(|(name, authority, expected, kinds, release)| Append {
            stream: stream(*name),
            authority: match authority {
                0 => Authority::Create,
                1 => Authority::Unowned,
                token => Authority::Owner(u64::from(*token) - 1),
            },
            expected: *expected,
            events: kinds
                .iter()
                .map(|kind| NewEvent { kind: KINDS[*kind].into(), at: 5, payload: format!("{{\"e\":{expected}}}") })
                .collect(),
            release: *release,
        });
        let rows = self.rows.iter().map(|(what, id, variant)| {
            let server = &instances[variant % instances.len()];
            match what {
                0..=3 => {
                    let mut row = task_row(&format!("t{id}"), server);
                    row.client_key = KEYS[*variant].map(str::to_owned);
                    row.prompt = KEYS[*variant].map(str::to_owned);
                    row.ended = *what == 1;
                    row.status = ["running", "completed", "failed", "failed"][usize::from(*what)].to_owned();
                    Row::Task(Box::new(row))
                }
                4 => Row::ForgetTask(format!("t{id}")),
                5 => Row::Lease(LeaseRow {
                    handle: format!("l{id}"),
                    server: server.clone(),
                    state: "idle".to_owned(),
                    ended: *variant == 2,
                    last_seq: 1,
                    body: "{}".to_owned(),
                }),
                6 => Row::Host(Box::new(HostRow {
                    id: format!("h{id}"),
                    server: server.clone(),
                    stream: (*variant < 2).then(|| stream(*variant)),
                    out: 1,
                    err: 2,
                    body: "{}".to_owned(),
                })),
                7 => Row::RemoveHost(format!("h{id}")),
                8..=10 => {
                    let mut row = run_row(&format!("r{id}"), server);
                    row.admission_key = KEYS[*variant].map(str::to_owned);
                    row.started_at = i64::from(*what) / 9;
                    row.ended = *what == 10;
                    row.status = ["running", "failed", "succeeded"][*variant].to_owned();
                    row.flow_id = KEYS[*variant].map(str::to_owned);
                    row.parent = KEYS[2 - *variant].map(str::to_owned);
                    Row::Run(Box::new(row))
                }
                11 => Row::Artifact(ArtifactRow {
                    id: format!("a{variant}"),
                    workspace: "w".to_owned(),
                    run: format!("r{id}"),
                    node: "n".to_owned(),
                    name: "article.md".to_owned(),
                    media_type: "text/markdown".to_owned(),
                    sha256: DIGESTS[variant % 2].to_owned(),
                    bytes: 3,
                }),
                _ => Row::ForgetRun(format!("r{id}")),
            }
        });
        let holds = self.holds.iter().map(|(what, key, holder)| {
            let key = HoldKey { agent: "claude".to_owned(), session: format!("s{key}") };
            let holder = format!("task t{holder}");
            match what {
                0 => HoldChange::Take { key, holder },
                1 => HoldChange::Move { key, holder },
                _ => HoldChange::Free { key, holder },
            }
        });
        Batch {
            appends: appends.collect(),
            rows: rows.collect(),
            holds: holds.collect(),
            answered: self.answered.clone(),
            documents: self.documents.iter().map(|(what, id, version)| document_change(*what, *id, *version)).collect(),
        }
    }
}

fn document_change(what: u8, id: usize, version: u64) -> DocumentChange {
    let (workspace, kind, id, at) = ("w".to_owned(), "flow".to_owned(), format!("d{id}"), version.cast_signed());
    let body = format!("{{\"v\":{}}}", version % 2);
    match what {
        0 => DocumentChange::Create { workspace, kind, id, at, body },
        1 => DocumentChange::Ensure { workspace, kind, id, at, body },
        2 => DocumentChange::Update { workspace, kind, id, expected: version, at, body },
        _ => DocumentChange::Delete { workspace, kind, id, expected: (version > 1).then_some(version) },
    }
}

fn deeds() -> impl Strategy<Value = Vec<(usize, Deed)>> {
    let append = (0..5_usize, 0..4_u8, 0..4_u64, prop::collection::vec(0..3_usize, 0..3), prop::bool::weighted(0.15));
    let draft = (
        prop::collection::vec(append, 0..3),
        prop::collection::vec((0..13_u8, 0..3_usize, 0..3_usize), 0..3),
        prop::collection::vec((0..3_u8, 0..2_usize, 0..3_usize), 0..3),
        prop::collection::vec(1..4_i64, 0..2),
        prop::collection::vec((0..4_u8, 0..2_usize, 1..4_u64), 0..2),
    );
    let draft = draft.prop_map(|(appends, rows, holds, answered, documents)| {
        Deed::Append(Draft { appends, rows, holds, answered, documents })
    });
    // Of so few names a stream exists early on, and simple appends carry it further.
    let simple = (0..5_usize, 0..3_u8, 0..4_u64).prop_map(|(name, authority, expected)| {
        let appends = vec![(name, authority, expected, vec![0], false)];
        Deed::Append(Draft { appends, ..Draft::default() })
    });
    let deed = prop_oneof![
        6 => draft,
        6 => simple,
        2 => (0..5_usize).prop_map(Deed::TakeOver),
        2 => (0..5_usize).prop_map(Deed::Request),
        2 => (0..2_usize).prop_map(Deed::PutBlob),
        1 => Just(Deed::Lose),
    ];
    prop::collection::vec((select(vec![0_usize, 1]), deed), 1..40)
}

fn carry_out(deed: &Deed, journal: &dyn Journal, instances: &[InstanceId], lose: impl Fn()) -> String {
    match deed {
        Deed::Append(draft) => format!("{:?}", settled(journal.append(draft.batch(instances)))),
        Deed::TakeOver(name) => format!("{:?}", journal.take_over(&stream(*name))),
        Deed::Request(name) => format!("{:?}", journal.request(&stream(*name), "{}".to_owned(), 3)),
        Deed::PutBlob(number) => format!("{:?}", journal.put_blob(BLOBS[*number])),
        Deed::Lose => {
            lose();
            String::new()
        }
    }
}

/// Everything that can be asked.
fn answers(journal: &dyn Journal) -> String {
    let mut told = Vec::new();
    let some = |kinds: &[&str], without: &[&str]| EventFilter {
        kinds: kinds.iter().map(|kind| (*kind).to_owned()).collect(),
        without: without.iter().map(|kind| (*kind).to_owned()).collect(),
        ..EventFilter::default()
    };
    let newest = |before| EventFilter { before, newest_first: true, ..EventFilter::default() };
    for number in 0..STREAMS.len() {
        let name = stream(number);
        told.push(format!("{:?}", journal.owner(&name)));
        let filters = [
            some(&[], &[]),
            some(&["tool", "end"], &[]),
            some(&[], &["text"]),
            newest(None),
            newest(Some(number as u64)),
        ];
        for filter in filters {
            told.push(format!("{:?}", (journal.events(&name, 0, 99, &filter), journal.events(&name, 1, 2, &filter))));
        }
    }
    for after in [None, Some("t0".to_owned()), Some("t2".to_owned())] {
        told.push(format!("{:?}", journal.tasks(&TaskFilter { after, ..TaskFilter::default() }, 2)));
    }
    for number in 0..3 {
        told.push(format!("{:?}", (journal.task(&format!("t{number}")), journal.prompt(&format!("t{number}")))));
        told.push(format!("{:?}", (journal.lease(&format!("l{number}")), journal.waiting(number))));
    }
    let held = |number| journal.holder(&HoldKey { agent: "claude".to_owned(), session: format!("s{number}") });
    told.push(format!("{:?}", (held(0), held(1), journal.task_by_key("k0"), journal.task_by_key("k1"))));
    for number in 0..3 {
        let run = format!("r{number}");
        let documents = journal.document("w", "flow", &format!("d{number}"));
        told.push(format!("{:?}", (journal.run(&run), journal.artifacts_of(&run), documents)));
        told.push(format!("{:?}", (journal.artifact(&format!("a{number}")), journal.run_by_key("w", "k0"))));
    }
    let lists = [
        all_runs(),
        RunFilter { flow_ids: vec!["k1".to_owned(), "k0".to_owned()], roots_only: true, ..all_runs() },
        RunFilter { status: vec!["failed".to_owned(), "running".to_owned()], ended: Some(false), ..all_runs() },
        RunFilter { text: Some("0".to_owned()), before: Some((1, "r1".to_owned())), ..all_runs() },
    ];
    told.push(format!("{:?}", lists.map(|filter| journal.runs(&filter, 2))));
    told.push(format!("{:?}", (journal.active_runs("w"), journal.documents("w", "flow"))));
    told.push(format!("{:?}", DIGESTS.map(|sha256| journal.blob(sha256))));
    told.push(format!("{:?}", (journal.open_leases(), journal.hosts(), journal.inbox())));
    told.push(format!("{:?}", (journal.changed_since(0, 99), journal.changed_since(1, 1))));
    told.join("\n")
}

/// Ids are drawn by one journal and counted by the other.
fn named(text: &str, instances: &[InstanceId]) -> String {
    instances
        .iter()
        .enumerate()
        .fold(text.to_owned(), |text, (number, id)| text.replace(&id.0, &format!("inst {number}")))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_deeds_come_to_the_same_on_both(deeds in deeds()) {
        let memory = Memory::new();
        let in_memory: Vec<Arc<MemoryInstance>> = (0..2).map(|_| memory.open_instance()).collect();
        let folder = TempDir::new().unwrap();
        let in_files: Vec<Arc<dyn Journal>> =
            (0..2).map(|_| open(&OpenOptions::new(folder.path())).unwrap()).collect();
        let memory_ids: Vec<_> = in_memory.iter().map(|journal| journal.instance().clone()).collect();
        let file_ids: Vec<_> = in_files.iter().map(|journal| journal.instance().clone()).collect();
        for (who, deed) in &deeds {
            let lock = folder.path().join("instances").join(format!("{}.lock", file_ids[0]));
            let remembered = carry_out(deed, &*in_memory[*who], &memory_ids, || in_memory[0].lose_lock());
            let stored = carry_out(deed, &*in_files[*who], &file_ids, || drop(fs::remove_file(&lock)));
            prop_assert_eq!(named(&remembered, &memory_ids), named(&stored, &file_ids), "{:?}", deed);
            for (remembering, storing) in in_memory.iter().zip(&in_files) {
                let (remembered, stored) = (answers(&**remembering), answers(&**storing));
                prop_assert_eq!(named(&remembered, &memory_ids), named(&stored, &file_ids), "{:?}", deed);
            }
        }
    }
}
