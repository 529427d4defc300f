//! What a Run was admitted with besides the flow and its input: kept with its first event, so that it needs
//! nothing that somebody may have changed or deleted since.

use serde::{Deserialize, Serialize};

use super::attempt::Attempt;
use crate::flow::{Granularity, Hash, Profile, RunId, id::CapabilityId, inputs::Declaration};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// The local id that it was admitted under.
    pub task_id: String,
    pub task_title: String,
    pub granularity: Granularity,
    pub profile: Profile,
    /// Of all bound nodes, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capability_ids: Vec<CapabilityId>,
    /// Every flow that its nodes run, at any depth.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub callees: Vec<CalleeAbout>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subrun_of: Option<SubrunOf>,
}

/// Another flow as it was when the Run was admitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CalleeAbout {
    pub flow_id: String,
    pub hash: Hash,
    pub task_id: String,
    pub task_title: String,
    pub goal: String,
    pub topic: String,
    pub granularity: Granularity,
    pub capability_ids: Vec<CapabilityId>,
    pub inputs: Vec<Declaration>,
}

/// The attempt of another Run that this one was started for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubrunOf {
    pub run_id: RunId,
    pub attempt: Attempt,
}

impl SubrunOf {
    /// The id of the Run that the attempt starts: always the same one, so that it is started once.
    #[must_use]
    pub fn run_id(&self) -> RunId {
        let digest = Hash::of_bytes(self.key().as_bytes());
        let mut bytes = [0; 16];
        for (byte, digits) in bytes.iter_mut().zip(digest.as_str().as_bytes().chunks(2)) {
            let digits = std::str::from_utf8(digits).unwrap_or_default();
            *byte = u8::from_str_radix(digits, 16).unwrap_or_default();
        }
        RunId::from_bytes(bytes)
    }

    /// Names the attempt among all Runs.
    #[must_use]
    pub fn key(&self) -> String {
        let Attempt { node_id, round, index, attempt } = &self.attempt;
        let index = index.map_or_else(|| "-".to_owned(), |index| index.to_string());
        format!("{}/{round}/{index}/{attempt}/{node_id}", self.run_id)
    }
}

#[cfg(test)]
impl Default for About {
    fn default() -> Self {
        Self {
            task_id: "task_0123456789ab".to_owned(),
            task_title: "Test".to_owned(),
            granularity: Granularity::Balanced,
            profile: Profile::Deterministic,
            capability_ids: Vec::new(),
            callees: Vec::new(),
            subrun_of: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::NodeId;

    #[test]
    fn an_attempt_always_starts_the_same_run_and_no_other_does() {
        let of = |index, attempt| SubrunOf {
            run_id: RunId::from_bytes([7; 16]),
            attempt: Attempt { node_id: NodeId::parse("call").expect("an id"), round: 1, index, attempt },
        };
        assert_eq!(of(None, 1).run_id(), of(None, 1).run_id());
        let ids = [of(None, 1), of(None, 2), of(Some(0), 1), of(Some(1), 1)].map(|of| of.run_id());
        assert!(ids.iter().enumerate().all(|(at, id)| !ids[..at].contains(id)), "{ids:?}");
    }
}
