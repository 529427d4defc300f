//! Where an agent's output comes from: the link to its host, or what a finished host left behind.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use bytes::Bytes;
use segue_host::{
    AttachError, EndRecord, Hello, HostEvent, Link, LinkReceiver, LinkSender, Offsets, OrphanPlan, SpoolReader,
};

/// How many records are taken in before what they mean is written: enough for one write to carry
/// thousands of events, few enough to stay under 20 MB.
const BATCH: usize = 256;
/// How long to wait before a host that could not be reached is asked again.
const ATTACH_AGAIN: Duration = Duration::from_millis(200);
/// How long a host may take to remove its folder: a few files, on a machine that may be busy.
const GONE_LIMIT: Duration = Duration::from_secs(2);

/// Before a host that is ending its tree is greeted, and between two greetings. Most trees have ended by then.
const GREET_AGAIN: Duration = Duration::from_secs(2);
/// A host that works answers a greeting at once; each of these may take 5 s.
const SILENT_GREETINGS: u32 = 3;

/// Comes back once the host has said nothing to several greetings in a row.
pub async fn silence(dir: &Path) {
    let mut silent = 0;
    while silent < SILENT_GREETINGS {
        if silent == 0 {
            tokio::time::sleep(GREET_AGAIN).await;
        }
        silent = if segue_host::stands_still(dir).await { silent + 1 } else { 0 };
    }
}

/// What came.
#[derive(Debug)]
pub enum Heard {
    Out(Bytes),
    Err(Bytes),
    OutEof,
    ErrEof,
    /// The first process ended; its output may go on.
    Exited,
    End(Box<EndRecord>),
    /// The connection is gone without an end.
    Lost,
}

/// See the module's documentation.
#[derive(Debug)]
pub enum Source {
    Live {
        sender: LinkSender,
        receiver: LinkReceiver,
    },
    Import {
        reader: Box<SpoolReader>,
        dir: PathBuf,
    },
    /// The host could not be reached though it lives; tried again.
    Waiting {
        dir: PathBuf,
    },
    /// Nothing comes any more.
    Silent {
        dir: PathBuf,
    },
}

impl Source {
    /// Attaches to a host that lives.
    ///
    /// # Errors
    /// As [`Link::attach`].
    pub async fn attach(dir: &Path, from: Offsets) -> Result<(Self, Hello), AttachError> {
        let link = Link::attach(dir, from).await?;
        let hello = link.hello.clone();
        let (sender, receiver) = link.split();
        Ok((Self::Live { sender, receiver }, hello))
    }

    /// Reads what a finished host left.
    ///
    /// # Errors
    /// When the spool cannot be opened.
    pub fn import(dir: &Path, from: Offsets) -> std::io::Result<Self> {
        Ok(Self::Import { reader: Box::new(SpoolReader::open(dir, from)?), dir: dir.to_owned() })
    }

    #[must_use]
    pub const fn retry(dir: PathBuf) -> Self {
        Self::Waiting { dir }
    }

    #[must_use]
    pub const fn silent(dir: PathBuf) -> Self {
        Self::Silent { dir }
    }

    /// The process is gone already.
    #[must_use]
    pub const fn is_import(&self) -> bool {
        matches!(self, Self::Import { .. } | Self::Silent { .. })
    }

    /// The next of what came. Never ends by itself: after [`Heard::End`] or [`Heard::Lost`] it waits
    /// for ever.
    pub async fn next(&mut self) -> Vec<Heard> {
        match self {
            Self::Live { receiver, .. } => match receiver.recv_batch(BATCH).await {
                Some(events) => events.into_iter().filter_map(heard).collect(),
                None => vec![Heard::Lost],
            },
            Self::Import { reader, dir } => {
                let events: Vec<Heard> =
                    reader.by_ref().take(BATCH).filter_map(|event| event.ok().and_then(heard)).collect();
                if events.is_empty() {
                    // A spool without an end record: its host was killed.
                    let dir = dir.clone();
                    *self = Self::Silent { dir };
                    return vec![Heard::Lost];
                }
                if events.iter().any(|event| matches!(event, Heard::End(_))) {
                    let dir = dir.clone();
                    *self = Self::Silent { dir };
                }
                events
            }
            Self::Waiting { .. } => {
                tokio::time::sleep(ATTACH_AGAIN).await;
                vec![Heard::Lost]
            }
            Self::Silent { .. } => std::future::pending().await,
        }
    }

    fn sender(&self) -> Option<&LinkSender> {
        match self {
            Self::Live { sender, .. } => Some(sender),
            _ => None,
        }
    }

    /// Writes input number `n`. To a host that is gone nothing can be said; [`Heard::Lost`] tells.
    pub async fn send(&self, n: u64, bytes: Vec<u8>) {
        if let Some(sender) = self.sender() {
            let _ = sender.send_line(n, Bytes::from(bytes)).await;
        }
    }

    /// The number of the last input that the host is sure to get; 0 when none is known to be.
    #[must_use]
    pub fn delivered(&self) -> u64 {
        self.sender().map_or(0, LinkSender::delivered)
    }

    pub async fn orphan_plan(&self, plan: OrphanPlan) {
        if let Some(sender) = self.sender() {
            let _ = sender.orphan_plan(plan).await;
        }
    }

    /// Everything before these positions is durable.
    pub fn ack(&self, to: Offsets) {
        if let Some(sender) = self.sender() {
            sender.ack(to);
        }
    }

    /// Has the host end the tree.
    pub fn stop(&self, why: &str) {
        if let Some(sender) = self.sender() {
            let (sender, why) = (sender.clone(), why.to_owned());
            tokio::spawn(async move { sender.stop(Some(why)).await });
        }
    }

    /// How long the host lets a kept agent live when no server is attached.
    pub fn idle(&self, bound: Option<Duration>) {
        if let Some(sender) = self.sender() {
            let ms = bound.map(|bound| u64::try_from(bound.as_millis()).unwrap_or(u64::MAX));
            let sender = sender.clone();
            tokio::spawn(async move { sender.idle_clock(ms).await });
        }
    }

    /// The end is recorded: the host may remove its folder and go.
    pub async fn release(&self) {
        match self {
            Self::Live { sender, .. } => {
                let _ = sender.release().await;
            }
            Self::Import { dir, .. } | Self::Waiting { dir, .. } | Self::Silent { dir } => {
                if let Err(error) = segue_host::remove(dir).await {
                    tracing::warn!("remove {}: {error}", dir.display());
                }
            }
        }
    }

    /// Waits until the host that was released has removed its folder.
    pub async fn gone(&mut self) {
        let Self::Live { receiver, .. } = self else { return };
        let emptied = async { while receiver.recv().await.is_some() {} };
        if tokio::time::timeout(GONE_LIMIT, emptied).await.is_err() {
            tracing::warn!("a host that has nothing left to do does not go");
        }
    }
}

fn heard(event: HostEvent) -> Option<Heard> {
    Some(match event {
        HostEvent::Out { bytes, .. } => Heard::Out(bytes),
        HostEvent::Err { bytes, .. } => Heard::Err(bytes),
        HostEvent::OutEof { .. } => Heard::OutEof,
        HostEvent::ErrEof { .. } => Heard::ErrEof,
        HostEvent::Exited(_) => Heard::Exited,
        HostEvent::End(record) => Heard::End(record),
        HostEvent::Gap { stream, from, to } => {
            tracing::warn!(?stream, from, to, "output was imported before and is not read again");
            return None;
        }
    })
}
