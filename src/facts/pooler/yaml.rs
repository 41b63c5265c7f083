//! YAML as a tree of nodes that know where they stand: parsed by saphyr, whose events carry positions.

use crate::span::Span;
use saphyr_parser::{Event, Parser, ScalarStyle};
use std::collections::{HashMap, HashSet};

/// Deeper nesting than this is not read.
const MAX_DEPTH: usize = 64;

/// Index of a node.
pub(super) type Id = usize;

/// A node.
#[derive(Debug)]
pub(super) struct Node {
    /// Where; empty for a mapping or a sequence.
    pub(super) span: Span,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    Scalar {
        text: String,
        /// Where the text stands as it is, without quotes; `None` where it is escaped or folded.
        verbatim: Option<Span>,
    },
    Sequence(Vec<Id>),
    Mapping(Vec<(Id, Id)>),
    Alias(Id),
}

/// The documents of a text.
#[derive(Debug, Default)]
pub(super) struct Yaml {
    nodes: Vec<Node>,
    pub(super) documents: Vec<Id>,
    /// Whether it was understood to its end.
    pub(super) whole: bool,
}

impl Yaml {
    /// Reads as far as the text is YAML.
    pub(super) fn parse(text: &str) -> Self {
        let offsets = Offsets::new(text);
        let mut builder = Builder::default();
        let mut parser = Parser::new_from_str(text);
        while let Some(Ok((event, at))) = parser.next_event() {
            let span = Span::new(offsets.byte(at.start.index()), offsets.byte(at.end.index()));
            if matches!(event, Event::StreamEnd) {
                builder.yaml.whole = !builder.too_deep;
                break;
            }
            if builder.open.len() > MAX_DEPTH {
                builder.too_deep = true;
                break;
            }
            builder.event(event, span, text);
        }
        while builder.close() {}
        builder.yaml
    }

    /// The node, behind its aliases.
    fn node(&self, id: Id) -> Option<&Node> {
        let mut node = self.nodes.get(id)?;
        for _ in 0..8 {
            let Kind::Alias(to) = node.kind else { return Some(node) };
            node = self.nodes.get(to)?;
        }
        None
    }

    /// The node if it is a scalar: its text, where that stands as it is, and all of it.
    pub(super) fn scalar(&self, id: Id) -> Option<(&str, Option<Span>, Span)> {
        let node = self.node(id)?;
        match &node.kind {
            Kind::Scalar { text, verbatim } => Some((text, *verbatim, node.span)),
            _ => None,
        }
    }

    /// Its elements, if it is a sequence.
    pub(super) fn elements(&self, id: Id) -> &[Id] {
        match self.node(id).map(|node| &node.kind) {
            Some(Kind::Sequence(elements)) => elements,
            _ => &[],
        }
    }

    /// Its pairs, if it is a mapping, with those of the mappings that it merges in.
    pub(super) fn pairs(&self, id: Id) -> Vec<(Id, Id)> {
        let own = self.own_pairs(id);
        let known: HashSet<&str> = own.iter().filter_map(|(key, _)| self.text(*key)).collect();
        let mut all = own.to_vec();
        for &(key, value) in own {
            if self.text(key) == Some("<<") {
                let several = self.elements(value);
                let merged = if several.is_empty() { std::slice::from_ref(&value) } else { several };
                let inherited = merged.iter().flat_map(|&mapping| self.own_pairs(mapping));
                all.extend(inherited.filter(|(key, _)| self.text(*key).is_none_or(|key| !known.contains(key))));
            }
        }
        all
    }

    fn own_pairs(&self, id: Id) -> &[(Id, Id)] {
        match self.node(id).map(|node| &node.kind) {
            Some(Kind::Mapping(pairs)) => pairs,
            _ => &[],
        }
    }

    /// The text of a scalar.
    pub(super) fn text(&self, id: Id) -> Option<&str> {
        self.scalar(id).map(|(text, ..)| text)
    }

    /// The value of a key.
    pub(super) fn get(&self, id: Id, key: &str) -> Option<Id> {
        self.own_pairs(id).iter().find(|(known, _)| self.text(*known) == Some(key)).map(|&(_, value)| value)
    }

    /// The value down a path of keys.
    pub(super) fn at(&self, id: Id, path: &[&str]) -> Option<Id> {
        path.iter().try_fold(id, |id, key| self.get(id, key))
    }
}

/// A collection that is being read.
struct Open {
    id: Id,
    children: Vec<Id>,
    is_mapping: bool,
}

#[derive(Default)]
struct Builder {
    yaml: Yaml,
    open: Vec<Open>,
    anchors: HashMap<usize, Id>,
    too_deep: bool,
}

