//! Types as host code writes them.

/// How many holders are looked through.
const MAX_DEPTH: usize = 8;

/// Types that hold another one: what is inside them is meant.
const HOLDERS: &[&str] = &[
    "Arc",
    "Box",
    "Rc",
    "Ref",
    "RefMut",
    "Mutex",
    "RwLock",
    "Option",
    "Optional",
    "Promise",
    "Task",
    "ValueTask",
    "Annotated",
    "State",
    "Data",
    "Extension",
    "IO",
    "Future",
    "Awaitable",
    "Readonly",
    "NonNullable",
    "Lazy",
    "Provider",
    "ObjectProvider",
    "Result",
    "Union",
    "Type",
];

/// The name in a type as written: without references, generics and what only holds another type.
pub(super) fn type_name(ty: &str, depth: usize) -> Option<String> {
    if depth > MAX_DEPTH {
        return None;
    }
    let mut ty = ty.trim();
    loop {
        let before = ty;
        for prefix in ["*", "&", "?", "mut ", "dyn ", "impl ", "readonly ", "final ", "const ", ":", "'", "\""] {
            ty = ty.strip_prefix(prefix).unwrap_or(ty).trim();
        }
        // A lifetime.
        if before.starts_with("&'") {
            ty = ty.split_once(' ').map_or("", |(_, rest)| rest).trim();
        }
        if ty == before {
            break;
        }
    }
    ty = ty.trim_end_matches(['?', '!', '\'', '"', '[', ']']).trim();
    if let Some((left, right)) = ty.split_once(" | ") {
        let side = if matches!(left.trim(), "None" | "null" | "undefined") { right } else { left };
        return type_name(side, depth + 1);
    }
    let Some(open) = ty.find(['<', '[']) else {
        let plain = ty.split_whitespace().next().unwrap_or_default();
        return (!plain.is_empty())
            .then(|| plain.replace("::", ".").replace('\\', ".").trim_start_matches('.').to_owned());
    };
    let head = ty[..open].trim_end_matches("::").trim();
    let last = head.rsplit([':', '.']).next().unwrap_or(head);
    if HOLDERS.contains(&last) {
        let inner = ty[open + 1..].trim_end_matches(['>', ']']);
        // The last of several is what is held, but for a result, whose first is.
        let parts = top_level(inner);
        let part = if matches!(last, "Result" | "Union" | "Annotated") { parts.first() } else { parts.last() };
        return type_name(part?, depth + 1);
    }
    type_name(head, depth + 1)
}

/// The parts of a list of types, at its commas outside brackets.
fn top_level(list: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (index, c) in list.char_indices() {
        match c {
            '<' | '[' | '(' => depth += 1,
            '>' | ']' | ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&list[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[start..]);
    parts
}

/// Whether a path is `known` or in it; `*Service` stands for any that ends so.
pub(super) fn within(path: &str, known: &str) -> bool {
    if let Some(end) = known.strip_prefix('*') {
        return path.ends_with(end);
    }
    path.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/', ':', '\\']))
}

/// The package name of a Go import path.
pub(super) fn package(path: &str) -> &str {
    let is_version =
        |part: &str| part.strip_prefix('v').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    path.rsplit('/').find(|part| !is_version(part)).unwrap_or(path)
}
