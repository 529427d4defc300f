//! The ladder: in which order a tree is ended, and how long each rung is waited on. Pure: it is told what lives and
//! what time it is, and says what to do; `guest/ending.rs` does it.
//!
//! End of input comes first because it is the only order that left nothing behind with every agent seen; SIGTERM first
//! strands their children. Then the group, its leader first, then descendants that left the group. 35 s in all with
//! the graces that a host has when it is told none.

use std::collections::BTreeMap;
use std::io;
use std::time::{Duration, Instant};

use crate::facts::{EndedProcess, How, PROCESSES_LISTED, ProcessId, Step, StepTaken, Survivor};
use crate::tree::Process;

/// After each SIGKILL: to the group for its leader, to the rest of the group, to descendants outside the group. Nothing
/// has a choice by then; a machine that swaps may need the time.
const KILL: Duration = Duration::from_secs(5);
/// What a program that ended by itself leaves may finish its output.
const DRAIN: Duration = Duration::from_secs(2);

/// Between two looks, doubling from the first to the second. The end of a direct child is noticed at once.
const LOOK_MIN: Duration = Duration::from_millis(50);
const LOOK_MAX: Duration = Duration::from_millis(400);

/// A process that forks while it is looked at can be missed; one that is missed this often is not being ended.
const RESUMES_MAX: u32 = 20;

const LEADER_UNCONFIRMED: &str = "did not exit after SIGKILL";
const GROUP_UNCONFIRMED: &str = "still has members after SIGKILL";
const REST_UNCONFIRMED: &str = "descendants outside the group live on after SIGKILL";

/// What lives.
#[derive(Debug, Default)]
pub(crate) struct View {
    /// The program's first process has not exited.
    pub leader: bool,
    /// Living members of the program's group; the leader too.
    pub group: Vec<Process>,
    /// Living descendants outside the group.
    pub rest: Vec<Process>,
}

impl View {
    /// A table that cannot be read shows nothing, and nothing is not "empty": the ladder goes on by its clock.
    pub fn of(look: io::Result<Self>) -> Self {
        look.unwrap_or_else(|_| Self { leader: true, ..Self::default() })
    }

    pub fn is_empty(&self) -> bool {
        !self.leader && self.group.is_empty() && self.rest.is_empty()
    }
}

/// What to do now.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    CloseStdin,
    TermGroup,
    KillGroup,
    Term(Vec<ProcessId>),
    Kill(Vec<ProcessId>),
    /// Nothing more will be done. The tree was empty at this look, or is given up.
    Finish,
}

struct Seen {
    name: String,
    in_group: bool,
    how: How,
    termed: bool,
    gone: bool,
}

/// The waits that differ from program to program.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Graces {
    /// After the end of its input.
    pub eof: Duration,
    /// After each SIGTERM.
    pub term: Duration,
}

/// One way down.
pub(crate) struct Ladder {
    graces: Graces,
    step: Step,
    step_began: Instant,
    look: Duration,
    next_look: Instant,
    seen: BTreeMap<ProcessId, Seen>,
    /// Too many to name.
    unlisted: u64,
    steps: Vec<StepTaken>,
    unconfirmed: Option<&'static str>,
    finished: bool,
    resumed: u32,
}

impl Ladder {
    /// From the top: the program runs and is to go.
    pub fn for_running(graces: Graces, now: Instant) -> (Self, Action) {
        (Self::new(graces, Step::StdinClosed, now), Action::CloseStdin)
    }

    /// The program went by itself.
    pub fn for_exited(graces: Graces, now: Instant) -> (Self, Action) {
        (Self::new(graces, Step::Drain, now), Action::CloseStdin)
    }

    fn new(graces: Graces, step: Step, now: Instant) -> Self {
        Self {
            graces,
            step,
            step_began: now,
            look: LOOK_MIN,
            next_look: now,
            seen: BTreeMap::new(),
            unlisted: 0,
            steps: Vec::new(),
            unconfirmed: None,
            finished: false,
            resumed: 0,
        }
    }

    /// Records a wait that came before the ladder.
    pub fn after(&mut self, step: Step, waited: Duration) {
        self.steps.insert(0, StepTaken { step, ms: millis(waited) });
    }

