//! Schedules.

use serde_json::json;

use super::{READS, json as read, shell_flow, text, world};

#[test]
fn a_schedule_is_added_shown_turned_off_and_on_and_removed() {
    let world = world();
    shell_flow(&world, "tidy", "echo '{}'", READS);
    assert_eq!(world.run(["schedule", "list"]).stderr, "no schedules\n");
    let added = world.run(["schedule", "add", "tidy", "--cron", "30 9 * * MON-FRI", "--zone", "Asia/Kolkata"]);
    let id = text(&added);
    assert!(added.stderr.contains(" 09:30 +05:30 (Asia/Kolkata)"), "{added:?}");
    let listed = text(&world.run(["schedule", "list"]));
    assert!(listed.contains(&id) && listed.contains("09:30 +05:30"), "{listed}");
    let off = text(&world.run(["schedule", "disable", &id]));
    assert_eq!(off, format!("disabled {id}"));
    let on = text(&world.run(["schedule", "enable", &id[..12]]));
    assert!(on.starts_with(&format!("enabled {id}, next at ")), "{on}");
    let shown = read(&world.run(["schedule", "show", &id, "--json"]));
    let kinds: Vec<_> = shown["events"].as_array().expect("a list").iter().map(|event| &event["event_type"]).collect();
    assert_eq!(kinds, ["schedule.enabled", "schedule.disabled", "schedule.added"]);
    assert_eq!(shown["schedule"], read(&world.run(["schedule", "list", "--json"]))["items"][0]);
    let page = text(&world.run(["schedule", "show", &id]));
    assert!(
        page.contains("30 9 * * MON-FRI in Asia/Kolkata") && page.contains("nowhere but into Segue's own record"),
        "{page}"
    );
    let removed = read(&world.run(["schedule", "remove", &id, "--json"]));
    assert_eq!(removed, json!({"removed": true, "schedule_id": id}));
    let gone = world.run(["schedule", "show", &id]);
    assert_eq!((gone.ended.as_str(), gone.stderr.contains(&id)), ("exit 2", true), "{gone:?}");
    world.assert_nothing_left();
}

#[test]
fn what_writes_is_listed_and_scheduled_only_with_an_authorization() {
    let world = world();
    shell_flow(&world, "publish", "echo '{}'", r#"["execute_process","write_external"]"#);
    let add = ["schedule", "add", "publish", "--cron", "@daily"];
    let refused = world.run(add);
    assert_eq!((refused.ended.as_str(), refused.stdout.as_str()), ("exit 6", ""), "{refused:?}");
    for said in [
        "publish would write:",
        "write_external by only",
        "only (write_external): ",
        "each time it runs",
        "--authorize",
    ] {
        assert!(refused.stderr.contains(said), "{said}: {refused:?}");
    }
    let challenge = world.run(add.into_iter().chain(["--json"]));
    assert_eq!((challenge.ended.as_str(), &read(&challenge)["flow_id"]), ("exit 6", &json!("publish")));
    let added = read(&world.run(add.into_iter().chain(["--authorize", "--pin", "--json"])));
    assert_eq!((&added["authorized"], &added["version"]), (&read(&challenge), &json!("pinned")));
}

#[test]
fn what_is_no_time_or_no_flow_is_refused_with_its_reason() {
    let world = world();
    shell_flow(&world, "tidy", "echo '{}'", READS);
    for (flow, cron, zone, why) in [
        ("tidy", "0 0 30 2 *", "UTC", "never comes"),
        ("tidy", "* * *", "UTC", "five fields"),
        ("tidy", "@daily", "Mars/Olympus", "Europe/Berlin"),
        ("nothing", "@daily", "UTC", "nothing"),
    ] {
        let refused = world.run(["schedule", "add", flow, "--cron", cron, "--zone", zone]);
        assert_eq!((refused.ended.as_str(), refused.stdout.as_str()), ("exit 2", ""), "{refused:?}");
        assert!(refused.stderr.contains(why), "{why}: {refused:?}");
    }
    assert_eq!(read(&world.run(["schedule", "list", "--json"])), json!({"items": []}));
}
