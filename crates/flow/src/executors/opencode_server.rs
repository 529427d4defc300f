//! opencode behind a loopback server of its own, one for each node, that may use no tool (contract §14.8).
//!
//! Its password exists in this process alone, so a server whose starter died answers to nobody: it ends soon, and an
//! attempt that is called again ends what is left of it and is lost.

use std::{
    ffi::OsString,
    fs, io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    sync::OnceLock,
    time::Duration,
};

use reqwest::{Client, RequestBuilder, Url};
use segue_host::Exit;
use segue_model::{
    HostId,
    flow::{
        Json, Object,
        canonical::canonical,
        capability::{Capability, Config, Kind, Source, config::protocol},
        json::object,
        rules::FailureClass,
    },
    run::{Outcome, attempt::Loss},
};
use tokio::time::Instant;

use super::{
    Answer, Call, Executor, Start, Surroundings,
    agent_text::{self, Identity},
    failure,
    guest::{Heard, Launch},
    malformed, presets,
    process::{Watch, Why},
    real,
    request::Request,
    table::unbound,
    web::{self, Reply, Trouble},
};

/// The capability that discovery finds.
pub const ID: &str = "agent.opencode";
/// The program on PATH.
pub const PROGRAM: &str = "opencode";
/// Seconds.
pub const TIMEOUT: u32 = 300;

const USER: &str = "symphlo";
const PASSWORD_BYTES: usize = 32;
/// How long the server may take to answer for the first time. Fixed by the contract.
const HEALTH: Duration = Duration::from_secs(10);
const HEALTH_AGAIN: Duration = Duration::from_millis(50);
/// How long one answer is waited for before it is asked again: opencode takes a connection that comes the moment it
/// begins to listen, and never answers it (seen with 1.18.33).
const HEALTH_ANSWER: Duration = Duration::from_secs(2);
/// For the words before its end. Fixed by the contract.
const ABORT: Duration = Duration::from_millis(500);
const FAREWELL: Duration = Duration::from_secs(1);
/// From the end of its input to the first signal: it does not read any.
const CLOSE_GRACE: Duration = Duration::ZERO;
/// How long it lives with nobody attached.
const UNATTENDED: Duration = Duration::from_secs(10);
/// Characters of an id. Fixed by the contract.
const ID_MAX: usize = 500;

#[derive(Debug)]
pub struct OpencodeServer;

/// The capability of an installed opencode; `version` is the first line it prints about itself.
#[must_use]
pub fn capability(executable: &str, version: &str) -> Option<Capability> {
    let config = object([
        ("executable", executable.into()),
        ("adapter_protocol", protocol::OPENCODE_SERVER.into()),
        ("workspace_profile", protocol::EPHEMERAL_TEXT_ONLY.into()),
        ("probe_args", vec!["--version"].into()),
        ("version", version.into()),
    ]);
    let definition = object([
        ("id", ID.into()),
        ("kind", Kind::AgentCli.into()),
        ("source", Source::Discovered.into()),
        ("name", "opencode".into()),
        ("description", "opencode answers one prompt through a server of its own; it may use no tool.".into()),
        ("timeout_seconds", TIMEOUT.into()),
        ("config", config.into()),
    ]);
    Capability::from_saved(&Json::Object(definition)).ok()
}

impl Executor for OpencodeServer {
    fn needs_host(&self) -> bool {
        true
    }

    /// Nobody can go on with it, so it takes its folder with it.
    fn leaves_traces(&self) -> bool {
        false
    }

