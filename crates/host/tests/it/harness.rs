//! A folder, a host, and the proof that neither leaves anything behind.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use segue_host::{EndRecord, Exit, HOST_MARK, HostConfig, HostEvent, HostSpec, Link, LinkReceiver, Offsets, Started};
use segue_model::HostId;
use tempfile::TempDir;

/// Far longer than anything here takes; a test that hits it hangs.
pub const LONG: Duration = Duration::from_secs(90);

/// One host's place in a test.
pub struct Place {
    root: TempDir,
    pub id: HostId,
}

impl Place {
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = u64::from(std::process::id()) << 16 | NEXT.fetch_add(1, Ordering::Relaxed);
        Self { root: tempfile::tempdir().unwrap(), id: HostId::from_bytes(number.to_be_bytes()) }
    }

    /// The host's folder.
    pub fn dir(&self) -> PathBuf {
        self.root.path().join("hosts").join(self.id.as_str())
    }

    /// The program's working folder.
    pub fn workspace(&self) -> &Path {
        self.root.path()
    }

    pub fn spec(&self, script: &str) -> HostSpec {
        HostSpec {
            host_id: self.id.clone(),
            dir: self.dir(),
            exe: env!("CARGO_BIN_EXE_segue-testhost").into(),
            program: "/bin/sh".into(),
            args: vec![OsString::from("-c"), script.into()],
            env: vec![("PATH".into(), std::env::var_os("PATH").unwrap_or_default())],
            cwd: self.workspace().to_owned(),
            config: HostConfig::default(),
        }
    }

    pub async fn start(&self, script: &str) -> Started {
        segue_host::start(self.spec(script)).await.unwrap()
    }

    pub async fn attach(&self) -> Link {
        Link::attach(&self.dir(), Offsets::default()).await.unwrap()
    }

    /// The processes that carry this host's mark, the host among them.
    pub fn marked(&self) -> Vec<i32> {
        let mark = format!("{HOST_MARK}={}", self.id);
        let pids = std::fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
        pids.filter(|pid| {
            let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environ.split(|byte| *byte == 0).any(|entry| entry == mark.as_bytes())
        })
        .collect()
    }

    /// Every process is gone, and so is the folder.
    pub async fn is_clean(&self) {
        until("no process is left", || self.marked().is_empty()).await;
        until("the folder is gone", || !self.dir().exists()).await;
    }

    /// The end has been seen: the host may go, and goes.
    pub async fn release(&self, mut link: Link) {
        link.sender.release().await.unwrap();
        assert_eq!(link.receiver.recv().await, None);
        self.is_clean().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if std::thread::panicking() {
            for pid in self.marked() {
                let _ = rustix::process::kill_process(
                    rustix::process::Pid::from_raw(pid).unwrap(),
                    rustix::process::Signal::KILL,
                );
            }
        }
    }
}

/// Waits for a named condition.
pub async fn until(what: &str, condition: impl Fn() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < LONG, "waited in vain until {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Both streams as a client put them together.
#[derive(Debug, Default)]
pub struct Seen {
    pub out: Vec<u8>,
    pub err: Vec<u8>,
    pub out_eof: bool,
    pub err_eof: bool,
    pub exit: Option<Exit>,
    pub end: Option<EndRecord>,
}

impl Seen {
    pub fn offsets(&self) -> Offsets {
        Offsets { out: self.out.len() as u64, err: self.err.len() as u64 }
    }

    /// Takes an event in; every byte must continue where the last one ended.
    pub fn take(&mut self, event: HostEvent) {
        assert_eq!(self.end, None, "nothing follows the end");
        match event {
            HostEvent::Out { offset, bytes } => {
                assert_eq!(offset, self.out.len() as u64, "no byte of stdout twice, none missing");
                self.out.extend_from_slice(&bytes);
            }
            HostEvent::Err { offset, bytes } => {
                assert_eq!(offset, self.err.len() as u64, "no byte of stderr twice, none missing");
                self.err.extend_from_slice(&bytes);
            }
            HostEvent::OutEof { len } => {
                assert_eq!(len, self.out.len() as u64);
                self.out_eof = true;
            }
            HostEvent::ErrEof { .. } => self.err_eof = true,
            HostEvent::Exited(exit) => self.exit = Some(exit),
            HostEvent::End(end) => self.end = Some(*end),
            HostEvent::Gap { .. } => panic!("nothing was acknowledged: {event:?}"),
        }
    }

    /// Receives until a condition holds.
    pub async fn until(&mut self, receiver: &mut LinkReceiver, what: &str, condition: impl Fn(&Self) -> bool) {
        let receiving = async {
            while !condition(self) {
                for event in receiver.recv_batch(64).await.unwrap_or_else(|| panic!("the link closed before {what}")) {
                    self.take(event);
                }
            }
        };
        tokio::time::timeout(LONG, receiving).await.unwrap_or_else(|_| panic!("waited in vain for {what}"));
    }

    pub async fn the_end(&mut self, receiver: &mut LinkReceiver) -> EndRecord {
        self.until(receiver, "the end", |seen| seen.end.is_some()).await;
        assert!(self.out_eof && self.err_eof);
        self.end.clone().unwrap()
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.out).unwrap()
    }
}

/// Runs a script to its end, with the end imported and the host gone.
pub async fn run(place: &Place, script: &str) -> (Seen, EndRecord) {
    place.start(script).await;
    let mut link = place.attach().await;
    let mut seen = Seen::default();
    let end = seen.the_end(&mut link.receiver).await;
    place.release(link).await;
    (seen, end)
}

pub fn is_alive(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with('Z'))
}
