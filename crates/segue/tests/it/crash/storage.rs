//! Disks that are full, databases that are locked, files that are torn, foreign or gone.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use segue_testkit::mcp_client;
use serde_json::json;

use super::scene::{Scene, kill, wait_for, with_agent};

const DATABASE: &str = "journal.sqlite3";

fn python(script: &str, arguments: &[&Path]) -> String {
    let output = Command::new("python3").args(["-c", script]).args(arguments).output().expect("python3");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The first column of the first row that the database of a world gives.
pub fn query(scene: &Scene, sql: &str) -> String {
    let script = "import sqlite3, sys\nprint(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])";
    python(script, &[&scene.world.state_dir().join(DATABASE), Path::new(sql)])
}

/// Another program that has the database locked for writing until it is let go.
struct Locked(Child);

impl Locked {
    fn new(scene: &Scene) -> Locked {
        let script = "
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute('BEGIN IMMEDIATE')
print('held', flush=True)
sys.stdin.readline()
connection.execute('ROLLBACK')
";
        let mut command = Command::new("python3");
        command.args(["-c", script]).arg(scene.world.state_dir().join(DATABASE));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("python3");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        assert_eq!(line, "held\n");
        Locked(child)
    }

    fn let_go(mut self) {
        let _ = self.0.stdin.take().expect("a pipe").write_all(b"\n");
        let _ = self.0.wait();
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_locked_database_loses_no_turn() {
    let scene = Scene::new();
    let server = scene.server();
    let id = server.spawn("[[say:half ]][[wait_file:go]][[say:done]]");
    wait_for("the text to be recorded", || server.said(&id) == "half ");
    let locked = Locked::new(&scene);
    scene.mark("go");
    scene.wait_spooled("stopReason");
    assert_eq!(server.task(&id)["status"], "running", "reads are served");
    locked.let_go();
    let task = server.ended(&id);
    assert_eq!([&task["status"], &task["final_message"]], ["succeeded", "half done"], "{task}");
    server.end();
    scene.assert_nothing_left();
}

#[test]
fn a_database_that_is_locked_during_recovery_is_waited_for() {
    let scene = Scene::new();
    let first = scene.server();
    let other = scene.server();
    let ids: Vec<String> = (0..5).map(|_| first.spawn("[[wait_file:go]][[say:done]]")).collect();
    scene.wait_received("session/prompt", 5);
    let locked = Locked::new(&scene);
    first.killed();
    scene.mark("go");
    // The other finds the dead server's work and cannot write; a new one does not even start.
    let next = std::thread::scope(|scope| {
        let starting = scope.spawn(|| scene.server());
        scene.wait_spooled("stopReason");
        assert_eq!(other.task(&ids[0])["status"], "running");
        locked.let_go();
        starting.join().expect("a server")
    });
    for id in &ids {
        assert_eq!(next.ended(id)["status"], "succeeded");
    }
    other.end();
    next.end();
    scene.assert_nothing_left();
}

/// A small disk under the state folder; unmounted when dropped.
pub struct SmallDisk(PathBuf);

impl SmallDisk {
    /// `None`, and said so, where nothing may be mounted.
    pub fn under(scene: &Scene) -> Option<SmallDisk> {
        let path = scene.world.state_dir();
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", "size=8m,mode=0700", "tmpfs"]).arg(&path).stderr(Stdio::null());
        if !command.status().is_ok_and(|status| status.success()) {
            eprintln!("skipped: no small disk can be mounted here");
            return None;
        }
        Some(SmallDisk(path))
    }

    fn ballast(&self) -> PathBuf {
        self.0.join("ballast")
    }

    pub fn fill(&self) {
        let mut file = fs::File::create(self.ballast()).expect("a file");
        let mut size = 1 << 20;
        while size > 0 {
            // Smaller and smaller pieces, until not a byte more fits.
            if file.write_all(&vec![0; size]).is_err() {
                size /= 2;
            }
        }
    }

    pub fn free(&self) {
        fs::remove_file(self.ballast()).expect("the ballast");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

/// A thread of the process waits until somebody reads what it writes.
fn is_writing(pid: i32) -> bool {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let mut waits = threads.filter_map(|thread| fs::read_to_string(thread.path().join("wchan")).ok());
    waits.any(|wait| wait.contains("pipe_write"))
}

#[test]
fn a_full_disk_loses_no_turn() {
    let scene = Scene::new();
    let Some(disk) = SmallDisk::under(&scene) else { return };
    let server = scene.server();
    let id = server.spawn("[[say:half ]][[wait_file:go]][[chunks:3000:100]][[say: done]]");
    wait_for("the text to be recorded", || server.said(&id) == "half ");
    disk.fill();
    scene.mark("go");
    // Either the server or the host finds no room first; in the end the agent has to wait.
    wait_for("the agent to wait", || is_writing(scene.agent()));
    assert_eq!(server.task(&id)["status"], "running");
    disk.free();
    let task = server.ended(&id);
    assert_eq!(task["status"], "succeeded", "{task}");
    let chunks: String = (0..3000).map(|at| segue_testkit::scripted_agent::chunk_text(at, 100)).collect();
    assert_eq!(server.said(&id), format!("half {chunks} done"));
    server.end();
    scene.assert_nothing_left();
}

#[test]
fn a_server_is_killed_on_a_full_disk() {
    let scene = Scene::new();
    let Some(disk) = SmallDisk::under(&scene) else { return };
    let first = scene.server();
    let id = first.spawn("[[say:half ]][[wait_file:go]][[chunks:3000:100]][[say: done]]");
    wait_for("the text to be recorded", || first.said(&id) == "half ");
    disk.fill();
    scene.mark("go");
    wait_for("the agent to wait", || is_writing(scene.agent()));
    first.killed();
    disk.free();
    let next = scene.server();
    let task = next.ended(&id);
    assert_eq!(task["status"], "succeeded", "{task}");
    assert!(next.said(&id).starts_with("half 0 xxx") && next.said(&id).ends_with(" done"));
    next.end();
    scene.assert_nothing_left();
}

/// An end that was asked for does not wait for a disk: the agent goes at once, the record when there is room.
#[test]
fn tasks_are_ended_on_a_full_disk() {
    let scene = Scene::new();
    let Some(disk) = SmallDisk::under(&scene) else { return };
    let server = scene.server();
    let kept = server.spawn_with(json!({"prompt": "", "keep_idle": 600}));
    let handle = server.ended(&kept)["kept_agent"]["handle"].clone();
    let overdue = server.spawn_with(json!({"prompt": "[[hang]]", "deadline_seconds": 3}));
    let id = server.spawn("[[say:half ]][[wait_file:go]][[chunks:3000:100]][[hang]]");
    wait_for("the text to be recorded", || server.said(&id) == "half ");
    disk.fill();
    scene.mark("go");
    wait_for("the agent to wait", || scene.agents().into_iter().any(is_writing));
    let cancel = server.begin("cancel_task", json!({"task_id": id}));
    let release = server.begin("release_agent", json!({"handle": handle}));
    wait_for("the agents to be ended", || scene.agents().is_empty());
    disk.free();
    assert_eq!(cancel.wait_call().expect("an answer")["status"], "cancelled");
    assert_eq!(release.wait_call().expect("an answer")["released"], true);
    assert_eq!(server.ended(&overdue)["ended_because"], "deadline");
    let task = server.ended(&id);
    assert_eq!(server.payloads(&id, "task_cancelled"), [json!({"reason": "cancel_task", "actor": null})]);
    server.assert_session_free(&task);
    server.end();
    scene.assert_nothing_left();
}

/// What could not be recorded before the end is recorded by the next server, as it was.
#[test]
fn a_server_ends_on_a_full_disk() {
    let scene = Scene::new();
    let Some(disk) = SmallDisk::under(&scene) else { return };
    let first = scene.server();
    let kept = first.spawn_with(json!({"prompt": "", "keep_idle": 600}));
    first.ended(&kept);
    let id = first.spawn("[[say:half ]][[wait_file:go]][[chunks:3000:100]][[hang]]");
    wait_for("the text to be recorded", || first.said(&id) == "half ");
    disk.fill();
    scene.mark("go");
    wait_for("the agent to wait", || scene.agents().into_iter().any(is_writing));
    first.client.close_stdin();
    wait_for("the agents to be ended", || scene.agents().is_empty());
    disk.free();
    // It either found room in time or says that it did not.
    let status = mcp_client::ended(first.client.wait_exit());
    assert!(["exit 0", "exit 1"].contains(&status.as_str()), "{status}");
    let next = scene.server();
    let task = next.ended(&id);
    assert_eq!(task["status"], "cancelled", "{task}");
    assert_eq!(next.payloads(&id, "task_cancelled"), [json!({"reason": "shutdown", "actor": null})]);
    assert_eq!(next.wait_lease(&kept, "ended")["reason"], "the server is shutting down");
    next.assert_session_free(&task);
    next.end();
    scene.assert_nothing_left();
}

/// The state folder goes under a running server: nothing is claimed to be recorded, every answer says why, and the end
/// of the server is the end of its agents.
#[test]
fn the_state_folder_is_taken_away() {
    for moved in [false, true] {
        let scene = Scene::new();
        let server = scene.server();
        let kept = server.ended(&server.spawn_with(json!({"prompt": "", "keep_idle": 600})));
        let handle = &kept["kept_agent"]["handle"];
        let id = server.spawn("[[say:half]][[spawn_setsid]][[hang]]");
        wait_for("the text to be recorded", || server.said(&id) == "half");
        let state = scene.world.state_dir();
        if moved {
            fs::rename(&state, scene.world.home().join("state")).expect("to be moved");
            // As a restart would make it.
            fs::create_dir(&state).expect("a folder");
        } else {
            fs::remove_dir_all(&state).expect("to be removed");
        }
        let told = format!("internal_error: the state folder {} was removed, moved or replaced", state.display());
        let waiting = server.begin("wait_tasks", json!({"task_ids": [id]}));
        for (tool, arguments) in [
            ("spawn_task", with_agent(json!({"prompt": ""}))),
            ("get_task", json!({"task_id": id})),
            ("get_events", json!({"task_id": id})),
            ("list_tasks", json!({})),
            ("cancel_task", json!({"task_id": id})),
            ("resolve_task", json!({"task_id": id, "resolution": "accepted"})),
            ("describe_agent", json!({"agent": "claude_code"})),
            ("spawn_task", with_agent(json!({"prompt": "", "on_agent": handle}))),
            ("extend_agent", json!({"handle": handle})),
            ("release_agent", json!({"handle": handle})),
        ] {
            let refused = server.refused(tool, arguments);
            assert!(refused.starts_with(&told) && refused.ends_with("start this process again"), "{tool}: {refused}");
        }
        let refused = waiting.wait_call().expect_err("nobody knows any more");
        assert!(refused.starts_with(&told), "{refused}");
        assert_eq!(scene.hosts().len(), 2, "no other was started");
        assert!(fs::read_dir(&state).into_iter().flatten().next().is_none(), "nothing is written there");
        let status = mcp_client::ended(server.client.shut_down());
        assert_eq!(status, "exit 1", "what became of the task is not recorded");
        wait_for("the agents to be ended", || scene.world.mark().processes().is_empty());
        if moved {
            fs::remove_dir(&state).expect("an empty folder");
            fs::rename(scene.world.home().join("state"), &state).expect("to be moved back");
            let next = scene.server();
            let task = next.ended(&id);
            assert_eq!(task["status"], "cancelled", "{task}");
            assert_eq!(next.payloads(&id, "task_cancelled"), [json!({"reason": "shutdown", "actor": null})]);
            next.assert_session_free(&task);
            next.end();
            scene.assert_nothing_left();
        }
    }
}

/// Each file that is no journal of this version is refused by name and stays as it is.
#[test]
fn a_file_that_is_not_a_journal_is_refused_and_left_alone() {
    let sound = {
        let scene = Scene::new();
        let server = scene.server();
        server.ended(&server.spawn("[[say:sound]]"));
        server.end();
        fs::read(scene.world.state_dir().join(DATABASE)).expect("a database")
    };
    let foreign = |sql: &str, bytes: &[u8]| {
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), bytes).expect("a file");
        python(
            "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1])\nc.executescript(sys.argv[2])\nc.close()",
            &[file.path(), Path::new(sql)],
        );
        fs::read(file.path()).expect("a file")
    };
    let garbage: Vec<u8> = (0..20_000_u32).map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()[3]).collect();
    let mut torn = sound.clone();
    torn.truncate(sound.len() / 2 + 100);
    let cases = [
        ("garbage", garbage),
        ("torn", torn),
        ("a header alone", sound[..100].to_vec()),
        ("another program's", foreign("create table recipes (id); pragma application_id = 7;", b"")),
        ("a newer one", foreign("pragma user_version = 9999;", &sound)),
    ];
    for (what, bytes) in cases {
        let scene = Scene::new();
        let path = scene.world.state_dir().join(DATABASE);
        fs::write(&path, &bytes).expect("a file");
        let refused = scene.world.run(["mcp"]);
        assert!(refused.ended.starts_with("exit ") && refused.ended != "exit 0", "{what}: {refused:?}");
        assert_eq!(refused.stdout, "", "{what}");
        assert!(refused.stderr.contains(DATABASE), "{what}: {}", refused.stderr);
        assert!(fs::read(&path).expect("the file") == bytes, "{what}: the file was changed");
        scene.assert_nothing_left();
    }
    let scene = Scene::new();
    fs::create_dir(scene.world.state_dir().join(DATABASE)).expect("a folder");
    let refused = scene.world.run(["mcp"]);
    assert!(refused.ended != "exit 0" && refused.stderr.contains(DATABASE), "{refused:?}");
}

/// The end that a host wrote down is torn off: nobody knows how it ended, and that is what is said.
#[test]
fn the_spool_of_a_finished_host_is_torn() {
    let scene = Scene::with(&["--orphan-grace", "0"]);
    let first = scene.server();
    let id = first.spawn("[[say:half]][[hang]]");
    wait_for("the text to be recorded", || first.said(&id) == "half");
    first.killed();
    wait_for("the host to end everything", || scene.world.mark().processes().is_empty());
    let hosts = fs::read_dir(scene.world.state_dir().join("hosts")).expect("hosts");
    for host in hosts.flatten() {
        let spool = fs::File::options().write(true).open(host.path().join("spool.0")).expect("a spool");
        let len = spool.metadata().expect("a length").len();
        spool.set_len(len - 7).expect("a shorter spool");
    }
    let next = scene.server();
    let task = next.ended(&id);
    assert_eq!([&task["status"], &task["ended_because"]], ["failed", "host_lost"], "{task}");
    assert_eq!(next.said(&id), "half");
    next.assert_session_free(&task);
    next.end();
    scene.assert_nothing_left();
}

fn remove_hosts(scene: &Scene) {
    fs::remove_dir_all(scene.world.state_dir().join("hosts")).expect("the folder of hosts");
}

#[test]
fn the_folder_of_hosts_is_deleted_under_a_turn() {
    let scene = Scene::new();
    let server = scene.server();
    let id = server.spawn("[[say:half ]][[wait_file:go]][[say:done]]");
    wait_for("the text to be recorded", || server.said(&id) == "half ");
    remove_hosts(&scene);
    scene.mark("go");
    let task = server.ended(&id);
    assert_eq!([&task["status"], &task["final_message"]], ["succeeded", "half done"], "{task}");
    server.assert_session_free(&task);
    server.end();
    scene.assert_nothing_left();
}

#[test]
fn the_folder_of_hosts_is_deleted_and_the_server_killed() {
    let scene = Scene::new();
    let first = scene.server();
    let id = first.spawn("[[say:half ]][[spawn_setsid]][[wait_file:go]][[say:done]]");
    wait_for("the text to be recorded", || first.said(&id) == "half ");
    let host = scene.host();
    first.killed();
    remove_hosts(&scene);
    let next = scene.server();
    let task = next.ended(&id);
    assert_eq!([&task["status"], &task["ended_because"]], ["failed", "host_lost"], "{task}");
    assert!(!super::scene::is_alive(host));
    kill(host);
    next.assert_session_free(&task);
    next.end();
    scene.assert_nothing_left();
}
