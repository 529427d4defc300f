//! The process dies after each single piece of a program's output. Whoever comes next hears all of it, from the first
//! byte, and the program has run once.

use segue_journal::Journal;

use super::world::*;

const PIECES: usize = 8;

/// Says one piece for each file that lets it, and notes what it said.
const SPEAKS: &str = "#!/bin/sh
cat > /dev/null
echo started >> ../starts
for n in 1 2 3 4 5 6 7 8; do
  while [ ! -e ../say-$n ]; do sleep 0.02; done
  printf 'piece %s\\n' $n
  echo $n >> ../said
done
";

fn lines(world: &World, file: &str) -> usize {
    std::fs::read_to_string(world.path().join(file)).unwrap_or_default().lines().count()
}

async fn says(world: &World, piece: usize) {
    std::fs::write(world.path().join(format!("say-{piece}")), "").unwrap();
    until("the piece is said", || lines(world, "said") >= piece).await;
}

#[test]
fn a_process_that_dies_after_each_piece_of_output_loses_none() {
    for while_nobody_looks in [false, true] {
        let world = World::on_disk();
        world.install_script("speaks", SPEAKS);
        let mut process = world.start_real();
        let run = process.run(async {
            let effects = ["execute_process", "write_external"];
            process.flows.save_capability(&tool("cli.speaks", "speaks", &effects)).await.unwrap();
            let steps = [("only", "tool.task", bound("cli.speaks"))];
            let steps: Vec<_> = steps.iter().map(|(id, kind, rest)| (*id, *kind, rest.as_str())).collect();
            process.flows.save_flow(chain("flow-speaks", &steps), None).await.unwrap();
            let run = admitted(&process.flows, admission("flow-speaks")).await;
            until("the program runs", || lines(&world, "starts") == 1).await;
            run
        });
        for piece in 1..=PIECES {
            if while_nobody_looks {
                process.kill();
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(says(&world, piece));
            } else {
                process.run(says(&world, piece));
                process.kill();
            }
            process = world.start_real();
            process.run(async {
                process.flows.serve();
                until("the run is taken over", || {
                    let row = process.journal.run(run.run_id.as_str()).unwrap().unwrap();
                    // With the last piece the Run may have ended before its process died.
                    row.server == *process.journal.instance() || row.ended
                })
                .await;
            });
        }
        process.run(async {
            assert_eq!(process.flows.ended(&run.run_id).await.unwrap().status, "succeeded");
            let evidence = process.flows.evidence(run.run_id.as_str()).await.unwrap();
            let said: String = (1..=PIECES).map(|piece| format!("piece {piece}\n")).collect();
            let text = evidence.nodes[0].output.as_ref().unwrap().get("text");
            assert_eq!(text, Some(&said.trim_end().into()));
            assert_eq!((lines(&world, "starts"), evidence.nodes[0].attempts), (1, 1));
            until("no host is recorded", || process.journal.hosts().unwrap().is_empty()).await;
            let folders = || std::fs::read_dir(world.path().join("hosts")).map_or(0, Iterator::count);
            until("no folder of a host is left", || folders() == 0).await;
        });
    }
}
