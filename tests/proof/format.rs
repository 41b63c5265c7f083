//! Proofs as rule pages write them. CONTRIBUTING.md describes the format for those who write one.

/// What one statement of a proof has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// A row, cells joined by `|`.
    Row(String),
    /// No row.
    NoRow,
    /// So many rows changed.
    Changes(u64),
    /// An error of this SQLSTATE.
    Fails(String),
    /// A warning of this SQLSTATE.
    Warns(String),
    /// It waits for a lock.
    Waits,
}

/// What a session does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Does {
    /// Sends a string, which may hold several statements.
    Sends(String),
    /// Finishes the statement in which it waited.
    GoesOn,
    /// Disconnects.
    Leaves,
}

/// One of the two sides of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Bad,
    Good,
}

impl Side {
    pub(crate) const BOTH: [Self; 2] = [Self::Bad, Self::Good];

    pub(crate) fn other(self) -> Self {
        if self == Self::Bad { Self::Good } else { Self::Bad }
    }

    pub(crate) fn word(self) -> &'static str {
        if self == Self::Bad { "bad" } else { "good" }
    }

    fn named(word: &str) -> Option<Self> {
        Self::BOTH.into_iter().find(|side| side.word() == word)
    }
}

/// A line of a proof with what has to come of it.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// The side that does it; both where there is none.
    pub(crate) side: Option<Side>,
    pub(crate) session: String,
    pub(crate) does: Does,
    expected: Vec<(Option<Side>, Expected)>,
}

impl Step {
    /// What has to come of it on a side.
    pub(crate) fn expected(&self, side: Side) -> impl Iterator<Item = &Expected> {
        self.expected.iter().filter(move |(of, _)| of.is_none_or(|of| of == side)).map(|(_, expected)| expected)
    }

    /// Whether the two sides must come to something else.
    fn differs(&self) -> bool {
        let list = |side| self.expected(side).collect::<Vec<_>>();
        list(Side::Bad) != list(Side::Good)
    }
}

/// A pooler between the sessions and the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pooler {
    /// PgBouncer's `pool_mode`.
    pub(crate) mode: String,
    /// How many server connections it may open.
    pub(crate) size: u32,
}

/// A proof.
#[derive(Clone, Debug)]
pub(crate) struct Proof {
    /// The page, and which proof of it.
    pub(crate) name: String,
    pub(crate) pooler: Option<Pooler>,
    pub(crate) steps: Vec<Step>,
}

/// The proofs of a page.
pub(crate) fn proofs(name: &str, page: &str) -> Result<Vec<Proof>, String> {
    let mut found: Vec<Proof> = Vec::new();
    let mut lines = page.split('\n');
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```proof") else { continue };
        let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let name = if found.is_empty() { name.to_owned() } else { format!("{name}/{}", found.len() + 1) };
        let proof = proof(&name, info, &text).map_err(|why| format!("{name}: {why}"))?;
        found.push(proof);
    }
    Ok(found)
}

fn proof(name: &str, info: &str, lines: &[&str]) -> Result<Proof, String> {
    let mut pooler = None;
    for word in info.split_whitespace() {
        match word.split_once('=') {
            Some(("pgbouncer", mode)) if ["session", "transaction", "statement"].contains(&mode) => {
                pooler = Some(Pooler { mode: mode.to_owned(), size: 1 });
            }
            Some(("pool", size)) => {
                pooler.as_mut().ok_or("`pool` without `pgbouncer`")?.size = size.parse().map_err(|_| "pool=NUMBER")?;
            }
            _ => return Err(format!("`{word}` means nothing here")),
        }
    }
    let mut steps: Vec<Step> = Vec::new();
    for line in lines.iter().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        if let Some(text) = line.strip_prefix("  ") {
            // A statement goes on in lines that are indented further.
            if let (Some(more), Some(Step { does: Does::Sends(sql), .. })) = (text.strip_prefix("  "), steps.last_mut())
            {
                sql.push('\n');
                sql.push_str(more);
                continue;
            }
            let (side, text) = sided(text);
            let expected = expected(text).ok_or_else(|| format!("`{text}` is nothing that can be expected"))?;
            steps.last_mut().ok_or("an expectation before the first step")?.expected.push((side, expected));
        } else {
            let (side, text) = sided(line);
            let (session, does) = step(text).ok_or_else(|| format!("`{text}` is no step"))?;
            steps.push(Step { side, session: session.to_owned(), does, expected: Vec::new() });
        }
    }
    if !steps.iter().any(Step::differs) {
        return Err("nothing is expected to be different between bad and good".to_owned());
    }
    if !steps.iter().any(|step| step.side.is_some()) {
        return Err("bad and good do the same".to_owned());
    }
    Ok(Proof { name: name.to_owned(), pooler, steps })
}

fn sided(text: &str) -> (Option<Side>, &str) {
    match text.split_once(' ') {
        Some((word, rest)) if Side::named(word).is_some() => (Side::named(word), rest.trim_start()),
        _ => (None, text),
    }
}

fn step(text: &str) -> Option<(&str, Does)> {
    let is_session = |name: &str| name.len() == 1 && name.starts_with(|c: char| c.is_ascii_uppercase());
    if let Some((session, sql)) = text.split_once(':')
        && is_session(session)
    {
        return Some((session, Does::Sends(sql.trim().to_owned())));
    }
    let (session, does) = text.split_once(' ')?;
    let does = match does {
        "goes on" => Does::GoesOn,
        "leaves" => Does::Leaves,
        _ => return None,
    };
    is_session(session).then_some((session, does))
}

fn expected(text: &str) -> Option<Expected> {
    if let Some(row) = text.strip_prefix("= ") {
        return Some(Expected::Row(row.to_owned()));
    }
    let is_state = |text: &str| text.len() == 5 && text.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
    let state = |text: &str| is_state(text).then(|| text.to_owned());
    match text.split_once(' ') {
        None if text == "waits" => Some(Expected::Waits),
        Some(("no", "row")) => Some(Expected::NoRow),
        Some(("changes", count)) => Some(Expected::Changes(count.parse().ok()?)),
        Some(("fails", code)) => Some(Expected::Fails(state(code)?)),
        Some(("warns", code)) => Some(Expected::Warns(state(code)?)),
        _ => None,
    }
}
