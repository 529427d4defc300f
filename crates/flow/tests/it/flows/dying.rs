//! Processes that die at a commit, for any flow: what the crash matrices have in common.

use segue_flow::{
    Flows,
    api::{Admit, Answer, List},
    error::AdmitError,
};

use super::world::*;

/// Whether the commit at which a process dies is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Last {
    Written,
    Lost,
}

/// A world with a flow saved by `set_up`, whose evaluator lets everything through.
pub fn prepared(on_disk: bool, set_up: impl AsyncFnOnce(&Flows)) -> World {
    let world = if on_disk { World::on_disk() } else { World::in_memory() };
    world.install("true");
    world.scripted.set("gate", &[Deed::Judge(true)]);
    let process = world.start();
    process.run(set_up(&process.flows));
    process.kill();
    world
}

/// Follows a Run to its end and answers its question. A process that died cannot read any more, and nobody hears of
/// that.
pub async fn follow(flows: &Flows, run: &str) {
    let watched = async {
        let mut watch = flows.watch(run, 0).await.ok()?;
        while let Some(page) = watch.next().await.ok()? {
            if page.waiting {
                let yes = Answer { node: "ask".into(), option: "approve".into(), form: None, actor: None };
                // The page may be older than an answer that was given already.
                drop(flows.answer(run, yes).await);
            }
        }
        Some(())
    };
    if watched.await.is_none() {
        std::future::pending::<()>().await;
    }
}

/// Runs a flow in a process that dies at its `commits`-th commit. False when it came to its end before.
pub fn crash_at(world: &World, flow: &str, commits: i64, last: Last) -> bool {
    let process = world.start();
    let died = process.run(async {
        let flows = process.flows.clone();
        let challenge = match flows.admit(admission(flow)).await {
            Err(AdmitError::AuthorizationRequired(challenge)) => challenge,
            other => panic!("{other:?}"),
        };
        match last {
            Last::Written => process.journal.die_after(commits),
            Last::Lost => process.journal.die_before(commits),
        }
        let request = Admit { authorization: Some(challenge.authorization()), ..admission(flow) };
        let running = async move {
            let run = flows.admit(request).await.unwrap();
            follow(&flows, run.run_id.as_str()).await;
        };
        tokio::select! {
            biased;
            () = process.journal.died() => true,
            () = running => false,
        }
    });
    process.kill();
    died
}

/// A process that takes over and dies after `commits` further commits. False when it needed fewer.
pub fn crash_again_after(world: &World, commits: i64) -> bool {
    let process = world.start();
    process.journal.die_after(commits);
    let died = process.run(async {
        let flows = process.flows.clone();
        let running = async move {
            flows.recover().await;
            for run in flows.runs(List { limit: 10, ..List::default() }).await.unwrap_or_default() {
                follow(&flows, run.run_id.as_str()).await;
            }
        };
        tokio::select! {
            biased;
            () = process.journal.died() => true,
            () = running => false,
        }
    });
    process.kill();
    died
}
