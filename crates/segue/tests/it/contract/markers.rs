//! Completion markers: an empty file appears when a task has ended.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::served::{Served, id_of, wait_for, world};

/// The path told for a task.
fn notify_path(result: &Value) -> PathBuf {
    PathBuf::from(result["notify_path"].as_str().unwrap_or_else(|| panic!("no path in {result}")))
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

fn spawn(served: &Served, prompt: &str) -> Value {
    served.call("spawn_task", json!({"agent": "claude_code", "prompt": prompt}))
}

#[test]
fn a_marker_appears_when_its_task_has_ended_and_goes_with_the_server() {
    let served = Served::new();
    let task = spawn(&served, "[[mark:going]][[wait_file:go]]");
    let marker = notify_path(&task);
    let folder = marker.parent().unwrap().to_owned();
    let base = served.world.runtime_dir().join("segue");
    assert_eq!(marker.file_name().unwrap().to_str(), task["task_id"].as_str());
    assert_eq!(folder.parent(), Some(&*base));
    let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
    assert!(name.starts_with(&format!("{}-", served.client.pid())), "{name}");
    assert_eq!((mode(&base), mode(&folder)), (0o700, 0o700));
    served.wait_mark("going");
    assert!(!marker.exists(), "never before the end");
    served.mark("go");
    served.ended(&id_of(&task));
    wait_for("the marker", || marker.exists());
    assert_eq!((marker.metadata().unwrap().size(), mode(&marker)), (0, 0o600));
    // Also for a start that failed, and for a cancelled task.
    let failed = served.call("spawn_task", json!({"agent": "codex", "prompt": "", "workspace": "gone"}));
    wait_for("the marker of a failed start", || notify_path(&failed).exists());
    let hanging = spawn(&served, "[[hang]]");
    served.call("cancel_task", json!({"task_id": hanging["task_id"]}));
    wait_for("the marker of a cancelled task", || notify_path(&hanging).exists());
    served.call("resolve_task", json!({"task_id": failed["task_id"], "resolution": "rejected"}));
    served.call("forget_task", json!({"task_id": failed["task_id"]}));
    assert!(!notify_path(&failed).exists());
    assert_eq!(served.client.shut_down().code(), Some(0));
    assert!(!folder.exists() && base.exists(), "the folder goes with the server, the base stays");
    served.assert_clean();
}

#[test]
fn the_base_is_where_it_was_asked_for() {
    let mut world = world();
    world.without_env("XDG_RUNTIME_DIR");
    let temporary = world.home().parent().unwrap().join("tmp");
    let served = Served::of(world);
    let uid = rustix::process::geteuid().as_raw();
    assert!(notify_path(&spawn(&served, "")).starts_with(temporary.join(format!("segue-{uid}"))));
    served.end();

    let mut world = super::served::world();
    world.env("XDG_RUNTIME_DIR", "relative");
    let temporary = world.home().parent().unwrap().join("tmp");
    let served = Served::of(world);
    assert!(notify_path(&spawn(&served, "")).starts_with(temporary));
    served.end();

    // Relative to the server's folder, and absolute in what is told; only the last level is made.
    let served = Served::with(super::served::world(), &["--notify-dir", "marks"]);
    let base = served.world.workspace().join("marks");
    assert!(notify_path(&spawn(&served, "")).starts_with(&base));
    assert_eq!(mode(&base), 0o700);
    served.end();
}

#[test]
fn a_base_that_is_not_safe_is_refused_and_the_server_runs_without() {
    type Prepare = fn(&Path);
    let bases: [(&str, Prepare); 6] = [
        ("link", |base| {
            let target = base.with_extension("target");
            fs::create_dir(&target).unwrap();
            symlink(target, base).unwrap();
        }),
        ("file", |base| fs::write(base, "").unwrap()),
        ("group", |base| {
            fs::create_dir(base).unwrap();
            fs::set_permissions(base, fs::Permissions::from_mode(0o770)).unwrap();
        }),
        ("others", |base| {
            fs::create_dir(base).unwrap();
            fs::set_permissions(base, fs::Permissions::from_mode(0o702)).unwrap();
        }),
        ("foreign", |base| {
            fs::create_dir(base).unwrap();
            std::os::unix::fs::chown(base, Some(4711), None).unwrap();
        }),
        ("no/parent", |_| {}),
    ];
    for (name, prepare) in bases {
        if name == "foreign" && !rustix::process::geteuid().is_root() {
            // Only root can make a folder somebody else's.
            continue;
        }
        let world = world();
        let base = world.workspace().join(name);
        prepare(&base);
        let served = Served::with(world, &["--notify-dir", name]);
        let task = spawn(&served, "[[say:x]]");
        assert_eq!(task["notify_path"], json!(null), "{name}");
        assert_eq!(served.ended(&id_of(&task))["status"], "succeeded");
        let warning = served.client.stderr();
        assert!(warning.contains(base.to_str().unwrap()), "{name}: {warning}");
        served.end();
    }
}

#[test]
fn being_readable_is_no_reason_to_refuse_a_base() {
    let world = world();
    let base = world.workspace().join("base");
    fs::create_dir(&base).unwrap();
    fs::set_permissions(&base, fs::Permissions::from_mode(0o755)).unwrap();
    let served = Served::with(world, &["--notify-dir", base.to_str().unwrap()]);
    assert!(notify_path(&spawn(&served, "")).starts_with(&base));
    assert_eq!(served.client.shut_down().code(), Some(0));
    assert_eq!(fs::read_dir(&base).unwrap().count(), 0);
    served.assert_clean();
}

#[test]
fn without_markers_no_path_is_told() {
    let served = Served::with(world(), &["--no-notify"]);
    let task = spawn(&served, "");
    assert_eq!(task["notify_path"], json!(null));
    served.ended(&id_of(&task));
    assert!(!served.world.runtime_dir().join("segue").exists());
    served.end();
}

/// Replacing a folder of the path later redirects nothing: the markers are made and removed in the old one.
#[test]
fn a_replaced_folder_redirects_nothing() {
    let served = Served::new();
    let task = spawn(&served, "[[mark:going]][[wait_file:go]]");
    served.wait_mark("going");
    let marker = notify_path(&task);
    let (base, moved) = (served.world.runtime_dir().join("segue"), served.world.runtime_dir().join("moved"));
    fs::rename(&base, &moved).unwrap();
    fs::create_dir_all(marker.parent().unwrap()).unwrap();
    served.mark("go");
    served.ended(&id_of(&task));
    let really = moved.join(marker.strip_prefix(&base).unwrap());
    wait_for("the marker", || really.exists());
    assert!(!marker.exists());
    assert_eq!(served.client.shut_down().code(), Some(0));
    assert_eq!(fs::read_dir(&moved).unwrap().count(), 0);
    fs::remove_dir_all(&base).unwrap();
    served.assert_clean();
}

#[test]
fn a_marker_that_cannot_be_made_is_an_error_and_no_failure() {
    let served = Served::new();
    let task = spawn(&served, "[[mark:going]][[wait_file:go]]");
    served.wait_mark("going");
    let id = id_of(&task);
    // The folder is removed under the server: nothing can be made in it any more.
    fs::remove_dir_all(notify_path(&task).parent().unwrap()).unwrap();
    served.mark("go");
    served.ended(&id);
    let error = served.wait_event(&id, "error", |_| true);
    assert!(error["message"].as_str().unwrap().contains(&id), "{error}");
    let ended = served.task(&id);
    assert_eq!((&ended["status"], &ended["error"]), (&json!("succeeded"), &error["message"]));
    served.end();
}
