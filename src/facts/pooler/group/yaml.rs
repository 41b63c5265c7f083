//! YAML files: Compose services, containers of Kubernetes, and whatever else holds names and values.

use super::{Entry, Group, Read, Service};
use crate::facts::pooler::yaml::{Id, Yaml};
use crate::finding::FileId;
use crate::source::Source;
use crate::span::Span;

/// More nodes than this are not looked at: aliases can make a small text a large tree.
const MAX_VISITS: usize = 100_000;
const MAX_DEPTH: usize = 32;

/// Reads a file.
pub(super) fn read(file: FileId, source: &Source) -> Read {
    let bom = source.bom();
    // The parser takes a byte order mark for a character of its own; with it, positions count from the file's start.
    let yaml = Yaml::parse(source.text());
    let mut walk = Walk {
        file,
        source,
        yaml: &yaml,
        read: Read { in_part: !yaml.whole || bom > 0 && yaml.documents.is_empty(), ..Read::default() },
        visits: 0,
    };
    for &document in &yaml.documents {
        walk.document(document);
    }
    walk.read
        .groups
        .retain(|group| !group.entries.is_empty() || !group.program.is_empty() || !group.commands.is_empty());
    walk.read
}

struct Walk<'w> {
    file: FileId,
    source: &'w Source,
    yaml: &'w Yaml,
    read: Read,
    visits: usize,
}

