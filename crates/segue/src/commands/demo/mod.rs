//! `segue demo`: a built-in writing flow, run twice in a folder of its own, and what came of it as files (contract §21).

mod agent;
mod records;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, ValueEnum};
use segue_channel::World;
use segue_flow::{
    Flows,
    api::{Admit, Evidence, Target},
    error::AdmitError,
};
use segue_model::flow::{Granularity, Json, Object, Profile, document::TaskFields};

use self::records::Records;
use super::{
    CommandError,
    running::{self, Part},
};
use crate::{
    brief, browser,
    cli::Global,
    exit::Exit,
    flows::{self, Desk, Workspace},
    output, places,
    terminal::plain,
    wiring::WiringError,
    world::Machine,
};

const TOPIC: &str = "How durable hand-offs keep agents honest";
const GOAL: &str = "Show what is kept of work that several hands do one after the other.";

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Grain {
    Compact,
    Balanced,
    Fine,
}

impl From<Grain> for Granularity {
    fn from(grain: Grain) -> Self {
        match grain {
            Grain::Compact => Self::Compact,
            Grain::Balanced => Self::Balanced,
            Grain::Fine => Self::Fine,
        }
    }
}

// The folder is the global --state-dir: it must be absent or empty, and without one a temporary folder is made.
#[derive(Debug, Args)]
pub struct Demo {
    #[command(flatten)]
    workspace: Workspace,
    /// How finely the work is cut
    #[arg(long, value_enum, default_value_t = Grain::Balanced)]
    granularity: Grain,
    /// What the article is about, 1 to 280 characters
    #[arg(long, default_value = TOPIC)]
    topic: String,
    #[command(flatten)]
    agent: agent::Choice,
    /// How often it is run
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=2))]
    runs: u8,
    /// Allow what the agent may write
    #[arg(long)]
    authorize_write_effects: bool,
    /// Print the lines as one JSON object
    #[arg(long)]
    json: bool,
    /// Open the report in a browser, where there is a screen
    #[arg(long)]
    open: bool,
}

/// What is run, whoever does it.
#[derive(Debug)]
struct Piece {
    target: Target,
    granularity: Granularity,
    executor_profile: &'static str,
}

impl Demo {
    /// What goes wrong here is one line and status 2; only an interruption has its own.
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        match self.prepared(global) {
            Err(error) if !matches!(error, CommandError::Internal(_) | CommandError::Io { .. }) => {
                output::say(&format!("error: {}", plain::line(&error.to_string())));
                Ok(Exit::Refused.into())
            }
            other => other,
        }
    }

    fn prepared(&self, global: &Global) -> Result<ExitCode, CommandError> {
        brief::refuse_nested()?;
        let state_dir = state_dir(global.state_dir.as_deref())?;
        let global = Global { state_dir: Some(state_dir.clone()), ..global.clone() };
        flows::with_flows(&global, &self.workspace, async |desk| self.demonstrate(desk, &state_dir).await)
    }

    async fn demonstrate(&self, desk: &Desk, state_dir: &Path) -> Result<Exit, CommandError> {
        let piece = self.piece(&desk.flows).await?;
        let mut runs: Vec<Evidence> = Vec::new();
        for _ in 0..self.runs {
            let (run, interrupted) = self.run_once(desk, &piece).await?;
            if interrupted {
                return Ok(Exit::Interrupted);
            }
            runs.push(run);
        }
        let records = Records::new(state_dir, &piece, runs);
        records.write(desk).await?;
        records.print(self.json);
        if self.open {
            match records.report_url() {
                Some(url) => browser::show(&url),
                None => return Err(CommandError::Usage("this build has no console, and so no report to open".into())),
            }
        }
        Ok(Exit::Succeeded)
    }

    /// The flow, saved if it is not a built-in one.
    async fn piece(&self, flows: &Flows) -> Result<Piece, CommandError> {
        let granularity = Granularity::from(self.granularity);
        let Some(agent) = self.agent.capability(flows).await? else {
            let (title, topic) = (granularity.title().to_owned(), self.topic.clone());
            let task = flows.add_task(TaskFields { title, goal: GOAL.to_owned(), topic, granularity }).await?;
            return Ok(Piece { target: Target::Task(task.id), granularity, executor_profile: "deterministic" });
        };
        let executor_profile = self.agent.profile();
        let saved = flows.install_agent(&agent, self.agent.named_as()).await?;
        let document = agent::document(granularity, &self.topic, &saved.capability)?;
        let local = flows.save_flow(document, Some(granularity)).await?.local_id;
        Ok(Piece { target: Target::Local(local), granularity, executor_profile })
    }

    async fn run_once(&self, desk: &Desk, piece: &Piece) -> Result<(Evidence, bool), CommandError> {
        let flows = &desk.flows;
        let began = Machine.now();
        let admit = |authorization: Option<Json>| Admit {
            target: piece.target.clone(),
            profile: Profile::Deterministic,
            inputs: Object::new(),
            authorization,
            key: None,
        };
        let admitted = match flows.admit(admit(None)).await {
            Err(AdmitError::AuthorizationRequired(challenge)) if self.authorize_write_effects => {
                flows.admit(admit(Some(challenge.authorization()))).await?
            }
            Err(AdmitError::AuthorizationRequired(challenge)) => {
                let effects: Vec<&str> = challenge.effects.iter().map(|risk| risk.effect.as_str()).collect();
                let effects = effects.join(" and ");
                return Err(CommandError::Usage(format!(
                    "the agent may {effects}: give --authorize-write-effects to allow that"
                )));
            }
            other => other?,
        };
        let followed = running::follow(desk, &admitted.run_id, Part::Admitted(began), self.json).await?;
        let id = followed.run.run_id.as_str();
        if !followed.interrupted && followed.run.status != "succeeded" {
            let why = flows.why(id).await?;
            return Err(CommandError::Usage(format!("run {id}: {}", why.headline)));
        }
        Ok((flows.evidence(id).await?, followed.interrupted))
    }
}

/// The folder of this demo, which nothing else is in.
fn state_dir(given: Option<&Path>) -> Result<PathBuf, CommandError> {
    use std::os::unix::fs::DirBuilderExt;
    let failed = |path: &Path, error: std::io::Error| CommandError::Usage(format!("{}: {error}", path.display()));
    let Some(given) = given else {
        let mut random = [0; 6];
        Machine.random(&mut random);
        let digits: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let path = std::env::temp_dir().join(format!("segue-demo-{digits}"));
        std::fs::DirBuilder::new().mode(0o700).create(&path).map_err(|error| failed(&path, error))?;
        return Ok(path);
    };
    let path = places::cwd().map_err(WiringError::from)?.join(given);
    match std::fs::read_dir(&path) {
        Ok(mut entries) => match entries.next() {
            None => Ok(path),
            Some(_) => Err(CommandError::Usage(format!("{} is not empty; nothing was touched", path.display()))),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(path),
        Err(error) => Err(failed(&path, error)),
    }
}