    fn execute<'a>(&'a self, call: &'a Call, around: &'a dyn Surroundings) -> Answer<'a, Outcome> {
        Box::pin(async move {
            let Some((capability, Config::AgentServer { executable, version, .. })) = call.bound() else {
                return unbound();
            };
            if call.node.session_group.is_some() {
                return failure(None, "NoSessions", "a managed server keeps no conversation from one node to the next");
            }
            let request = Request::of(call);
            let prompt = match agent_text::prompt(request) {
                Ok(prompt) => prompt,
                Err(outcome) => return outcome,
            };
            let Some(host) = &call.host else { return unbound() };
            let place = place(host, around);
            let answer = answer(call, around, executable, version, &place, prompt).await;
            let removed = tokio::task::spawn_blocking(move || remove(&place)).await;
            if let Ok(Err(error)) = removed {
                tracing::warn!("remove the working folder of {host}: {error}");
            }
            match answer {
                Ok(text) => {
                    let identity =
                        Identity::of_capability(&presets::label(&call.node.executor, capability), capability);
                    let extra = object([
                        ("adapter_protocol", protocol::OPENCODE_SERVER.into()),
                        ("workspace_profile", protocol::EPHEMERAL_TEXT_ONLY.into()),
                    ]);
                    real(agent_text::output(request, &identity, &text, extra))
                }
                Err(outcome) => outcome,
            }
        })
    }
}

/// The server's working folder. Its name follows from the host's, so that it is found again.
fn place(host: &HostId, around: &dyn Surroundings) -> PathBuf {
    let environment = around.environment();
    let named = environment.iter().find(|(name, value)| name == "TMPDIR" && Path::new(value).is_absolute());
    let folder = named.map_or_else(|| PathBuf::from("/tmp"), |(_, value)| PathBuf::from(value));
    folder.join(format!("segue-{host}"))
}

