//! The console's files: what is served where, what a browser may keep, and what a page may do.

use axum::{
    body::{Body, to_bytes},
    http::{HeaderMap, Request},
};

use segue_http::report::{self, About};
use serde_json::{Value, json};

use crate::world::{World, chain};

const PAGE: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const PART: &str = "*/*";

struct Page {
    status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Page {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }
}

async fn ask(world: &World, method: &str, path: &str, headers: &[(&str, &str)]) -> Page {
    let request = headers
        .iter()
        .fold(Request::builder().method(method).uri(path), |request, (name, value)| request.header(*name, *value));
    let response = world.respond(request.body(Body::empty()).unwrap()).await;
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap().to_vec();
    Page { status: parts.status.as_u16(), headers: parts.headers, body }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_address_of_the_console_is_the_page() {
    let world = World::new().await;
    let index = segue_web_assets::plain(segue_web_assets::INDEX).unwrap();
    for path in
        ["/", "/index.html", "/runs", "/runs/some-id?node=a.b", "/capabilities/http.sample-json", "/nothing/at/all"]
    {
        let page = ask(&world, "GET", path, &[("accept", PAGE)]).await;
        assert_eq!((page.status, &page.body), (200, &index.bytes.to_vec()), "{path}");
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
        assert_eq!(page.header("cache-control"), "no-cache");
        assert_eq!(page.header("x-content-type-options"), "nosniff");
        assert_eq!(page.header("referrer-policy"), "no-referrer");
        let policy = page.header("content-security-policy");
        for part in ["default-src 'none'", "script-src 'self';", "connect-src 'self'", "frame-ancestors 'none'"] {
            assert!(policy.contains(part), "{policy}");
        }
    }
    let head = ask(&world, "HEAD", "/runs", &[("accept", PAGE)]).await;
    assert_eq!((head.status, head.header("content-type")), (200, "text/html; charset=utf-8"));
    for path in ["/flow-console", "/flow-console/"] {
        let moved = ask(&world, "GET", path, &[]).await;
        assert_eq!((moved.status, moved.header("location")), (307, "/"), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_missing_is_an_error_and_no_page() {
    let world = World::new().await;
    for (method, path, accept) in [
        ("GET", "/assets/gone-12345678.js", PART),
        ("GET", "/assets/gone-12345678", PAGE),
        ("GET", "/gone.js", PAGE),
        ("GET", "/runs/index.js.map", PAGE),
        ("GET", "/index.html.gz", PART),
        ("GET", "/../Cargo.toml", PART),
        ("GET", "/runs", PART),
        ("GET", "/api/nothing", PAGE),
        ("GET", "/api", PAGE),
        ("POST", "/runs", PAGE),
        ("DELETE", "/", PAGE),
    ] {
        let page = ask(&world, method, path, &[("accept", accept)]).await;
        assert_eq!(page.status, 404, "{method} {path}");
        assert_eq!(page.body, b"{\"error\":\"there is no such resource\"}\n", "{method} {path}");
    }
    for (name, value, status) in [("host", "example.org:8765", 421), ("origin", "http://example.org", 403)] {
        let page = ask(&world, "GET", "/", &[("accept", PAGE), (name, value)]).await;
        assert_eq!(page.status, status, "{name}: {value}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_has_a_file_is_told_so() {
    let world = World::new().await;
    let first = ask(&world, "GET", "/", &[("accept", PAGE)]).await;
    let tag = first.header("etag");
    assert!(tag.len() == 34 && tag.starts_with('"') && tag.ends_with('"'), "{tag}");
    for known in [tag.to_owned(), format!("W/{tag}"), format!("\"other\", {tag}"), "*".to_owned()] {
        let again = ask(&world, "GET", "/runs", &[("accept", PAGE), ("if-none-match", &known)]).await;
        assert_eq!((again.status, again.body.as_slice(), again.header("etag")), (304, &b""[..], tag), "{known}");
        assert_eq!(again.header("cache-control"), "no-cache");
    }
    let other = ask(&world, "GET", "/", &[("accept", PAGE), ("if-none-match", "\"other\"")]).await;
    assert_eq!(other.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_named_by_its_content_is_kept_and_comes_compressed_to_who_takes_that() {
    let world = World::new().await;
    let index = String::from_utf8(ask(&world, "GET", "/", &[]).await.body).unwrap();
    let (_, rest) = index.split_once("src=\"/assets/").expect("the page names its script");
    let script = format!("/assets/{}", rest.split('"').next().unwrap());
    let plain = ask(&world, "GET", &script, &[("accept", PART)]).await;
    assert_eq!((plain.status, plain.header("content-encoding")), (200, ""));
    assert_eq!(plain.header("content-type"), "text/javascript; charset=utf-8");
    assert_eq!(plain.header("cache-control"), "public, max-age=31536000, immutable");
    for (takes, encoding) in [
        ("gzip", "gzip"),
        ("deflate, GZIP;q=0.5", "gzip"),
        ("br", ""),
        ("gzip;q=0", ""),
        ("gzip; q=0.0, br", ""),
        ("identity", ""),
    ] {
        let page = ask(&world, "GET", &script, &[("accept-encoding", takes)]).await;
        assert_eq!((page.status, page.header("content-encoding")), (200, encoding), "{takes}");
        assert_eq!(page.header("vary"), "accept-encoding");
        let smaller = encoding == "gzip";
        assert_eq!(page.body.len() < plain.body.len(), smaller, "{takes}");
        assert_eq!(page.header("etag") == plain.header("etag"), !smaller, "{takes}");
    }
}

/// What a report is filled with.
fn island(page: &str) -> Value {
    let (_, rest) = page.split_once("<script id=\"recording\" type=\"application/json\">").expect("an island");
    serde_json::from_str(rest.split_once("</script>").expect("its end").0).expect("JSON")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_holds_what_its_pages_ask_for_as_the_interface_answers_it() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    world.save(&chain("failing", "tool.plain", &["one", "fail"])).await;
    let runs = [world.admit("failing").await, world.admit("failing").await];
    for run in &runs {
        world.ended(run).await;
    }
    let about = |run_ids| About {
        run_ids,
        made_at: "2026-11-30T12:00:00Z".into(),
        segue: "0.0.0",
        kept_in: "evidence.sqlite3",
        room: report::ROOM,
    };
    let whole = report::page(&world.app, about(&runs)).await.expect("a page");
    let island = island(&whole.page);
    assert_eq!(
        [&island["version"], &island["made_at"], &island["segue"], &island["run_ids"]],
        [&json!(1), &json!("2026-11-30T12:00:00Z"), &json!("0.0.0"), &json!(runs)]
    );
    assert!(whole.left_out.is_nothing(), "{:?}", whole.left_out);
    let at = format!("/api/v1/runs/{}", runs[0]);
    for path in [
        at.clone(),
        format!("{at}/detail"),
        format!("{at}/flow"),
        format!("{at}/why"),
        format!("{at}/outcome"),
        format!("{at}/events?after=0&limit=500"),
        format!("{at}/nodes/fail/detail"),
        format!("{at}/comparison?other_run_id={}", runs[1]),
    ] {
        let recorded = &island["answers"][&path];
        let answered = world.get(&path).await;
        assert_eq!(recorded["type"], "application/json", "{path}");
        assert_eq!(recorded["body"].as_str().map(str::as_bytes), Some(&answered.body[..]), "{path}");
    }
    let nobody = ["11111111-1111-4111-8111-111111111111".to_owned()];
    let refused = report::page(&world.app, about(&nobody)).await.expect_err("there is no such Run");
    assert_eq!(refused.to_string(), "there is no run 11111111-1111-4111-8111-111111111111");
    // It is filled and written to disk, and nothing that is served.
    assert_eq!(ask(&world, "GET", "/report.html", &[("accept", PART)]).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_leaves_out_what_it_has_no_room_for_and_says_so() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    world.save(&chain("failing", "tool.plain", &["one", "fail"])).await;
    let runs = [world.admit("failing").await];
    world.ended(&runs[0]).await;
    let count = world.get(&format!("/api/v1/runs/{}", runs[0])).await.json()["event_count"].clone();
    let about = |room| About { run_ids: &runs, made_at: String::new(), segue: "0", kept_in: "all.sqlite3", room };
    let whole = report::page(&world.app, about(report::ROOM)).await.expect("a page");
    let empty = report::page(&world.app, about(0)).await.expect("a page");
    let (nothing, all) = (island(&empty.page), island(&whole.page));
    assert_eq!((&nothing["answers"], &nothing["kept_in"]), (&json!({}), &json!("all.sqlite3")));
    assert!(!empty.left_out.is_nothing());
    let at = format!("/api/v1/runs/{}", runs[0]);
    let events = format!("{at}/events?after=0&limit=500");
    let long = all["answers"][&events]["body"].as_str().map(str::len).expect("events");
    let used = serde_json::to_string(&all["answers"]).expect("JSON").len();
    // The nodes come before the events, and there is room for nearly all.
    let page = report::page(&world.app, about(used - long)).await.expect("a page");
    let short = island(&page.page);
    assert_eq!(short["left_out"], json!({"nodes": 0, "events": count, "artifacts": 0, "others": 0}));
    assert_eq!(short["answers"][&events], Value::Null);
    let node = format!("{at}/nodes/fail/detail");
    assert_eq!(short["answers"][&node], all["answers"][&node]);
    assert!(page.page.len() < whole.page.len());
}
