//! What a document of schema version 2 can say of a node beyond version 1 (design §7). Each rule has one file
//! and one form, which is read from the document, hashed, stored, and read back.
//!
//! Nothing here decides when a node runs; these are the data that such a decision needs.

pub mod expression;
pub mod for_each;
pub mod person;
pub mod repair;
pub mod retry;
pub mod subflow;

use super::{fields::Fields, json::Object, problem::Problem};

pub use expression::Expression;
pub use for_each::ForEach;
pub use person::Person;
pub use repair::Repair;
pub use retry::{FailureClass, Retry};
pub use subflow::Subflow;

/// Seconds that one attempt may be given: a day, as for the longest turn of an agent.
pub const TIMEOUT_MAX: u32 = 86_400;
/// Seconds that a node may be given with all its attempts and waits: a year.
pub const DEADLINE_MAX: u32 = 31_536_000;

words! {
    /// What to do with a node that may or may not have written when its host was lost (design §8).
    OnUncertain {
        Fail = "fail",
        Ask = "ask",
    }
}

/// The rules of one node. The default is that of a node of version 1: none.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rules {
    /// Not met: the node is skipped, and what depends only on it too.
    pub when: Option<Expression>,
    pub for_each: Option<ForEach>,
    pub retry: Option<Retry>,
    /// Seconds for each attempt; `None` leaves it to the executor.
    pub timeout_seconds: Option<u32>,
    /// Seconds for the node, from the moment it is ready.
    pub deadline_seconds: Option<u32>,
    pub repair: Option<Repair>,
    pub on_uncertain: Option<OnUncertain>,
    pub person: Option<Person>,
    pub subflow: Option<Subflow>,
}

impl Rules {
    /// Reads what stands at the level of a step: all but the person and the subflow, which are parameters
    /// of their kinds.
    ///
    /// # Errors
    /// The first rule whose form is wrong.
    pub fn read(step: &Fields<'_>) -> Result<Self, Problem> {
        let rules = Self {
            when: Expression::read(step, "when")?,
            for_each: step.object("for_each")?.map(|fields| ForEach::read(&fields)).transpose()?,
            retry: step.object("retry")?.map(|fields| Retry::read(&fields)).transpose()?,
            timeout_seconds: step.integer("timeout_seconds", 1..=TIMEOUT_MAX)?,
            deadline_seconds: step.integer("deadline", 1..=DEADLINE_MAX)?,
            repair: step.object("repair")?.map(|fields| Repair::read(&fields)).transpose()?,
            on_uncertain: step.word("on_uncertain")?,
            person: None,
            subflow: None,
        };
        if let (Some(attempt), Some(node)) = (rules.timeout_seconds, rules.deadline_seconds)
            && attempt > node
        {
            return Err(step.problem("deadline", "must not be shorter than timeout_seconds"));
        }
        Ok(rules)
    }

    /// Reads the rules of a stored node.
    ///
    /// # Errors
    /// As [`Rules::read`].
    pub fn from_definition(node: &Fields<'_>) -> Result<Self, Problem> {
        let mut rules = Self::read(node)?;
        rules.person = node.object("human")?.map(|fields| Person::read(&fields)).transpose()?;
        rules.subflow = node.object("subflow")?.map(|fields| Subflow::from_definition(&fields)).transpose()?;
        Ok(rules)
    }

    /// Adds the rules that are used, and nothing for those that are not, so that a flow without them has
    /// the hash of version 1. What says the same as its absence is not a use.
    pub fn write(&self, node: &mut Object) {
        let used = [
            ("when", self.when.as_ref().map(|rule| rule.text().into())),
            ("for_each", self.for_each.as_ref().map(ForEach::to_json)),
            ("retry", self.retry.as_ref().map(Retry::to_json)),
            ("timeout_seconds", self.timeout_seconds.map(Into::into)),
            ("deadline", self.deadline_seconds.map(Into::into)),
            ("repair", self.repair.as_ref().map(Repair::to_json)),
            ("on_uncertain", self.on_uncertain.filter(|rule| *rule != OnUncertain::Fail).map(Into::into)),
            ("human", self.person.as_ref().map(Person::to_json)),
            ("subflow", self.subflow.as_ref().map(Subflow::to_json)),
        ];
        node.extend(used.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    }

    /// Every expression of the node, with the member it stands in.
    pub fn expressions(&self) -> impl Iterator<Item = (String, &Expression)> {
        let when = self.when.iter().map(|rule| ("when".to_owned(), rule));
        let each = self.for_each.iter().map(|rule| ("for_each/items".to_owned(), &rule.items));
        let subflow = self
            .subflow
            .iter()
            .flat_map(|subflow| subflow.inputs.iter().map(|(name, rule)| (format!("params/inputs/{name}"), rule)));
        when.chain(each).chain(subflow)
    }
}
