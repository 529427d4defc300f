//! `segue app`: serves the console and the HTTP interface of one workspace on this machine, and drives what is started
//! there.

use std::{path::Path, process::ExitCode};

use clap::Args;
use segue_channel::World;
use segue_flow::api::OnStop;
use segue_http::{Listener, Setup, Token};
use segue_model::flow::{Json, json::object};
use tokio::sync::oneshot;

use super::CommandError;
use crate::{
    brief, browser,
    cli::Global,
    exit::Exit,
    flows::{self, Workspace},
    output, places,
    shutdown::Signals,
    wiring::{self, Wanted, Wired, WiringError},
    world::Machine,
};

/// The capability that every server brings, which calls that very server.
pub const SAMPLE: &str = "http.sample-json";
/// Where the sample capability is answered, below the server's own address.
const SAMPLE_PATH: &str = "api/v1/samples/http-json";
/// Seconds of one call of it. Fixed by the contract.
const SAMPLE_TIMEOUT: i64 = 30;

#[derive(Debug, Args)]
pub struct App {
    #[command(flatten)]
    workspace: Workspace,
    /// The address to serve on: 127.0.0.1, localhost or ::1, and no other
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// The port; 0 for any that is free
    #[arg(long, default_value_t = 8765)]
    port: u16,
    /// How many runs may be active at once; further ones are refused until one has ended
    #[arg(long, value_name = "N", default_value_t = flows::ACTIVE_RUNS, value_parser = flows::active_runs)]
    max_active_runs: usize,
    /// Open no browser
    #[arg(long)]
    no_open: bool,
    /// Stop when standard input ends: for a program that owns this server, so that it cannot be left behind
    #[arg(long)]
    until_input_ends: bool,
}

impl App {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        brief::refuse_nested()?;
        let Self { workspace, host, port, max_active_runs, no_open, until_input_ends } = self;
        let owned = until_input_ends.then(input_ends);
        let workspace = workspace.path()?;
        let state = places::state_dir(global.state_dir.as_deref()).map_err(WiringError::from)?.path;
        let runtime = wiring::runtime().map_err(|source| CommandError::Io { what: "start", source })?;
        // First: nothing is opened for an address that cannot be had.
        let listener = runtime.block_on(Listener::bind(&host, port));
        let listener = listener.map_err(|error| CommandError::Usage(error.to_string()))?;
        let wired = Wired::open(global, Wanted::default())?;
        let outcome = runtime.block_on(async {
            let served = match flows::open_with_room(&wired, workspace, max_active_runs).await {
                Ok(desk) => serve(&wired, &desk, listener, &state, Owner { browser: !no_open, input: owned }).await,
                Err(error) => Err(error),
            };
            let left = wired.channel.shut_down().await;
            served.map(|idle| if left.confirmed && left.complete && idle { Exit::Succeeded } else { Exit::Internal })
        });
        runtime.shutdown_background();
        wired.close();
        outcome.map(ExitCode::from)
    }
}

/// Who started this server.
struct Owner {
    /// A person, who wants to see it.
    browser: bool,
    /// A program, whose end closes this.
    input: Option<oneshot::Receiver<()>>,
}

/// Resolves when standard input has ended. A thread of its own: a read of it cannot be given up.
fn input_ends() -> oneshot::Receiver<()> {
    let (say, ended) = oneshot::channel();
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        // A server that is stopping by itself does not listen any more.
        let _ = say.send(());
    });
    ended
}

/// Serves until a signal comes or the owner has gone, and cancels what runs. True when nothing executes any more.
async fn serve(
    wired: &Wired,
    desk: &flows::Desk,
    listener: Listener,
    state: &Path,
    owner: Owner,
) -> Result<bool, CommandError> {
    let mut signals = Signals::new().map_err(|source| CommandError::Io { what: "listen for signals", source })?;
    let mut random = [0; Token::BYTES];
    Machine.random(&mut random);
    let token = Token::open(state, random).map_err(|error| CommandError::Internal(error.to_string()))?;
    // Before anything is taken over: it may be bound to the samples.
    desk.flows.install_sample(&sample(&listener.url())).await?;
    wired.channel.serve();
    desk.flows.serve();
    output::line(&format!("app={}", listener.url()));
    output::line(&format!("state_root={}", state.display()));
    // A build without the console has nothing to show.
    if owner.browser && cfg!(feature = "web") {
        browser::show(&listener.url());
    }
    let app = segue_http::App::new(Setup {
        channel: wired.channel.clone(),
        flows: desk.flows.clone(),
        state_root: state.to_owned(),
        state_is_usual: places::is_usual_state_dir(state),
        token: Some(token),
    });
    segue_http::serve(listener, app, async {
        match owner.input {
            None => {
                signals.next().await;
            }
            Some(input) => tokio::select! {
                _ = signals.next() => {}
                _ = input => {}
            },
        }
        // Before the answers under way are awaited: what runs ends meanwhile.
        desk.flows.stop(OnStop::Cancel);
    })
    .await;
    Ok(desk.flows.shut_down(OnStop::Cancel).await)
}

/// A call of this very server.
fn sample(url: &str) -> Json {
    let config = object([
        ("url", format!("{url}{SAMPLE_PATH}").into()),
        ("method", "POST".into()),
        ("body", Json::Object(object([("contract_version", "1.0".into())]))),
    ]);
    Json::Object(object([
        ("kind", "http".into()),
        ("id", SAMPLE.into()),
        ("name", "Sample over HTTP".into()),
        ("description", "Calls this server's own sample route, which gives the context back.".into()),
        ("effects", Json::Array(vec!["read_external".into()])),
        ("timeout_seconds", SAMPLE_TIMEOUT.into()),
        ("config", Json::Object(config)),
    ]))
}
