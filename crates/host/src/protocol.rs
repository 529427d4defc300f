//! What a client says to a host: `[len u32][kind u8][body]`, little-endian, and the hello that answers an attach.
//!
//! Version 1. JSON bodies are additive; a kind that is not known is skipped. No checksum: the bytes stay in the kernel.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::facts::{Exit, HostIdentity, Offsets, OrphanPlan};

pub(crate) const VERSION: u32 = 1;
pub(crate) const REQUEST_HEAD_BYTES: usize = 5;
/// The longest request: one input. A prompt of this size is a mistake, and the host has to hold it whole.
pub const INPUT_MAX_BYTES: usize = 512 << 20;

/// A client's request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Request {
    Attach(Attach),
    /// Bytes for the program's stdin. The number grows with each; a repeat is ignored.
    Line {
        n: u64,
        bytes: Bytes,
    },
    CloseInput,
    Ack(Offsets),
    Stop(Stop),
    OrphanPlan(OrphanPlan),
    Idle(Idle),
    Release,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Attach {
    pub version: u32,
    #[serde(flatten)]
    pub from: Offsets,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Stop {
    #[serde(default)]
    pub reason: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Idle {
    pub ms: Option<u64>,
}

/// What a host says first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    pub version: u32,
    pub identity: HostIdentity,
    /// The number of the last input that was taken in; it and all before it will not be written again. 0 for none.
    pub last_input: u64,
    /// The program's stdin has not been closed.
    pub stdin_open: bool,
    /// The oldest bytes that are still kept.
    pub kept: Offsets,
    /// How far both streams have come.
    pub end: Offsets,
    pub out_eof: bool,
    pub err_eof: bool,
    pub exit: Option<Exit>,
}

mod kind {
    pub const ATTACH: u8 = 1;
    pub const LINE: u8 = 2;
    pub const CLOSE_INPUT: u8 = 3;
    pub const ACK: u8 = 4;
    pub const STOP: u8 = 5;
    pub const ORPHAN_PLAN: u8 = 6;
    pub const IDLE: u8 = 7;
    pub const RELEASE: u8 = 8;
}

/// A request that is not one.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadRequest {
    #[error("a body of {0} bytes")]
    Length(usize),
    #[error("read the body of a request")]
    Body(#[from] serde_json::Error),
}

/// A request on its way out: the small part, and the input's own bytes without a copy.
#[derive(Debug)]
pub(crate) struct Encoded {
    pub head: Vec<u8>,
    pub bytes: Bytes,
}

impl Request {
    pub fn encode(&self) -> Encoded {
        let json = |value: serde_json::Result<Vec<u8>>| value.expect("a request's fields are plain data");
        let (kind, body, bytes) = match self {
            Self::Attach(attach) => (kind::ATTACH, json(serde_json::to_vec(attach)), Bytes::new()),
            Self::Line { n, bytes } => (kind::LINE, n.to_le_bytes().to_vec(), bytes.clone()),
            Self::CloseInput => (kind::CLOSE_INPUT, Vec::new(), Bytes::new()),
            Self::Ack(to) => (kind::ACK, [to.out.to_le_bytes(), to.err.to_le_bytes()].concat(), Bytes::new()),
            Self::Stop(stop) => (kind::STOP, json(serde_json::to_vec(stop)), Bytes::new()),
            Self::OrphanPlan(plan) => (kind::ORPHAN_PLAN, json(serde_json::to_vec(plan)), Bytes::new()),
            Self::Idle(idle) => (kind::IDLE, json(serde_json::to_vec(idle)), Bytes::new()),
            Self::Release => (kind::RELEASE, Vec::new(), Bytes::new()),
        };
        let mut head = Vec::with_capacity(REQUEST_HEAD_BYTES + body.len());
        head.extend_from_slice(&((body.len() + bytes.len()) as u32).to_le_bytes());
        head.push(kind);
        head.extend_from_slice(&body);
        Encoded { head, bytes }
    }

    /// The request of a whole body; `None` for a kind of a newer client.
    pub fn decode(kind: u8, body: Vec<u8>) -> Result<Option<Self>, BadRequest> {
        Ok(Some(match kind {
            kind::ATTACH => Self::Attach(serde_json::from_slice(&body)?),
            kind::LINE => {
                let mut bytes = Bytes::from(body);
                let n = bytes.get(..8).and_then(|n| n.try_into().ok()).ok_or(BadRequest::Length(bytes.len()))?;
                Self::Line { n: u64::from_le_bytes(n), bytes: bytes.split_off(8) }
            }
            kind::CLOSE_INPUT => Self::CloseInput,
            kind::ACK => {
                let number = |range| body.get(range).and_then(|n: &[u8]| n.try_into().ok()).map(u64::from_le_bytes);
                let (Some(out), Some(err)) = (number(0..8), number(8..16)) else {
                    return Err(BadRequest::Length(body.len()));
                };
                Self::Ack(Offsets { out, err })
            }
            kind::STOP => Self::Stop(serde_json::from_slice(&body)?),
            kind::ORPHAN_PLAN => Self::OrphanPlan(serde_json::from_slice(&body)?),
            kind::IDLE => Self::Idle(serde_json::from_slice(&body)?),
            kind::RELEASE => Self::Release,
            _ => return Ok(None),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_request_comes_back_as_it_was_sent() {
        let requests = [
            Request::Attach(Attach { version: 1, from: Offsets { out: 3, err: u64::MAX } }),
            Request::Line { n: 9, bytes: Bytes::from_static(b"{}\n") },
            Request::CloseInput,
            Request::Ack(Offsets { out: 1, err: 2 }),
            Request::Stop(Stop { reason: Some("cancelled".to_owned()) }),
            Request::OrphanPlan(OrphanPlan {
                cancel_line: Some("x".to_owned()),
                await_reply_id: Some(7.into()),
                grace_ms: None,
            }),
            Request::Idle(Idle { ms: Some(5) }),
            Request::Release,
        ];
        for request in requests {
            let Encoded { head, bytes } = request.encode();
            let whole = [head.as_slice(), &bytes].concat();
            let len = u32::from_le_bytes(whole[..4].try_into().unwrap()) as usize;
            assert_eq!(len, whole.len() - REQUEST_HEAD_BYTES);
            assert_eq!(Request::decode(whole[4], whole[5..].to_vec()).unwrap(), Some(request));
        }
        assert_eq!(Request::decode(200, vec![]).unwrap(), None);
        assert!(Request::decode(2, vec![1]).is_err());
    }
}