    /// The attached server wants no more waiting for what a finished program left.
    pub fn skip_drain(&mut self, now: Instant) {
        if self.step == Step::Drain {
            self.move_to(Step::GroupTerm, now);
        }
    }

    /// Something ended: look at this moment.
    pub fn look_at(&mut self, now: Instant) {
        self.next_look = self.next_look.min(now);
    }

    /// After a finish that was contradicted: the last rungs again, for what was missed. False when there is no time left.
    pub fn resume(&mut self, now: Instant) -> bool {
        if self.resumed == RESUMES_MAX {
            return false;
        }
        self.resumed += 1;
        self.finished = false;
        if self.step != Step::RestKill && self.step != Step::RestTerm {
            self.step = Step::RestTerm;
            self.step_began = now;
        }
        self.look = LOOK_MIN;
        self.next_look = now + LOOK_MIN;
        true
    }

    /// When the next look is due; `None` when there will be none.
    pub fn next_look(&self) -> Option<Instant> {
        (!self.finished).then_some(self.next_look)
    }

    fn wait(&self) -> Duration {
        match self.step {
            Step::Drain => DRAIN,
            Step::Cancel | Step::StdinClosed => self.graces.eof,
            Step::LeaderTerm | Step::GroupTerm | Step::RestTerm => self.graces.term,
            Step::LeaderKill | Step::GroupKill | Step::RestKill => KILL,
        }
    }

    fn move_to(&mut self, step: Step, now: Instant) {
        self.steps.push(StepTaken { step: self.step, ms: millis(now - self.step_began) });
        self.step = step;
        self.step_began = now;
        self.look = LOOK_MIN;
        self.next_look = now;
    }

    /// One look at what lives. Rungs whose reason is gone are passed in the same look.
    pub fn advance(&mut self, view: &View, now: Instant) -> Vec<Action> {
        self.note(view);
        let mut actions = Vec::new();
        while !self.finished {
            let over = now - self.step_began >= self.wait();
            let next = if view.is_empty() {
                None
            } else {
                match self.step {
                    Step::Drain if over => Some(Step::GroupTerm),
                    // Whoever would have ended the rest is gone: nothing is gained by waiting.
                    Step::Cancel | Step::StdinClosed if !view.leader && view.group.is_empty() => Some(Step::GroupTerm),
                    Step::Cancel | Step::StdinClosed if over && view.leader => Some(Step::LeaderTerm),
                    Step::Cancel | Step::StdinClosed if over => Some(Step::GroupTerm),
                    Step::LeaderTerm if !view.leader => Some(Step::GroupTerm),
                    Step::LeaderTerm if over => Some(Step::LeaderKill),
                    Step::LeaderKill if !view.leader => Some(Step::GroupTerm),
                    Step::LeaderKill if over => {
                        self.unconfirmed.get_or_insert(LEADER_UNCONFIRMED);
                        Some(Step::RestTerm)
                    }
                    Step::GroupTerm | Step::GroupKill if view.group.is_empty() => Some(Step::RestTerm),
                    Step::GroupTerm if over => Some(Step::GroupKill),
                    Step::GroupKill if over => {
                        self.unconfirmed.get_or_insert(GROUP_UNCONFIRMED);
                        Some(Step::RestTerm)
                    }
                    Step::RestTerm if over || view.rest.is_empty() => Some(Step::RestKill),
                    Step::RestKill if over || view.rest.is_empty() => {
                        self.unconfirmed.get_or_insert(REST_UNCONFIRMED);
                        None
                    }
                    _ => break,
                }
            };
            let Some(step) = next else {
                self.move_to(self.step, now);
                self.finished = true;
                actions.push(Action::Finish);
                return actions;
            };
            self.move_to(step, now);
            actions.extend(self.on_entry(view));
        }
        actions.extend(self.on_look(view));
        self.next_look = now + self.look;
        self.look = (self.look * 2).min(LOOK_MAX);
        actions
    }