fn remove(place: &Path) -> io::Result<()> {
    match fs::remove_dir_all(place) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

async fn answer(
    call: &Call,
    around: &dyn Surroundings,
    executable: &str,
    version: &str,
    place: &Path,
    prompt: String,
) -> Result<String, Outcome> {
    let terms = call.terms();
    let (port, password) = secrets().map_err(|error| {
        failure(Some(FailureClass::Unavailable), "NoPort", format!("no port for the server: {error}"))
    })?;
    let launch = Launch {
        executable: executable.into(),
        args: ["serve", "--pure", "--hostname", "127.0.0.1", "--port", &port.to_string()].map(Into::into).to_vec(),
        cwd: place.to_owned(),
        env: [
            ("OPENCODE_SERVER_USERNAME", USER),
            ("OPENCODE_SERVER_PASSWORD", &password),
            ("OPENCODE_PERMISSION", "{\"*\":\"deny\"}"),
        ]
        .map(|(name, value)| (OsString::from(name), OsString::from(value)))
        .to_vec(),
        eof_grace: CLOSE_GRACE,
        unattended: Some(UNATTENDED),
    };
    if call.start == Start::First {
        fs::DirBuilder::new()
            .mode(0o700)
            .create(place)
            .map_err(|error| failure(None, "NoFolder", format!("no working folder for the server: {error}")))?;
    }
    let mut watch = Watch::open(&terms, around, launch).await?;
    if call.start == Start::Again {
        return Err(end_orphan(watch, around).await);
    }
    // The order to stop is passed on to the server before its end.
    watch.heed_stop = false;
    watch.guest.close_input().await;
    let server = Server::at(port, password).map_err(|trouble| trouble.outcome())?;
    let session = OnceLock::new();
    let steps = server.steps(version, prompt, &session);
    tokio::pin!(steps);
    let mut result = None;
    let mut aborted = false;
    let end = loop {
        tokio::select! {
            done = &mut steps, if result.is_none() && watch.why.is_none() => {
                result = Some(done);
                server.farewell(&session).await;
                watch.end(Why::Done);
            }
            () = call.stop.cancelled(), if !aborted => {
                aborted = true;
                server.abort(&session).await;
                watch.end(Why::Stopped);
            }
            heard = watch.next() => match heard? {
                Heard::Out(_) => watch.guest.forget_output(),
                Heard::End(end) => break end,
                Heard::OutEof | Heard::Exited => {}
                Heard::Lost(outcome) => return Err(watch.lost(around, outcome)),
            },
        }
    };
    match (watch.finish(around, &end), result) {
        (Some(outcome), _) => Err(outcome),
        (None, Some(result)) => result,
        (None, None) => {
            let how = match end.exit {
                Exit::Code(code) => format!("exited with status {code}"),
                Exit::Signal(signal) => format!("was ended by signal {signal}"),
                Exit::NeverStarted(_) | Exit::StillRunning => "ended".to_owned(),
            };
            Err(failure(Some(FailureClass::Exit), "ProcessExit", format!("the server {how} before it answered")))
        }
    }
}

/// Nobody knows its password any more.
async fn end_orphan(mut watch: Watch<'_>, around: &dyn Surroundings) -> Outcome {
    watch.end(Why::Done);
    loop {
        match watch.next().await {
            Ok(Heard::End(end)) => {
                return match watch.finish(around, &end) {
                    Some(outcome @ Outcome::Failed { class: None, .. }) => outcome,
                    _ => Outcome::Lost(Loss::Crash),
                };
            }
            Ok(Heard::Lost(outcome)) => return watch.lost(around, outcome),
            Err(outcome) => return outcome,
            Ok(Heard::Out(_) | Heard::OutEof | Heard::Exited) => {}
        }
    }
}

/// A port that was free a moment ago, and a password that nobody knows.
fn secrets() -> io::Result<(u16, String)> {
    let port = std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
    let mut bytes = [0; PASSWORD_BYTES];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok((port, bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
}

struct Server {
    client: &'static Client,
    url: Url,
    password: String,
}

impl Server {
    fn at(port: u16, password: String) -> Result<Self, Trouble> {
        let url = web::url(&format!("http://127.0.0.1:{port}/"))?;
        Ok(Self { client: web::client(&url)?, url, password })
    }

    fn request(&self, method: reqwest::Method, path: &[&str]) -> RequestBuilder {
        let mut url = self.url.clone();
        // Ids come from outside; as segments they cannot leave their place.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.clear().extend(path);
        }
        web::in_json(self.client.request(method, url)).basic_auth(USER, Some(&self.password))
    }

    fn get(&self, path: &[&str]) -> RequestBuilder {
        self.request(reqwest::Method::GET, path)
    }

    fn post(&self, path: &[&str], body: Object) -> RequestBuilder {
        self.request(reqwest::Method::POST, path).body(canonical(&Json::Object(body)))
    }

    /// From its first answer to the text.
    async fn steps(&self, version: &str, prompt: String, session: &OnceLock<String>) -> Result<String, Outcome> {
        healthy(&self.await_health().await?, version)?;
        denies_all(&self.ask(self.get(&["config"])).await?)?;
        let tools = tools(&self.ask(self.get(&["experimental", "tool", "ids"])).await?)?;
        let created = self.ask(self.post(&["session"], object([("title", "segue".into())]))).await?;
        let id = id_of(&created).ok_or_else(|| malformed("POST /session: the server gave no session id"))?;
        let id = session.get_or_init(|| id);
        text_of(&self.ask(self.post(&["session", id, "message"], message(prompt, tools))).await?)
    }

    async fn await_health(&self) -> Result<Json, Outcome> {
        let until = Instant::now() + HEALTH;
        loop {
            let patience = until.min(Instant::now() + HEALTH_ANSWER);
            let health = tokio::time::timeout_at(patience, web::exchange(self.get(&["global", "health"]))).await;
            match health {
                Ok(Ok(reply)) => return read(reply),
                _ if Instant::now() < until => tokio::time::sleep(HEALTH_AGAIN).await,
                _ => {
                    let message = format!("the server was not there within {} s", HEALTH.as_secs());
                    return Err(failure(Some(FailureClass::Unavailable), "HttpUnavailable", message));
                }
            }
        }
    }

    async fn ask(&self, request: RequestBuilder) -> Result<Json, Outcome> {
        read(web::exchange(request).await.map_err(|trouble| trouble.outcome())?)
    }

    async fn farewell(&self, session: &OnceLock<String>) {
        if let Some(id) = session.get() {
            let request = self.request(reqwest::Method::DELETE, &["session", id]);
            let _ = tokio::time::timeout(FAREWELL, web::send(request)).await;
        }
    }

    async fn abort(&self, session: &OnceLock<String>) {
        if let Some(id) = session.get() {
            let request = self.post(&["session", id, "abort"], Object::new());
            let _ = tokio::time::timeout(ABORT, web::send(request)).await;
        }
    }
}

fn read(reply: Reply) -> Result<Json, Outcome> {
    if let Some(refused) = web::refused(reply.status) {
        return Err(refused);
    }
    Json::parse(&String::from_utf8_lossy(&reply.body)).map_err(|_| malformed("the server's answer is not JSON"))
}

fn healthy(health: &Json, version: &str) -> Result<(), Outcome> {
    if health.get("healthy") != Some(&Json::Bool(true)) {
        return Err(failure(Some(FailureClass::Unavailable), "NotHealthy", "the server says that it is not healthy"));
    }
    if health.get("version").and_then(Json::as_str) != Some(version) {
        return Err(failure(None, "VersionChanged", format!("the server is not of version {version}")));
    }
    Ok(())
}

fn denies_all(config: &Json) -> Result<(), Outcome> {
    fn only_denies(value: &Json) -> bool {
        match value {
            Json::String(word) => word == "deny",
            Json::Object(members) => members.values().all(only_denies),
            Json::Array(items) => items.iter().all(only_denies),
            Json::Null | Json::Bool(_) | Json::Number(_) => true,
        }
    }
    let denied = match config.get("permission") {
        Some(Json::String(word)) => word == "deny",
        Some(rules @ Json::Object(members)) => {
            members.get("*").and_then(Json::as_str) == Some("deny") && only_denies(rules)
        }
        _ => false,
    };
    if denied { Ok(()) } else { Err(failure(None, "NotDenied", "the server does not deny every permission")) }
}

fn tools(ids: &Json) -> Result<Vec<String>, Outcome> {
    let ids = ids.as_array().map(|ids| ids.iter().map(|id| id.non_blank().map(str::to_owned)));
    ids.and_then(Iterator::collect)
        .ok_or_else(|| malformed("GET /experimental/tool/ids: the server gave no list of tools"))
}

fn message(prompt: String, tools: Vec<String>) -> Object {
    let part = object([("type", "text".into()), ("text", prompt.into())]);
    let tools: Object = tools.into_iter().map(|id| (id, false.into())).collect();
    object([("parts", vec![Json::Object(part)].into()), ("tools", tools.into())])
}

fn id_of(value: &Json) -> Option<String> {
    let id = value.get("id")?.non_blank()?;
    (id.chars().count() <= ID_MAX).then(|| id.to_owned())
}

fn text_of(reply: &Json) -> Result<String, Outcome> {
    let info = reply.get("info").ok_or_else(|| malformed("the server's message has no info"))?;
    if id_of(info).is_none() {
        return Err(malformed("the server's message has no id"));
    }
    if info.get("error").is_some_and(|error| !error.is_null()) {
        return Err(failure(None, "AgentError", "the agent reports an error"));
    }
    let parts = reply.get("parts").and_then(Json::as_array).unwrap_or_default();
    let texts = parts.iter().filter(|part| part.get("type").and_then(Json::as_str) == Some("text"));
    let texts: Vec<&str> = texts.filter_map(|part| part.get("text")?.as_str()).collect();
    let text = texts.join("\n").trim().to_owned();
    if text.is_empty() { Err(malformed("the server's message holds no text")) } else { Ok(text) }
}
