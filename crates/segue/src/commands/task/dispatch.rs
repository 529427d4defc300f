//! `segue task dispatch`: gives a task to an agent, in this process, and stays until it has ended.

use std::{
    io::{IsTerminal, Read},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use segue_channel::{
    World,
    api::{Spawn, TaskView},
};
use serde_json::{Map, Value, json};

use super::watching::{self, Watching};
use crate::{
    brief,
    cli::Global,
    commands::CommandError,
    exit::Exit,
    output,
    shutdown::Signals,
    terminal::{
        plain,
        progress::{Lines, Progress},
    },
    wiring::{Wanted, Wired},
    world::Machine,
};

/// Who stops a task whose dispatch is interrupted, in the record.
const INTERRUPTED: &str = "segue task dispatch, interrupted";
/// Stands for standard input where a file is named.
const STDIN: &str = "-";

#[derive(Debug, Args)]
pub struct Dispatch {
    /// The agent; `segue agents list` names them
    agent: String,
    /// The prompt; without it and without --prompt-file it is read from standard input
    #[arg(long, value_name = "TEXT", conflicts_with = "prompt_file")]
    prompt: Option<String>,
    /// File with the prompt; - for standard input
    #[arg(long, value_name = "FILE")]
    prompt_file: Option<PathBuf>,
    /// Where the agent works [default: the present folder]
    #[arg(long, value_name = "DIR")]
    workspace: Option<String>,
    /// What the agent may do without a person: read, edit, delete, move, search, execute, think, fetch, other
    #[arg(long, value_name = "KIND,…", value_delimiter = ',')]
    allow: Vec<String>,
    /// Model; `segue agents describe` shows the values
    #[arg(long)]
    model: Option<String>,
    /// Effort; `segue agents describe` shows the values
    #[arg(long)]
    effort: Option<String>,
    /// Session to continue; with the agent and workspace it was made with
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Seconds after which the task is ended as failed
    #[arg(long, value_name = "SECONDS")]
    deadline: Option<f64>,
    /// A key of your own: calling again with the same one watches the same task instead of starting a second
    #[arg(long, value_name = "KEY")]
    client_key: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Dispatch {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        brief::refuse_nested()?;
        let prompt = self.prompt()?;
        brief::with_channel(global, Wanted::default(), async |wired| self.dispatch(wired, prompt).await)
    }

    fn prompt(&self) -> Result<String, CommandError> {
        let text = self.given()?;
        // The tool takes any text; a person who gives none has made a mistake.
        if text.trim().is_empty() {
            return Err(CommandError::Usage(
                "there is no prompt: give --prompt, --prompt-file or text on standard input".to_owned(),
            ));
        }
        Ok(text)
    }

    fn given(&self) -> Result<String, CommandError> {
        match (&self.prompt, &self.prompt_file) {
            (Some(text), _) => Ok(text.clone()),
            (None, Some(file)) if file != Path::new(STDIN) => std::fs::read_to_string(file)
                .map_err(|error| CommandError::Usage(format!("read the prompt from {}: {error}", file.display()))),
            (None, _) => {
                let mut stdin = std::io::stdin();
                if stdin.is_terminal() {
                    output::say("the prompt, then Ctrl-D:");
                }
                let mut text = String::new();
                stdin
                    .read_to_string(&mut text)
                    .map_err(|error| CommandError::Usage(format!("read the prompt from standard input: {error}")))?;
                Ok(text)
            }
        }
    }

    fn options(&self) -> Map<String, Value> {
        let mut options = Map::new();
        if !self.allow.is_empty() {
            options.insert("allow".to_owned(), json!(self.allow));
        }
        for (name, value) in [("model", &self.model), ("effort", &self.effort)] {
            if let Some(value) = value {
                options.insert(name.to_owned(), json!(value));
            }
        }
        options
    }

    async fn dispatch(self, wired: &Wired, prompt: String) -> Result<Exit, CommandError> {
        // From here on an interruption ends the task first.
        let mut signals = Signals::new().map_err(|source| CommandError::Io { what: "listen for signals", source })?;
        wired.channel.answer_requests();
        let spawn = Spawn {
            prompt,
            options: Some(self.options()),
            agent: self.agent,
            workspace: self.workspace,
            session_id: self.session,
            client_key: self.client_key,
            deadline_seconds: self.deadline,
            ..Spawn::default()
        };
        let started = wired.channel.spawn_task(spawn).await?;
        let id = started.task.id.as_str().to_owned();
        let ours = started.server == wired.journal.instance().to_string();
        let lines = if self.json { Lines::Nowhere } else { Lines::Stderr };
        let mut progress = Progress::new(lines, 1);
        if !self.json {
            progress.say(&format!("{id} on {}", started.task.request.agent));
        }
        let mut watching = Watching::new(wired, vec![id.clone()]);
        let mut interrupted = false;
        loop {
            watching.look(|news| watching::show(&mut progress, &news, Machine.now())).await?;
            if watching.all_ended() {
                break;
            }
            tokio::select! {
                () = watching.wait() => {}
                _ = signals.next() => {
                    if !ours {
                        progress.say("no longer watched; another server runs the task");
                        return Ok(Exit::Interrupted);
                    }
                    if !interrupted {
                        progress.say("stopping the agent and what it started");
                        let (channel, id) = (wired.channel.clone(), id.clone());
                        // Its end is seen by the watching, its refusal is that the task has ended.
                        tokio::spawn(async move { channel.cancel_task(&id, Some(INTERRUPTED.to_owned())).await });
                    }
                    interrupted = true;
                }
            }
        }
        drop(progress);
        let view = wired.channel.get_task(&id).await?;
        print(&view, self.json);
        // Interrupted is how this command ended; a task that was over already has its own end.
        let exit = Exit::of_status(view.task.status());
        Ok(if interrupted && exit == Exit::Cancelled { Exit::Interrupted } else { exit })
    }
}

/// The final message is what was asked for; everything else was said on standard error.
fn print(view: &TaskView, json: bool) {
    if json {
        output::json(&segue_mcp::wire::task(view, None));
    } else if let Some(text) = view.task.final_message.text() {
        output::line(&plain::block(text.trim_end()));
    }
}
