//! Messages on a stream. What is none is answered with an error and passed over: an editor that sends one broken message
//! goes on to send others.

use lsp_server::Message;
use serde_json::json;
use std::io::{self, BufRead, Read, Write};

/// The longest message that is read, in bytes; a file of that size takes longer to lint than anybody waits.
const MAX_LEN: u64 = 1 << 28;

/// The longest line of a header, in bytes.
const MAX_LINE: u64 = 1 << 12;

/// What came.
#[derive(Debug)]
pub(super) enum Incoming {
    /// A message.
    Message(Message),
    /// Something that is none, and why.
    Broken(String),
    /// The end of the stream.
    End,
}

/// Reads up to the next message.
pub(super) fn receive(input: &mut impl BufRead) -> io::Result<Incoming> {
    let mut length: Option<u64> = None;
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(Incoming::End);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\r', '\n']);
        match (line.split_once(':'), length) {
            (None, Some(length)) if line.is_empty() => return body(input, length),
            (Some((name, value)), _) if name.trim().eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().ok();
            }
            // Other headers, and what is left of a message whose length was wrong.
            _ => {}
        }
    }
}

fn body(input: &mut impl BufRead, length: u64) -> io::Result<Incoming> {
    if length > MAX_LEN {
        io::copy(&mut input.take(length), &mut io::sink())?;
        return Ok(Incoming::Broken(format!("a message of {length} bytes is too long")));
    }
    let mut content = Vec::new();
    if input.take(length).read_to_end(&mut content)? as u64 != length {
        return Ok(Incoming::End);
    }
    Ok(match serde_json::from_slice(&content) {
        Ok(message) => Incoming::Message(message),
        Err(error) => Incoming::Broken(error.to_string()),
    })
}

/// Sends a message.
pub(super) fn send(output: &mut impl Write, message: Message) -> io::Result<()> {
    message.write(output)
}

/// Answers something that is no message: nobody knows which request it was to be.
pub(super) fn refuse(output: &mut impl Write, why: &str) -> io::Result<()> {
    let error = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32700, "message": why } }).to_string();
    write!(output, "Content-Length: {}\r\n\r\n{error}", error.len())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The methods and faults in a stream.
    fn read(stream: &str) -> Vec<String> {
        let mut input = io::BufReader::new(stream.as_bytes());
        let mut found = Vec::new();
        loop {
            match receive(&mut input).unwrap() {
                Incoming::Message(Message::Notification(one)) => found.push(one.method),
                Incoming::Message(other) => found.push(format!("{other:?}")),
                Incoming::Broken(_) => found.push("broken".to_owned()),
                Incoming::End => return found,
            }
        }
    }

    #[test]
    fn what_is_no_message_is_passed_over() {
        let frame = |text: &str| format!("Content-Length: {}\r\n\r\n{text}", text.len());
        let good = frame("{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":{}}");
        for (broken, expected) in [
            ("", vec!["a", "a"]),
            ("noise\r\n\r\n", vec!["a", "a"]),
            ("Content-Length: x\r\n\r\n{}\r\n", vec!["a", "a"]),
            ("Content-Type: x\r\n", vec!["a", "a"]),
            (&frame("{"), vec!["a", "broken", "a"]),
            (&frame("[1]"), vec!["a", "broken", "a"]),
            (&frame("\u{1b}é"), vec!["a", "broken", "a"]),
            (&frame(""), vec!["a", "broken", "a"]),
        ] {
            assert_eq!(read(&format!("{good}{broken}{good}")), expected, "{broken:?}");
        }
        assert_eq!(read(&format!("{good}Content-Length: 10\r\n\r\n{{")), ["a"]);
    }
}
