//! Text of agents, made fit for a terminal. Everything that did not come from Segue itself goes through here
//! before it is shown: a terminal would carry out what an escape sequence in it says.

/// One line: line ends and tabs become spaces.
#[must_use]
pub fn line(text: &str) -> String {
    let joined = text.trim().replace("\r\n", "\n");
    joined.chars().map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { shown(c) }).collect()
}

/// One word for a shell, quoted where it has to be.
#[must_use]
pub fn argument(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:@%+=,".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", line(text).replace('\'', "'\\''"))
}

/// The first line that is not empty, cut to this many characters.
#[must_use]
pub fn first_line(text: &str, chars: usize) -> String {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let whole = first.trim().len() == text.trim().len();
    cut(&line(first), chars, !whole)
}

/// As many characters as there are, or fewer and a sign that something is missing.
#[must_use]
pub fn cut(text: &str, chars: usize, more: bool) -> String {
    if text.chars().count() <= chars {
        return if more { format!("{text} …") } else { text.to_owned() };
    }
    let kept: String = text.chars().take(chars.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// Several lines, as they are.
#[must_use]
pub fn block(text: &str) -> String {
    let unix = text.replace("\r\n", "\n");
    unix.chars().map(|c| if matches!(c, '\n' | '\t') { c } else { shown(c) }).collect()
}

/// JSON that means the same and holds nothing a terminal acts on: the control characters that JSON
/// leaves as they are stand inside of strings only.
#[must_use]
pub fn json(text: &str) -> String {
    use std::fmt::Write;
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if c != '\n' && acts(c) {
            let _ = write!(safe, "\\u{:04x}", u32::from(c));
        } else {
            safe.push(c);
        }
    }
    safe
}

/// A sign in place of a character that a terminal acts on.
fn shown(c: char) -> char {
    match c {
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        c if acts(c) => '\u{fffd}',
        c => c,
    }
}

/// Control characters, and those that change the direction of what follows: with them a line can
/// read as something else than it is.
fn acts(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const WILD: &str = "a\u{1b}[2J\u{1b}]0;x\u{7}b\u{9b}31m\r\n\tc\rd\u{7f}\u{202e}e\0";

    #[test]
    fn nothing_acts_on_the_terminal() {
        assert_eq!(block(WILD), "a␛[2J␛]0;x␇b\u{fffd}31m\n\tc␍d␡\u{fffd}e␀");
        assert_eq!(line(WILD), "a␛[2J␛]0;x␇b\u{fffd}31m  c d␡\u{fffd}e␀");
        assert_eq!(block("Grüße 👩‍💻\n"), "Grüße 👩‍💻\n");
    }

    #[test]
    fn json_stays_the_same_value() {
        let value = serde_json::json!({ "k": WILD });
        let text = json(&serde_json::to_string_pretty(&value).unwrap());
        assert!(text.chars().all(|c| c == '\n' || !acts(c)), "{text:?}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }

    #[test]
    fn long_text_is_cut_visibly() {
        assert_eq!(first_line("\n  one \ntwo", 10), "one …");
        assert_eq!(first_line("one\n", 10), "one");
        assert_eq!(first_line("0123456789ab", 10), "012345678…");
        assert_eq!(first_line("", 10), "");
    }
}
