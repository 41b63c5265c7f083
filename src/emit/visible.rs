//! Text from files and paths never drives the terminal: what is no printable character is spelled out.

use std::borrow::Cow;

/// The text with control characters and the marks that turn the direction of writing spelled as escapes.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(hidden) {
        return Cow::Borrowed(text);
    }
    let mut spelled = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if hidden(c) {
            spelled.extend(c.escape_default());
        } else {
            spelled.push(c);
        }
    }
    Cow::Owned(spelled)
}

/// Whether a character acts on a terminal or hides from the eye.
fn hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{061C}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}

/// One line of a snippet: the same, but tabs stay, since the renderer expands them.
pub(super) fn visible_line(text: &str, out: &mut String) {
    for (index, part) in text.split('\t').enumerate() {
        if index > 0 {
            out.push('\t');
        }
        out.push_str(&visible(part));
    }
}
