//! The pages of the program's own file that only the start needed.
//!
//! A server sits idle for hours, a host for as long as its program runs, and both have mapped what their start touched
//! once: megabytes, with what the kernel maps around each page. They are given back when the start is over; what is used
//! again is mapped again, without a disk, in the microseconds of a minor fault.

/// Has the kernel forget which pages of the code and the constants are mapped. Nothing changes but what counts as
/// resident; where it cannot be done, nothing at all.
#[cfg(target_os = "linux")]
pub fn give_back() {
    let Ok(exe) = std::fs::read_link("/proc/self/exe") else { return };
    let Ok(maps) = std::fs::read_to_string("/proc/self/maps") else { return };
    for range in unwritten(&maps, &exe.to_string_lossy()) {
        let start = std::ptr::with_exposed_provenance_mut(range.start);
        #[expect(unsafe_code, reason = "advice on memory is unsafe, since some of it changes what is there")]
        // SAFETY: the range is a whole private mapping of the program's file that was never writable, so every page of
        // it is what the file has at that place, and that is what is read when it is touched again.
        let _ = unsafe { rustix::mm::madvise(start, range.len(), rustix::mm::Advice::LinuxDontNeed) };
    }
}

#[cfg(not(target_os = "linux"))]
pub fn give_back() {}

/// The code, and the part of the file before it with the constants. What lies after it may be read-only now and was
/// written to by the loader.
#[cfg(target_os = "linux")]
fn unwritten(maps: &str, exe: &str) -> Vec<std::ops::Range<usize>> {
    let line = |line: &str| {
        let mut words = line.split_ascii_whitespace();
        let (range, access, offset) = (words.next()?, words.next()?, words.next()?);
        let file = words.nth(2)?;
        let kept = (access == "r-xp") || (access == "r--p" && offset.bytes().all(|digit| digit == b'0'));
        let (start, end) = range.split_once('-')?;
        let address = |text| usize::from_str_radix(text, 16).ok();
        (file == exe && kept).then_some(())?;
        Some(address(start)?..address(end)?)
    };
    maps.lines().filter_map(line).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_what_nobody_ever_wrote_is_given_back() {
        let maps = "\
55d0a000-55d0b000 r--p 00000000 fe:00 123 /usr/bin/segue
55d0b000-55d0d000 r-xp 00001000 fe:00 123 /usr/bin/segue
55d0d000-55d0e000 r--p 00003000 fe:00 123 /usr/bin/segue
55d0e000-55d0f000 rw-p 00004000 fe:00 123 /usr/bin/segue
55d0f000-55d10000 rw-p 00000000 00:00 0 [heap]
7f000000-7f001000 r--p 00000000 fe:00 124 /usr/lib/libc.so.6
7f001000-7f002000 r-xp 00001000 fe:00 124 /usr/lib/libc.so.6
7f002000-7f003000 r-xp 00000000 00:00 0 [vdso]
7f003000-7f004000 r--p 00000000 00:00 0";
        assert_eq!(unwritten(maps, "/usr/bin/segue"), [0x55d0_a000..0x55d0_b000, 0x55d0_b000..0x55d0_d000]);
    }

    /// The program goes on as it was.
    #[test]
    fn what_was_given_back_is_there_when_it_is_wanted() {
        let words = || ["constants", "and code"].map(str::to_uppercase);
        let before = words();
        give_back();
        assert_eq!(words(), before);
    }
}
