//! Server-sent events, as far as their data goes. Pure; whoever reads bounds what arrives.

/// Puts events together from bytes that arrive in pieces of any size.
#[derive(Debug, Default)]
pub(super) struct Events {
    line: Vec<u8>,
    data: Option<String>,
    after_return: bool,
}

impl Events {
    /// The data of every event that `bytes` completes.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut events = Vec::new();
        for &byte in bytes {
            let follows_return = std::mem::take(&mut self.after_return);
            match byte {
                b'\n' if follows_return => {}
                b'\n' | b'\r' => {
                    self.after_return = byte == b'\r';
                    events.extend(self.end_line());
                }
                _ => self.line.push(byte),
            }
        }
        events
    }

    fn end_line(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            return self.data.take();
        }
        let line = String::from_utf8_lossy(&line);
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        if field.trim_start_matches('\u{feff}') == "data" {
            let value = value.strip_prefix(' ').unwrap_or(value);
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_however_their_lines_end_and_wherever_they_are_cut() {
        let stream = "\u{feff}data: one\n\n: comment\nevent: message\r\nid: 7\r\ndata:two\r\ndata:  three\r\n\r\ndata\rretry: 1\r\rdata: lost";
        let expected = ["one", "two\n three", ""];
        assert_eq!(Events::default().push(stream.as_bytes()), expected);
        let mut bytewise = Events::default();
        let events: Vec<String> = stream.bytes().flat_map(|byte| bytewise.push(&[byte])).collect();
        assert_eq!(events, expected);
    }
}
