//! Text from JSON strings that may hold halves of a character.
//!
//! An agent that cuts its text between the two UTF-16 halves of one character sends `"\ud83d"` in
//! one chunk and `"\ude00"` in the next. Neither is text alone; side by side they are.

use serde::{Deserialize, Serialize};

/// The text of one chunk, with what may be half a character at its ends.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Piece {
    /// A trailing half (U+DC00 to U+DFFF) that the chunk begins with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    first: Option<u16>,
    text: String,
    /// A leading half (U+D800 to U+DBFF) that the chunk ends with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last: Option<u16>,
}

/// Pieces joined. Halves that end up side by side become their character, others U+FFFD.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Text {
    done: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    half: Option<u16>,
}

fn is_leading(unit: u16) -> bool {
    (0xD800..0xDC00).contains(&unit)
}

impl Piece {
    /// From generalised UTF-8, in which a half is encoded like any other code point. Other invalid
    /// bytes become U+FFFD.
    #[must_use]
    pub fn from_wtf8(bytes: &[u8]) -> Self {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return Self::from(text);
        }
        let mut piece = Self::default();
        let mut rest = bytes;
        while let Some(at) = rest.windows(3).position(|w| w[0] == 0xED && w[1] >= 0xA0 && w[2] & 0xC0 == 0x80) {
            let unit = 0xD000 | (u16::from(rest[at + 1] & 0x3F) << 6) | u16::from(rest[at + 2] & 0x3F);
            piece.push_str(&String::from_utf8_lossy(&rest[..at]));
            piece.push_half(unit);
            rest = &rest[at + 3..];
        }
        piece.push_str(&String::from_utf8_lossy(rest));
        piece
    }

    fn push_str(&mut self, text: &str) {
        if !text.is_empty() {
            self.settle_last();
            self.text.push_str(text);
        }
    }

    fn push_half(&mut self, unit: u16) {
        if is_leading(unit) {
            self.settle_last();
            self.last = Some(unit);
        } else if let Some(leading) = self.last.take() {
            join(leading, unit, &mut self.text);
        } else if self.is_empty() {
            self.first = Some(unit);
        } else {
            self.text.push(char::REPLACEMENT_CHARACTER);
        }
    }

    fn settle_last(&mut self) {
        if self.last.take().is_some() {
            self.text.push(char::REPLACEMENT_CHARACTER);
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.first.is_none() && self.text.is_empty() && self.last.is_none()
    }
}

impl From<&str> for Piece {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl From<String> for Piece {
    fn from(text: String) -> Self {
        Self { first: None, text, last: None }
    }
}

fn join(leading: u16, trailing: u16, out: &mut String) {
    out.extend(char::decode_utf16([leading, trailing]).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
}

impl Text {
    pub fn push(&mut self, piece: &Piece) {
        if piece.is_empty() {
            return;
        }
        match (self.half.take(), piece.first) {
            (Some(leading), Some(trailing)) => join(leading, trailing, &mut self.done),
            (None, None) => {}
            _ => self.done.push(char::REPLACEMENT_CHARACTER),
        }
        self.done.push_str(&piece.text);
        self.half = piece.last;
    }

    /// Nothing was pushed but empty pieces.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.done.is_empty() && self.half.is_none()
    }

    /// How many bytes the text has so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.done.len() + if self.half.is_some() { char::REPLACEMENT_CHARACTER.len_utf8() } else { 0 }
    }

    /// The text; a half left alone at the end becomes U+FFFD.
    #[must_use]
    pub fn finish(mut self) -> String {
        if self.half.is_some() {
            self.done.push(char::REPLACEMENT_CHARACTER);
        }
        self.done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(pieces: &[Piece]) -> String {
        let mut text = Text::default();
        pieces.iter().for_each(|piece| text.push(piece));
        text.finish()
    }

    const HIGH: &[u8] = b"\xED\xA0\xBD";
    const LOW: &[u8] = b"\xED\xB8\x80";

    #[test]
    fn halves_side_by_side_are_their_character() {
        let high = Piece::from_wtf8(&[b"a", HIGH].concat());
        let low = Piece::from_wtf8(&[LOW, b"b"].concat());
        assert_eq!(joined(&[high.clone(), low.clone()]), "a\u{1F600}b");
        assert_eq!(joined(&[high.clone(), Piece::from(""), low.clone()]), "a\u{1F600}b");
        assert_eq!(joined(&[Piece::from_wtf8(HIGH), Piece::from_wtf8(LOW)]), "\u{1F600}");
        assert_eq!(joined(&[Piece::from_wtf8(&[HIGH, LOW].concat())]), "\u{1F600}");
    }

    #[test]
    fn a_half_alone_is_a_replacement_character() {
        let high = Piece::from_wtf8(HIGH);
        let low = Piece::from_wtf8(LOW);
        for (pieces, text) in [
            (vec![high.clone()], "\u{FFFD}"),
            (vec![low.clone()], "\u{FFFD}"),
            (vec![low.clone(), high.clone()], "\u{FFFD}\u{FFFD}"),
            (vec![high.clone(), high.clone(), low.clone()], "\u{FFFD}\u{1F600}"),
            (vec![high.clone(), Piece::from("x"), low.clone()], "\u{FFFD}x\u{FFFD}"),
            (vec![Piece::from_wtf8(&[b"a", LOW, b"b", HIGH, b"c"].concat())], "a\u{FFFD}b\u{FFFD}c"),
            (vec![Piece::from_wtf8(&[LOW, LOW].concat())], "\u{FFFD}\u{FFFD}"),
        ] {
            assert_eq!(joined(&pieces), text);
        }
    }

    #[test]
    fn other_bytes_are_lossy_text() {
        assert_eq!(joined(&[Piece::from_wtf8(b"a\xFFb\xED\xA0")]), String::from_utf8_lossy(b"a\xFFb\xED\xA0"));
    }

    #[test]
    fn it_can_be_stored_between_two_halves() {
        let mut text = Text::default();
        text.push(&Piece::from_wtf8(HIGH));
        assert_eq!(text.len(), 3);
        let mut text: Text = serde_json::from_str(&serde_json::to_string(&text).unwrap()).unwrap();
        text.push(&serde_json::from_str(&serde_json::to_string(&Piece::from_wtf8(LOW)).unwrap()).unwrap());
        assert_eq!(text.finish(), "\u{1F600}");
    }
}