impl Walk<'_> {
    fn document(&mut self, document: Id) {
        let yaml = self.yaml;
        if let Some(services) = yaml.get(document, "services") {
            for (name, service) in yaml.pairs(services) {
                if let Some(name) = yaml.text(name) {
                    self.compose(name, service);
                }
            }
            return;
        }
        let kind = yaml.get(document, "kind").and_then(|kind| yaml.text(kind)).unwrap_or_default();
        if kind == "Service"
            && let Some(name) = self.text_at(document, &["metadata", "name"])
            && let Some(selector) = yaml.at(document, &["spec", "selector"])
        {
            self.read.services.push(Service { name, selector: self.texts(selector) });
            return;
        }
        let is_pooler = kind == "Pooler";
        let mut group = Group::new(self.file, self.source, "");
        if is_pooler {
            group.hosts.extend(self.text_at(document, &["metadata", "name"]));
            group.program.push("pgbouncer".to_owned());
        }
        // Sections of a Rails configuration are environments of their own.
        if self.source.path().rsplit('/').next().is_some_and(|name| name.starts_with("database.y")) {
            for (name, section) in yaml.pairs(document) {
                let Some(name) = yaml.text(name) else { continue };
                let several = yaml.pairs(section).into_iter().filter(|(_, value)| !yaml.pairs(*value).is_empty());
                let databases: Vec<(Id, Id)> = several.collect();
                let whole = [(section, name.to_owned())];
                let nested = databases.iter().filter_map(|(key, value)| {
                    let key = yaml.text(*key).filter(|key| *key != "<<")?;
                    Some((*value, format!("{name}.{key}")))
                });
                for (database, owner) in whole.into_iter().chain(nested) {
                    self.section(database, &owner);
                }
            }
            return;
        }
        self.mapping(document, "", document, &mut group, 0);
        self.read.groups.push(group);
    }

    fn section(&mut self, section: Id, owner: &str) {
        let mut group = Group::new(self.file, self.source, owner);
        for (key, value) in self.yaml.pairs(section) {
            self.push(&mut group, key, value, None);
        }
        self.read.groups.push(group);
    }

    /// One service of a Compose file.
    fn compose(&mut self, name: &str, service: Id) {
        let yaml = self.yaml;
        let mut group = Group::new(self.file, self.source, name);
        group.hosts.push(name.to_owned());
        for (key, value) in yaml.pairs(service) {
            match yaml.text(key) {
                Some("image" | "build") => group.program.extend(self.strings(value)),
                Some("command" | "entrypoint") => self.command(&mut group, key, value),
                Some("environment") => self.environment(&mut group, value),
                Some("container_name" | "hostname") => group.hosts.extend(self.strings(value)),
                Some("volumes" | "env_file" | "configs") => group.mounts.extend(self.strings(value)),
                Some("networks") => {
                    for (_, network) in yaml.pairs(value) {
                        let aliases = yaml.get(network, "aliases").map(|aliases| self.strings(aliases));
                        group.hosts.extend(aliases.unwrap_or_default());
                    }
                }
                _ => {}
            }
        }
        self.read.groups.push(group);
    }

    /// `NAME: value`, or `- NAME=value`.
    fn environment(&mut self, group: &mut Group, environment: Id) {
        let yaml = self.yaml;
        for (key, value) in yaml.pairs(environment) {
            self.push(group, key, value, None);
        }
        for &element in yaml.elements(environment) {
            let Some((text, verbatim, span)) = yaml.scalar(element) else { continue };
            let Some((name, value)) = text.split_once('=') else { continue };
            let value_at = verbatim.map(|at| Span::new(at.start + name.len() + 1, at.end));
            let name_span =
                verbatim.map_or(Span::new(span.start, span.start), |at| Span::new(at.start, at.start + name.len()));
            group.entries.push(self.entry(name.trim(), name_span, value, value_at));
        }
    }

    fn command(&mut self, group: &mut Group, key: Id, value: Id) {
        let yaml = self.yaml;
        let Some((name, at, span)) = yaml.scalar(key) else { return };
        let several = yaml.elements(value);
        for &word in if several.is_empty() { std::slice::from_ref(&value) } else { several } {
            let Some((text, verbatim, _)) = yaml.scalar(word) else { continue };
            group.program.push(text.to_ascii_lowercase());
            group.commands.push(self.entry(name, at.unwrap_or(span), text, verbatim));
        }
    }

    /// Any other mapping: its scalars are entries under their dotted path, its containers are groups of their own.
    fn mapping(&mut self, id: Id, path: &str, document: Id, group: &mut Group, depth: usize) {
        self.visits += 1;
        if depth > MAX_DEPTH || self.visits > MAX_VISITS {
            self.read.in_part = true;
            return;
        }
        let yaml = self.yaml;
        for (key, value) in yaml.pairs(id) {
            // What is merged in is among the pairs.
            let Some(name) = yaml.text(key).filter(|name| *name != "<<") else { continue };
            if matches!(name, "containers" | "initContainers") {
                for &container in yaml.elements(value) {
                    self.container(container, id, document);
                }
                continue;
            }
            let whole = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            if yaml.scalar(value).is_some() {
                self.push(group, key, value, Some(&whole));
                continue;
            }
            // What a ConfigMap or a chart passes on keeps its own name.
            let passes_on = matches!(name, "data" | "stringData" | "env" | "environment" | "extraEnv");
            let whole = if passes_on { String::new() } else { whole };
            self.mapping(value, &whole, document, group, depth + 1);
            for &element in yaml.elements(value) {
                if yaml.get(element, "name").is_some()
                    && ["value", "valueFrom"].iter().any(|key| yaml.get(element, key).is_some())
                {
                    self.named(group, element);
                } else {
                    self.mapping(element, &whole, document, group, depth + 1);
                }
            }
        }
    }

    /// A container of a pod.
    fn container(&mut self, container: Id, pod: Id, document: Id) {
        let yaml = self.yaml;
        let name = yaml.get(container, "name").and_then(|name| yaml.text(name)).unwrap_or_default();
        let mut group = Group::new(self.file, self.source, name);
        group.pod = Some(pod);
        group.hosts.extend(self.text_at(document, &["metadata", "name"]));
        let labels = yaml
            .at(document, &["spec", "template", "metadata", "labels"])
            .or_else(|| yaml.at(document, &["metadata", "labels"]));
        group.labels = labels.map(|labels| self.texts(labels)).unwrap_or_default();
        for (key, value) in yaml.pairs(container) {
            match yaml.text(key) {
                Some("image") => group.program.extend(self.strings(value)),
                Some("command" | "args") => self.command(&mut group, key, value),
                Some("env") => {
                    for &element in yaml.elements(value) {
                        self.named(&mut group, element);
                    }
                }
                _ => {}
            }
        }
        self.read.groups.push(group);
    }

    /// `- name: NAME` with its `value`, or with a value that comes from elsewhere.
    fn named(&self, group: &mut Group, element: Id) {
        let yaml = self.yaml;
        let Some((name, at, span)) = yaml.get(element, "name").and_then(|name| yaml.scalar(name)) else {
            return;
        };
        let value = yaml.get(element, "value").and_then(|value| yaml.scalar(value));
        let (text, verbatim) = value.map_or(("", None), |(text, verbatim, _)| (text, verbatim));
        group.entries.push(self.entry(name, at.unwrap_or(span), text, verbatim));
    }

    fn push(&self, group: &mut Group, key: Id, value: Id, name: Option<&str>) {
        let (Some((key, at, span)), Some((text, verbatim, _))) = (self.yaml.scalar(key), self.yaml.scalar(value))
        else {
            return;
        };
        group.entries.push(self.entry(name.unwrap_or(key), at.unwrap_or(span), text, verbatim));
    }

    fn entry(&self, name: &str, name_span: Span, value: &str, verbatim: Option<Span>) -> Entry {
        Entry::new(self.source.text(), name, name_span, value.to_owned(), verbatim)
    }

    fn text_at(&self, id: Id, path: &[&str]) -> Option<String> {
        self.yaml.at(id, path).and_then(|id| self.yaml.text(id)).map(str::to_owned)
    }

    /// Every text in a scalar, a sequence, or one level of a mapping, lower case.
    fn strings(&self, id: Id) -> Vec<String> {
        let yaml = self.yaml;
        let pairs = yaml.pairs(id);
        let inner = yaml.elements(id).iter().flat_map(|&element| {
            let source = ["source", "path"].iter().find_map(|key| yaml.get(element, key));
            [Some(element), source]
        });
        [Some(id)]
            .into_iter()
            .chain(inner)
            .chain(pairs.into_iter().map(|(_, value)| Some(value)))
            .flatten()
            .filter_map(|id| yaml.text(id))
            .map(str::to_ascii_lowercase)
            .collect()
    }

    fn texts(&self, id: Id) -> Vec<(String, String)> {
        let pairs = self.yaml.pairs(id).into_iter();
        pairs
            .filter_map(|(key, value)| Some((self.yaml.text(key)?.to_owned(), self.yaml.text(value)?.to_owned())))
            .collect()
    }
}
