//! The real agents, driven by the real `segue mcp` against a scripted model: what they were seen to do must be told
//! truthfully, and nothing may be left of them.
//!
//! One item of the list is one function that takes the agent's [`habits::Habits`]; each agent has a module with one
//! test for each item. Cursor's agent cannot be installed without its vendor's installer, so a stand-in goes through
//! the same list, which also shows that the list itself holds without the agents.

mod cancelled;
mod failing;
mod flows;
mod habits;
mod kept;
mod sessions;
mod settings;
mod turns;
mod world;

macro_rules! go_through_the_list {
    ($($agent:ident: $habits:expr;)*) => {$(
        mod $agent {
            use super::*;

            #[test]
            fn is_described() {
                settings::is_described($habits);
            }

            #[test]
            fn model_and_effort_are_verified() {
                settings::model_and_effort_are_verified($habits);
            }

            #[test]
            fn says_what_the_model_says() {
                turns::says_what_the_model_says($habits);
            }

            #[test]
            fn writes_and_runs_what_is_allowed() {
                turns::writes_and_runs_what_is_allowed($habits);
            }

            #[test]
            fn neither_writes_nor_runs_what_is_refused() {
                turns::neither_writes_nor_runs_what_is_refused($habits);
            }

            #[test]
            fn is_cancelled_while_it_speaks() {
                cancelled::while_it_speaks($habits);
            }

            #[test]
            fn is_cancelled_while_a_command_runs() {
                cancelled::while_a_command_runs($habits);
            }

            #[test]
            fn is_cancelled_while_the_model_hangs() {
                cancelled::while_the_model_hangs($habits);
            }

            #[test]
            fn resumes_a_session_in_a_new_process() {
                sessions::resumes_a_session_in_a_new_process($habits);
            }

            #[test]
            fn lists_and_deletes_sessions_or_says_that_it_cannot() {
                sessions::lists_and_deletes_sessions_or_says_that_it_cannot($habits);
            }

            #[test]
            fn is_kept_for_another_turn_and_released() {
                kept::is_kept_for_another_turn_and_released($habits);
            }

            #[test]
            fn errors_of_the_model_service_are_told() {
                failing::errors_of_the_model_service_are_told($habits);
            }

            #[test]
            fn a_turn_goes_on_when_the_server_is_killed() {
                failing::a_turn_goes_on_when_the_server_is_killed($habits);
            }
        }
    )*};
}

go_through_the_list! {
    claude: &habits::CLAUDE;
    codex: &habits::CODEX;
    copilot: &habits::COPILOT;
    cline: &habits::CLINE;
    opencode: &habits::OPENCODE;
    stand_in_for_cursor: &habits::CURSOR_STAND_IN;
}
