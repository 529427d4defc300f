//! Random kills at random moments of random turns. Only what must always hold is checked: every task ends once, its
//! record has no gap, no process is left, and every session is free. The seed is printed; `SEGUE_SEED` replays it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::scene::{Scene, Server, kill, wait_for};

/// What a turn may do. All of them end once the file `go` is there.
const SCRIPTS: [&str; 10] = [
    "[[say:a]][[say:b]]",
    "[[stream:30:5]][[wait_file:go]]",
    "[[chunks:500]][[wait_file:go]][[chunks:500]]",
    "[[ask:edit:one]][[wait_file:go]][[ask:execute:two]][[say:c]]",
    "[[tools:40]][[wait_file:go]][[say:d]]",
    "[[spawn_child]][[wait_file:go]][[say:e]]",
    "[[spawn_setsid]][[think:hm]][[wait_file:go]]",
    "[[wait_file:go]][[error:-32603:broken]]",
    "[[stderr:noise]][[wait_file:go]][[exit:3]]",
    "[[say:f]][[wait_file:go]][[late:20:g]]",
];

/// SplitMix64: small, and the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.roll() % n
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> Option<T> {
        let len = u64::try_from(of.len()).ok().filter(|len| *len > 0)?;
        of.get(usize::try_from(self.below(len)).ok()?).copied()
    }
}

fn seed() -> u64 {
    match std::env::var("SEGUE_SEED") {
        Ok(seed) => seed.parse().expect("SEGUE_SEED is a number"),
        Err(_) => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
            u64::try_from(now.as_micros()).unwrap_or_default() ^ u64::from(std::process::id())
        }
    }
}

fn rounds(count: u64) {
    let seed = seed();
    // One round alone is replayed with the seed that it prints.
    let count = if std::env::var_os("SEGUE_SEED").is_some() { 1 } else { count };
    for round in 0..count {
        let seed = seed.wrapping_add(round);
        println!("SEGUE_SEED={seed}");
        one_round(&mut Dice(seed));
    }
}

fn one_round(dice: &mut Dice) {
    let scene = Scene::new();
    let mut server = scene.server();
    let mut ids = Vec::new();
    for _ in 0..1 + dice.below(3) {
        spawn(&server, dice, &mut ids);
    }
    for _ in 0..1 + dice.below(4) {
        // A random moment is the point: nothing is waited for.
        std::thread::sleep(Duration::from_millis(dice.below(150)));
        match dice.below(6) {
            0..=2 => {
                server.killed();
                server = scene.server();
            }
            3 => {
                dice.pick(&scene.hosts()).into_iter().for_each(kill);
            }
            4 => {
                dice.pick(&scene.agents()).into_iter().for_each(kill);
            }
            _ => spawn(&server, dice, &mut ids),
        }
    }
    scene.mark("go");
    for id in &ids {
        server.ended(id);
    }
    release_kept(&scene, &server, &ids);
    wait_for("every process to be gone", || scene.hosts().is_empty() && scene.agents().is_empty());
    assert_eq!(super::storage::query(&scene, "SELECT count(*) FROM holds").trim(), "0", "every session is free");
    assert_eq!(super::storage::query(&scene, "SELECT count(*) FROM hosts").trim(), "0", "no host is remembered");
    server.end();
    scene.assert_nothing_left();
}

/// Half of the turns keep their agent.
fn spawn(server: &Server, dice: &mut Dice, ids: &mut Vec<String>) {
    let mut request = json!({"agent": "claude_code", "prompt": dice.pick(&SCRIPTS), "options": {"allow": ["edit"]}});
    if dice.below(2) == 0 {
        request["keep_idle"] = json!(600);
        request["keep_turns"] = json!(2);
    }
    let started = server.call("spawn_task", request);
    ids.push(started["task_id"].as_str().expect("an id").to_owned());
}

fn release_kept(scene: &Scene, server: &Server, ids: &[String]) {
    for id in ids {
        let open = |lease: &Value| ["pending", "kept", "ending"].iter().any(|state| lease["state"] == *state);
        wait_for(&format!("the agent of {id} to be released"), || {
            let lease = server.task(id)["kept_agent"].clone();
            if open(&lease) {
                // Gone already, or not yet taken over: the next look tells.
                let _ = server.client.call("release_agent", json!({"handle": lease["handle"]}));
            }
            !open(&lease)
        });
    }
    let _ = scene;
}

#[test]
fn ten_rounds() {
    rounds(10);
}

#[test]
fn ten_more_rounds() {
    rounds(10);
}

#[test]
fn and_ten_more_rounds() {
    rounds(10);
}