    fn on_entry(&mut self, view: &View) -> Option<Action> {
        let (action, how) = match self.step {
            Step::LeaderTerm => (Action::TermGroup, How::Sigterm),
            Step::GroupTerm if !view.group.is_empty() => (Action::TermGroup, How::Sigterm),
            Step::LeaderKill => (Action::KillGroup, How::Sigkill),
            Step::GroupKill if !view.group.is_empty() => (Action::KillGroup, How::Sigkill),
            _ => return None,
        };
        self.mark(view.group.iter(), how);
        Some(action)
    }

    /// Descendants outside the group can appear at any look: each is asked once, then killed until it is gone.
    fn on_look(&mut self, view: &View) -> Option<Action> {
        match self.step {
            Step::RestTerm => {
                let fresh: Vec<&Process> = view
                    .rest
                    .iter()
                    .filter(|process| self.seen.get(&process.id).is_some_and(|seen| !seen.termed))
                    .collect();
                self.mark(fresh.iter().copied(), How::Sigterm);
                for process in &fresh {
                    if let Some(seen) = self.seen.get_mut(&process.id) {
                        seen.termed = true;
                    }
                }
                (!fresh.is_empty()).then(|| Action::Term(fresh.iter().map(|process| process.id).collect()))
            }
            Step::RestKill => {
                self.mark(view.rest.iter(), How::Sigkill);
                (!view.rest.is_empty()).then(|| Action::Kill(view.rest.iter().map(|process| process.id).collect()))
            }
            _ => None,
        }
    }

    fn mark<'a>(&mut self, processes: impl Iterator<Item = &'a Process>, how: How) {
        for process in processes {
            if let Some(seen) = self.seen.get_mut(&process.id) {
                seen.how = how;
            }
        }
    }

    /// Takes note of what lives, and of what no longer does.
    pub fn note(&mut self, view: &View) {
        for seen in self.seen.values_mut() {
            seen.gone = true;
        }
        let how = if self.step == Step::StdinClosed { How::StdinClosed } else { How::Exited };
        for (process, in_group) in
            view.group.iter().map(|process| (process, true)).chain(view.rest.iter().map(|process| (process, false)))
        {
            let seen = self.seen.entry(process.id).or_insert_with(|| Seen {
                name: String::new(),
                in_group,
                how,
                termed: false,
                gone: false,
            });
            seen.name.clone_from(&process.name);
            seen.gone = false;
        }
        // A tree that keeps forking must not fill the memory; whoever is gone and too many is only counted.
        while self.seen.len() > PROCESSES_LISTED {
            let Some(id) = self.seen.iter().find(|(_, seen)| seen.gone).map(|(id, _)| *id) else { break };
            self.seen.remove(&id);
            self.unlisted += 1;
        }
    }

    /// The leader as it was before the ladder began, for the receipt.
    pub fn note_exited_leader(&mut self, id: ProcessId, name: String) {
        self.seen.insert(id, Seen { name, in_group: true, how: How::Exited, termed: false, gone: true });
    }

    /// What was done, once finished: (ended, not listed, still there, steps, why unconfirmed).
    pub fn outcome(self) -> Outcome {
        let mut outcome = Outcome {
            processes: Vec::new(),
            unlisted: self.unlisted,
            escaped: Vec::new(),
            steps: self.steps,
            unconfirmed: self.unconfirmed.map(str::to_owned),
        };
        for (id, seen) in self.seen {
            if !seen.gone {
                outcome.escaped.push(Survivor { pid: id.pid, name: seen.name, start_ticks: id.start_ticks });
            } else if outcome.processes.len() < PROCESSES_LISTED {
                outcome.processes.push(EndedProcess {
                    pid: id.pid,
                    name: seen.name,
                    how: seen.how,
                    in_group: seen.in_group,
                });
            } else {
                outcome.unlisted += 1;
            }
        }
        outcome
    }
}

/// What a ladder leaves for the receipt.
#[derive(Debug, PartialEq)]
pub(crate) struct Outcome {
    pub processes: Vec<EndedProcess>,
    pub unlisted: u64,
    pub escaped: Vec<Survivor>,
    pub steps: Vec<StepTaken>,
    pub unconfirmed: Option<String>,
}

pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graces(eof: u64) -> Graces {
        Graces { eof: Duration::from_secs(eof), term: Duration::from_secs(5) }
    }

    fn process(pid: i32, group: i32) -> Process {
        Process { id: ProcessId { pid, start_ticks: 1 }, parent: 1, group, name: format!("p{pid}") }
    }

    fn view(group: &[i32], rest: &[i32]) -> View {
        View {
            leader: group.contains(&1),
            group: group.iter().map(|pid| process(*pid, 1)).collect(),
            rest: rest.iter().map(|pid| process(*pid, *pid)).collect(),
        }
    }

    /// Runs a ladder against a tree that reacts by rule; gives the actions with their second, and the outcome.
    fn run(
        mut ladder: Ladder,
        start: Instant,
        mut alive: impl FnMut(u64, &[Action]) -> View,
    ) -> (Vec<(u64, Action)>, Outcome) {
        let mut done: Vec<(u64, Action)> = Vec::new();
        let mut now = start;
        loop {
            let so_far: Vec<Action> = done.iter().map(|(_, action)| action.clone()).collect();
            let view = alive(millis(now - start), &so_far);
            let actions = ladder.advance(&view, now);
            let second = (now - start).as_secs();
            done.extend(actions.iter().map(|action| (second, action.clone())));
            if actions.contains(&Action::Finish) {
                return (done, ladder.outcome());
            }
            now = ladder.next_look().unwrap();
        }
    }

    #[test]
    fn what_goes_at_the_end_of_its_input_is_sent_no_signal() {
        let start = Instant::now();
        let (ladder, first) = Ladder::for_running(graces(5), start);
        assert_eq!(first, Action::CloseStdin);
        let (actions, outcome) =
            run(ladder, start, |ms, _| if ms < 1_500 { view(&[1, 2], &[]) } else { view(&[], &[]) });
        assert_eq!(actions, [(1, Action::Finish)]);
        assert_eq!(outcome.unconfirmed, None);
        assert_eq!(outcome.escaped, []);
        assert!(outcome.processes.iter().all(|process| process.how == How::StdinClosed));
        assert_eq!(outcome.steps.iter().map(|taken| taken.step).collect::<Vec<_>>(), [Step::StdinClosed]);
    }

    #[test]
    fn an_unreadable_process_table_is_not_an_empty_one() {
        let start = Instant::now();
        let (ladder, _) = Ladder::for_running(graces(5), start);
        let unreadable = || View::of(Err(io::ErrorKind::PermissionDenied.into()));
        assert!(!unreadable().is_empty());
        let (actions, outcome) = run(ladder, start, |_, _| unreadable());
        let signals = [(5, Action::TermGroup), (10, Action::KillGroup)];
        assert_eq!(actions[..2], signals, "the group is signalled unseen");
        assert_eq!(outcome.unconfirmed.as_deref(), Some(LEADER_UNCONFIRMED));
        // Nobody is named that nobody saw.
        assert_eq!((outcome.processes, outcome.escaped), (vec![], vec![]));
        // It can be read again, and what it shows counts.
        let (ladder, _) = Ladder::for_running(graces(5), start);
        let (actions, outcome) =
            run(ladder, start, |ms, _| if ms < 6_000 { unreadable() } else { View::of(Ok(view(&[], &[]))) });
        assert_eq!(actions, [(5, Action::TermGroup), (6, Action::Finish)]);
        assert_eq!(outcome.unconfirmed, None);
    }

    #[test]
    fn a_daemon_is_asked_to_go_as_soon_as_those_who_started_it_are_gone() {
        let start = Instant::now();
        let (ladder, _) = Ladder::for_running(graces(8), start);
        let (actions, outcome) = run(ladder, start, |ms, so_far| match so_far {
            [] if ms < 1_000 => view(&[1], &[9]),
            [] => view(&[], &[9]),
            _ => view(&[], &[]),
        });
        assert_eq!(actions, [(1, Action::Term(vec![ProcessId { pid: 9, start_ticks: 1 }])), (1, Action::Finish)]);
        let how: Vec<_> = outcome.processes.iter().map(|process| (process.pid, process.how)).collect();
        assert_eq!(how, [(1, How::StdinClosed), (9, How::Sigterm)]);
    }

    #[test]
    fn one_that_ignores_everything_but_sigkill_is_gone_after_all_rungs_and_the_receipt_says_how() {
        let start = Instant::now();
        let (ladder, _) = Ladder::for_running(graces(5), start);
        let (actions, outcome) = run(ladder, start, |_, so_far| {
            let killed = so_far.contains(&Action::KillGroup);
            let rest_killed = so_far.iter().any(|action| matches!(action, Action::Kill(_)));
            view(if killed { &[] } else { &[1] }, if rest_killed { &[] } else { &[9] })
        });
        let nine = vec![ProcessId { pid: 9, start_ticks: 1 }];
        assert_eq!(
            actions.iter().map(|(_, action)| action.clone()).collect::<Vec<_>>(),
            [Action::TermGroup, Action::KillGroup, Action::Term(nine.clone()), Action::Kill(nine), Action::Finish]
        );
        let how: Vec<_> =
            outcome.processes.iter().map(|process| (process.pid, process.how, process.in_group)).collect();
        assert_eq!(how, [(1, How::Sigkill, true), (9, How::Sigkill, false)]);
        assert_eq!(outcome.unconfirmed, None);
    }

    #[test]
    fn the_longest_way_down_is_thirty_five_seconds_and_says_what_lives_on() {
        let start = Instant::now();
        let (ladder, _) = Ladder::for_running(graces(5), start);
        // The leader goes at the last moment, so that every rung is waited on.
        let (actions, outcome) =
            run(ladder, start, |ms, _| if ms < 14_900 { view(&[1, 2], &[9]) } else { view(&[2], &[9]) });
        let last = actions.last().unwrap();
        assert_eq!(last.1, Action::Finish);
        assert!(last.0 <= 35, "{last:?}");
        assert_eq!(outcome.unconfirmed.as_deref(), Some(GROUP_UNCONFIRMED));
        assert_eq!(outcome.escaped.iter().map(|left| left.pid).collect::<Vec<_>>(), [2, 9]);
        let steps = [
            Step::StdinClosed,
            Step::LeaderTerm,
            Step::LeaderKill,
            Step::GroupTerm,
            Step::GroupKill,
            Step::RestTerm,
            Step::RestKill,
        ];
        assert_eq!(outcome.steps.iter().map(|taken| taken.step).collect::<Vec<_>>(), steps);
    }

    #[test]
    fn each_wait_after_sigterm_is_as_long_as_the_program_was_given() {
        let start = Instant::now();
        let one = Duration::from_secs(1);
        let (ladder, _) = Ladder::for_running(Graces { eof: Duration::ZERO, term: one }, start);
        let (actions, outcome) = run(ladder, start, |_, so_far| {
            let killed = so_far.contains(&Action::KillGroup);
            let rest_killed = so_far.iter().any(|action| matches!(action, Action::Kill(_)));
            view(if killed { &[] } else { &[1] }, if rest_killed { &[] } else { &[9] })
        });
        let nine = vec![ProcessId { pid: 9, start_ticks: 1 }];
        let expected = [
            (0, Action::TermGroup),
            (1, Action::KillGroup),
            (1, Action::Term(nine.clone())),
            (2, Action::Kill(nine)),
            (2, Action::Finish),
        ];
        assert_eq!((actions.as_slice(), outcome.unconfirmed), (&expected[..], None));
    }

    #[test]
    fn a_leader_that_cannot_be_killed_is_unconfirmed() {
        let start = Instant::now();
        let (ladder, _) = Ladder::for_running(graces(5), start);
        let (_, outcome) = run(ladder, start, |_, _| view(&[1], &[]));
        assert_eq!(outcome.unconfirmed.as_deref(), Some(LEADER_UNCONFIRMED));
    }

    #[test]
    fn what_a_finished_program_left_has_two_seconds() {
        let start = Instant::now();
        let (ladder, _) = Ladder::for_exited(graces(0), start);
        let (actions, outcome) =
            run(
                ladder,
                start,
                |_, so_far| if so_far.contains(&Action::TermGroup) { view(&[], &[]) } else { view(&[2], &[]) },
            );
        assert_eq!(actions, [(2, Action::TermGroup), (2, Action::Finish)]);
        assert_eq!(outcome.processes[0].how, How::Sigterm);
    }
}