impl Builder {
    fn event(&mut self, event: Event<'_>, span: Span, text: &str) {
        let empty = Span::new(span.start, span.start);
        match event {
            Event::Scalar(value, style, anchor, _) => {
                let verbatim = verbatim(text, span, &value, style);
                let kind = Kind::Scalar { text: value.into_owned(), verbatim };
                self.add(Node { span, kind }, anchor);
            }
            Event::Alias(anchor) => {
                // What holds itself would be walked for ever.
                let to = self.anchors.get(&anchor).filter(|&&to| self.open.iter().all(|open| open.id != to));
                let kind = to.map_or_else(|| Kind::Sequence(Vec::new()), |&to| Kind::Alias(to));
                self.add(Node { span, kind }, 0);
            }
            Event::SequenceStart(anchor, _) | Event::MappingStart(anchor, _) => {
                let is_mapping = matches!(event, Event::MappingStart(..));
                let id = self.add(Node { span: empty, kind: Kind::Sequence(Vec::new()) }, anchor);
                self.open.push(Open { id, children: Vec::new(), is_mapping });
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.close();
            }
            _ => {}
        }
    }

    fn add(&mut self, node: Node, anchor: usize) -> Id {
        let id = self.yaml.nodes.len();
        self.yaml.nodes.push(node);
        if anchor > 0 {
            self.anchors.insert(anchor, id);
        }
        match self.open.last_mut() {
            Some(open) => open.children.push(id),
            None => self.yaml.documents.push(id),
        }
        id
    }

    fn close(&mut self) -> bool {
        let Some(open) = self.open.pop() else { return false };
        let kind = if open.is_mapping {
            Kind::Mapping(open.children.as_chunks().0.iter().map(|&[key, value]| (key, value)).collect())
        } else {
            Kind::Sequence(open.children)
        };
        if let Some(node) = self.yaml.nodes.get_mut(open.id) {
            node.kind = kind;
        }
        true
    }
}

/// Where a scalar's text stands in the source as it is.
fn verbatim(text: &str, span: Span, value: &str, style: ScalarStyle) -> Option<Span> {
    let quotes = match style {
        ScalarStyle::Plain => 0,
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => 1,
        ScalarStyle::Literal | ScalarStyle::Folded => return None,
    };
    let start = span.start + quotes;
    let inside = Span::new(start, start + value.len());
    (text.get(inside.range()) == Some(value)).then_some(inside)
}

/// The parser counts characters.
struct Offsets {
    /// Byte offset of each character; empty where all are ASCII.
    bytes: Vec<usize>,
    len: usize,
}

impl Offsets {
    fn new(text: &str) -> Self {
        let bytes = if text.is_ascii() { Vec::new() } else { text.char_indices().map(|(at, _)| at).collect() };
        Self { bytes, len: text.len() }
    }

    fn byte(&self, character: usize) -> usize {
        if self.bytes.is_empty() {
            character.min(self.len)
        } else {
            self.bytes.get(character).copied().unwrap_or(self.len)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn scalars_know_where_they_stand() {
        let text = "é: &a\n  x: 'one two'\n  y: \"q\\n\"\nz:\n  <<: *a\n  w: [p, \"r\"]\n---\nb: |\n  block\n";
        let yaml = Yaml::parse(text);
        assert!(yaml.whole && yaml.documents.len() == 2);
        let z = yaml.get(yaml.documents[0], "z").unwrap();
        let merged = yaml.pairs(z).into_iter().find(|(key, _)| yaml.text(*key) == Some("x")).unwrap().1;
        let (value, verbatim, _) = yaml.scalar(merged).unwrap();
        assert_eq!((value, verbatim.map(|span| &text[span.range()])), ("one two", Some("one two")));
        let y = yaml.at(yaml.documents[0], &["é", "y"]).unwrap();
        assert_eq!(yaml.scalar(y).map(|(value, verbatim, _)| (value, verbatim)), Some(("q\n", None)));
        let r = yaml.elements(yaml.at(z, &["w"]).unwrap())[1];
        assert_eq!(yaml.scalar(r).and_then(|(_, verbatim, _)| verbatim).map(|span| &text[span.range()]), Some("r"));
        assert_eq!(yaml.text(yaml.get(yaml.documents[1], "b").unwrap()), Some("block\n"));
    }

    #[test]
    fn what_is_no_yaml_is_read_up_to_there() {
        let yaml = Yaml::parse("a: 1\nb: {{- if .x }}\nc: [");
        assert!(!yaml.whole);
        assert_eq!(yaml.documents.first().and_then(|&d| yaml.get(d, "a")).and_then(|id| yaml.text(id)), Some("1"));
        assert!(!Yaml::parse(&"[".repeat(100_000)).whole);
        assert!(!Yaml::parse(&"{a: ".repeat(2_000)).whole);
        let loops = Yaml::parse("a: &a [*a, {c: *a}]\nb: *nope");
        assert!(loops.documents.len() <= 1);
        assert!(loops.nodes.iter().all(|node| !matches!(node.kind, Kind::Alias(_))));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in r#"([a-c:&*<>\[\]{}|"'%#!?,\-\n\\ \té]|\r\n|---\n|: |- ){0,60}"#) {
            let yaml = Yaml::parse(&text);
            for id in 0..yaml.nodes.len() {
                yaml.pairs(id);
                if let Some((value, Some(verbatim), _)) = yaml.scalar(id) {
                    prop_assert_eq!(text.get(verbatim.range()), Some(value));
                }
            }
        }
    }
}
