//! The host and nothing else, for the tests of this crate.

fn main() {
    let mut args = std::env::args_os().skip(1);
    let status = if args.next().is_some_and(|word| word == "host") { segue_host::guest_main(args) } else { 2 };
    std::process::exit(status);
}
