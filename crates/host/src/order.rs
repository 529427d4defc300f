//! What a host that is ready is told to start, over its standard input and to the end of it: everything that a host
//! which is started for one program gets by argument, environment, working folder and configuration.
//!
//! `[len u64]` and so many bytes: fields that each end with a zero byte, which none of them can hold. A message that is
//! not whole was not said: the one who tells died before it was done, and nothing was started.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use crate::facts::{HOST_MARK, HostConfig};
use crate::start::HostSpec;

const LEN_BYTES: usize = 8;

/// A program, and how its host is to keep it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Order {
    pub config: HostConfig,
    /// The host's folder.
    pub dir: PathBuf,
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// Where the program runs and what its environment is; as the host's own where nothing is said.
    pub place: Option<Place>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    pub cwd: PathBuf,
    pub env: Vec<(OsString, OsString)>,
}

/// The message for a host that is ready.
///
/// # Errors
/// Something in it cannot be passed to any program.
pub(crate) fn encode(spec: &HostSpec, config: &HostConfig) -> io::Result<Vec<u8>> {
    let config = serde_json::to_vec(config)?;
    let count = spec.args.len().to_string();
    let mut message = vec![0; LEN_BYTES];
    let mut put = |parts: &[&[u8]]| -> io::Result<()> {
        for part in parts {
            if part.contains(&0) {
                return Err(io::ErrorKind::InvalidInput.into());
            }
            message.extend_from_slice(part);
        }
        message.push(0);
        Ok(())
    };
    put(&[&config])?;
    for path in [&spec.dir, &spec.cwd, &spec.program] {
        put(&[path.as_os_str().as_bytes()])?;
    }
    put(&[count.as_bytes()])?;
    for arg in &spec.args {
        put(&[arg.as_bytes()])?;
    }
    for (name, value) in &spec.env {
        // What a program could not be given by its environment is not given by a message either.
        if name.is_empty() || name.as_bytes().contains(&b'=') {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        put(&[name.as_bytes(), b"=", value.as_bytes()])?;
    }
    put(&[HOST_MARK.as_bytes(), b"=", spec.host_id.as_str().as_bytes()])?;
    let len = (message.len() - LEN_BYTES) as u64;
    message[..LEN_BYTES].copy_from_slice(&len.to_le_bytes());
    Ok(message)
}

/// `None`: nobody said all of it.
pub(crate) fn decode(message: &[u8]) -> Option<Order> {
    let (len, body) = message.split_first_chunk::<LEN_BYTES>()?;
    (u64::from_le_bytes(*len) == body.len() as u64).then_some(())?;
    let mut fields = body.strip_suffix(&[0])?.split(|byte| *byte == 0);
    let config = serde_json::from_slice(fields.next()?).ok()?;
    let mut path = || Some(PathBuf::from(OsString::from_vec(fields.next()?.to_vec())));
    let (dir, cwd, program) = (path()?, path()?, path()?);
    let count: usize = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
    let mut args = Vec::new();
    for _ in 0..count {
        args.push(OsString::from_vec(fields.next()?.to_vec()));
    }
    let mut env = Vec::new();
    for field in fields {
        let at = field.iter().position(|byte| *byte == b'=')?;
        let os = |bytes: &[u8]| OsStr::from_bytes(bytes).to_owned();
        env.push((os(&field[..at]), os(&field[at + 1..])));
    }
    Some(Order { config, dir, program, args, place: Some(Place { cwd, env }) })
}

#[cfg(test)]
mod tests {
    use segue_model::HostId;

    use super::*;

    fn spec() -> HostSpec {
        HostSpec {
            host_id: HostId::from_bytes([7; HostId::BYTES]),
            dir: "/hosts/x".into(),
            exe: "/segue".into(),
            program: "/bin/a b".into(),
            args: vec!["".into(), "-c".into(), OsString::from_vec(vec![0xff, b'=', b'\n'])],
            env: vec![("A".into(), "1=2".into()), ("EMPTY".into(), "".into())],
            cwd: "/work".into(),
            config: HostConfig { json_rpc: false, ..HostConfig::default() },
        }
    }

    #[test]
    fn an_order_comes_as_it_was_given_with_the_mark_of_the_host() {
        let spec = spec();
        let mut env = spec.env.clone();
        env.push((HOST_MARK.into(), spec.host_id.as_str().into()));
        let order = decode(&encode(&spec, &spec.config).unwrap());
        let place = Some(Place { cwd: spec.cwd, env });
        let expected = Order { config: spec.config, dir: spec.dir, program: spec.program, args: spec.args, place };
        assert_eq!(order, Some(expected));
    }

    #[test]
    fn half_an_order_is_none() {
        let spec = spec();
        let message = encode(&spec, &spec.config).unwrap();
        for end in 0..message.len() {
            assert_eq!(decode(&message[..end]), None, "{end}");
        }
    }

    #[test]
    fn what_no_program_can_be_given_is_refused() {
        let zero = || OsString::from_vec(vec![b'x', 0]);
        let specs = [
            HostSpec { args: vec![zero()], ..spec() },
            HostSpec { env: vec![("A".into(), zero())], ..spec() },
            HostSpec { env: vec![("A=B".into(), "".into())], ..spec() },
            HostSpec { env: vec![("".into(), "".into())], ..spec() },
            HostSpec { cwd: zero().into(), ..spec() },
        ];
        for spec in specs {
            assert!(encode(&spec, &spec.config).is_err(), "{spec:?}");
        }
    }
}
