//! Linux: by the type in the list of mounts of the device that the folder is on.

use std::{fs, io, os::unix::fs::MetadataExt, path::Path};

use rustix::fs::{major, minor};

/// Types as `mountinfo` names them.
const NETWORK: [&str; 22] = [
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "ncpfs",
    "afs",
    "coda",
    "ceph",
    "lustre",
    "gfs2",
    "ocfs2",
    "beegfs",
    "fuse.sshfs",
    "fuse.s3fs",
    "fuse.rclone",
    "fuse.gcsfuse",
    "fuse.glusterfs",
    "fuse.ceph",
    "fuse.davfs",
    "fuse.juicefs",
    "davfs",
];

/// The name of the network file system that `dir` is on; `None` for a local one.
pub(in super::super) fn kind(dir: &Path) -> io::Result<Option<String>> {
    let device = fs::metadata(dir)?.dev();
    // Without /proc there is nothing to judge by, and a guess would lock out a good disk.
    let Ok(mounts) = fs::read("/proc/self/mountinfo") else { return Ok(None) };
    Ok(network_type(&String::from_utf8_lossy(&mounts), major(device), minor(device)))
}

/// `36 35 98:0 /root /mount options - type source super-options`, see proc_pid_mountinfo(5).
fn network_type(mounts: &str, major: u32, minor: u32) -> Option<String> {
    let device = format!("{major}:{minor}");
    let kinds = mounts.lines().filter_map(|line| {
        let (place, source) = line.split_once(" - ")?;
        (place.split(' ').nth(2) == Some(&device)).then(|| source.split(' ').next())?
    });
    kinds.filter(|kind| NETWORK.contains(kind)).map(str::to_owned).next()
}

#[cfg(test)]
mod tests {
    use super::network_type;

    const MOUNTS: &str = "22 1 259:2 / / rw,relatime shared:1 - ext4 /dev/root rw\n\
        90 22 0:48 / /home/u rw shared:40 master:1 - nfs4 server:/home rw,vers=4.2\n\
        91 22 0:49 / /mnt/s rw - fuse.sshfs u@h: rw\n\
        92 22 0:50 / /mnt/b rw - fuse.bindfs /srv rw\n\
        93 22 0:51 / /mnt/c rw - 9p C:\\134 rw\n";

    #[test]
    fn only_what_is_shared_between_machines_is_named() {
        let found: Vec<_> =
            [(259, 2), (0, 48), (0, 49), (0, 50), (0, 51), (9, 9)].map(|(a, b)| network_type(MOUNTS, a, b)).into();
        let expected = [None, Some("nfs4"), Some("fuse.sshfs"), None, None, None].map(|kind| kind.map(str::to_owned));
        assert_eq!(found, expected);
    }
}
