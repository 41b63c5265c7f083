//! Keys that host code makes of what is another value for every process, build or call: followed from the call that
//! takes the lock through a variable or two, or a function of the file, to where the value comes from.

mod elsewhere;
mod narrow;
mod values;

use super::Program;
use super::expression::after_brackets;
use crate::finding::Place;
use crate::host::Function;
use crate::language::HostLanguage::{self, CSharp, Java, Kotlin, Python, Ruby, Scala};
use crate::pattern::ascii;
use crate::span::Span;
use crate::sql::lex::beginning;
use regex::Regex;
use std::collections::HashMap;
use std::sync::LazyLock;
use values::rows;

pub use elsewhere::{asked, of_function};

/// Why a key is not the same for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    /// Seeded for each process.
    Process,
    /// The same for some types, and it is not seen which one this is.
    Perhaps,
    /// Not promised to stay the same between builds.
    Build,
    /// Random.
    Random,
    /// The time.
    Clock,
    /// The number of the process.
    Number,
    /// It does not: it has 32 bits for many things.
    Narrow,
    /// Nor does this: it has 64 bits and no sign, of which half are no bigint.
    Unsigned,
}

/// What is asked of the keys of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// Another value for each process, build or call.
    Moves,
    /// Few bits.
    Narrow,
    /// Values that are no bigint.
    Unsigned,
}

impl Moves {
    fn fault(self) -> Fault {
        match self {
            Self::Narrow => Fault::Narrow,
            Self::Unsigned => Fault::Unsigned,
            _ => Fault::Moves,
        }
    }
}

/// A value that a function of another file makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Made {
    /// The call that gives it.
    pub at: Place,
    /// Why a key of it has a fault.
    pub moves: Moves,
}

/// A key with a fault.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// The call that gives the value; the lock where another file has it.
    pub at: Span,
    /// That call in another file.
    pub elsewhere: Option<Place>,
    /// The call of the lock function, as it stands in the source.
    pub lock: Span,
    /// The lines of the value, on which comments about it are anchored.
    pub statement: Span,
    /// The function around the lock.
    pub function: Option<usize>,
    /// Why.
    pub moves: Moves,
}

/// How far a key's arguments, and its variable, are looked for, in bytes.
const NEAR: usize = 2048;

/// How many variables are followed one after the other: a key, and what it is computed with.
const MAX_STEPS: usize = 2;

/// How far into its expression a value may stand for which the variable is little more than another name: ` int(`.
const LONGEST_CAST: usize = 8;

/// How many names of a key are followed.
const MAX_NAMES: usize = 16;

/// A file whose keys are looked at.
#[expect(missing_debug_implementations, reason = "it holds a closure")]
pub struct Keys<'k> {
    /// Its text.
    pub text: &'k str,
    /// Its language.
    pub language: HostLanguage,
    /// Its functions and queries.
    pub program: &'k Program<'k>,
    /// What functions of other files make, by their names.
    pub made: &'k dyn Fn(&str) -> Vec<Made>,
}

impl Keys<'_> {
    /// The keys that move.
    pub fn unstable(&self) -> Vec<Found> {
        let is_own = ["def hash(", "import hash\n", "PYTHONHASHSEED"].iter().any(|sign| self.text.contains(sign));
        if self.language == Python && is_own {
            return Vec::new();
        }
        let mut found = self.with(Fault::Moves);
        found.dedup_by_key(|one| one.at);
        found
    }

    /// The keys of one part that are a hash of 32 bits of something that varies.
    pub fn narrow(&self) -> Vec<Found> {
        self.of_one_part(Fault::Narrow)
    }

    /// The keys of one part that are 64 bits without a sign, in a file that never makes anything else of them.
    pub fn unsigned(&self) -> Vec<Found> {
        if makes_signs(self.text) { Vec::new() } else { self.of_one_part(Fault::Unsigned) }
    }

    /// The keys of one part with a fault.
    fn of_one_part(&self, fault: Fault) -> Vec<Found> {
        let mut found = self.with(fault);
        found.retain(|one| narrow::is_of_one_part(self.text.get(one.lock.range()).unwrap_or_default()));
        found
    }

    /// The keys that come from a row of the table with such a fault.
    fn with(&self, fault: Fault) -> Vec<Found> {
        let &Self { text, language, program, made } = self;
        let rows: Vec<(&Regex, Moves)> = rows(language, fault).collect();
        let named = named(program);
        let mut found = Vec::new();
        for at in lock_calls(text, program) {
            let Some(site) = Site::of(text, program, &named, at) else { continue };
            let here =
                |part: &Span| site.moving(*part, &rows, language, MAX_STEPS).map(|(at, moves)| (at, None, moves));
            let there = |part: &Span| site.made(*part, fault, made).map(|made| (site.lock, Some(made.at), made.moves));
            let of_key = site.parts.iter().find_map(here).or_else(|| site.parts.iter().find_map(there));
            let Some((value, elsewhere, moves)) = of_key else { continue };
            let statement = lines(text, value);
            found.push(Found { at: value, elsewhere, lock: site.lock, statement, function: site.function, moves });
        }
        found
    }
}

/// Whether something in a text makes a number with a sign of one without.
fn makes_signs(text: &str) -> bool {
    const SIGNS: &[&str] =
        &["2**63", "2 ** 63", "2**64", "2 ** 64", "<< 63", "<< 64", "922337203685477580", "c_int64", "c_longlong"];
    let lower = text.to_ascii_lowercase().replace('_', "");
    let masks = ["7fffffffffffffff", "8000000000000000", "10000000000000000"].iter().any(|mask| lower.contains(mask));
    masks || SIGNS.iter().any(|sign| text.contains(sign))
}

/// The functions of a file by name. Of two of a name it is not said which one is called.
fn named<'p>(program: &'p Program<'p>) -> HashMap<&'p str, Option<Span>> {
    let mut named: HashMap<&str, Option<Span>> = HashMap::new();
    for function in &program.functions {
        named.entry(function.name).and_modify(|one| *one = None).or_insert(Some(function.span));
    }
    named
}

/// The names of functions that take a lock, as they stand in a file.
fn lock_calls(text: &str, program: &Program<'_>) -> impl Iterator<Item = Span> {
    static LOCK: LazyLock<Option<Regex>> =
        LazyLock::new(|| ascii(r"(?i)\bpg_(?:try_)?advisory_(?:xact_)?lock(?:_shared)?\b").ok());
    let found = LOCK.iter().flat_map(|lock| lock.find_iter(text)).map(|lock| Span::new(lock.start(), lock.end()));
    found.filter(|at| !program.in_comment(at.start))
}

/// A place that takes a lock, with the code that its key may come from.
struct Site<'p> {
    text: &'p str,
    functions: &'p [Function<'p>],
    /// The functions of the file by name.
    named: &'p HashMap<&'p str, Option<Span>>,
    lock: Span,
    function: Option<usize>,
    parts: Vec<Span>,
}

impl<'p> Site<'p> {
    fn of(
        text: &'p str,
        program: &'p Program<'p>,
        named: &'p HashMap<&'p str, Option<Span>>,
        at: Span,
    ) -> Option<Self> {
        let after = text.get(at.end..)?;
        let close =
            |from: usize| text.get(from..).and_then(after_brackets).map_or(from, |rest| text.len() - rest.len());
        let queries = program.queries.partition_point(|query| query.literal.start <= at.start);
        let query = program.queries[..queries].iter().rev().take(4).find(|query| query.literal.contains(at));
        let mut parts = Vec::new();
        let (lock, function);
        if let Some(query) = query {
            let end = if after.trim_start().starts_with('(') { close(at.end + after.find('(')?) } else { at.end };
            lock = Span::new(at.start, end);
            // What is interpolated, and then what the call binds.
            parts.push(Span::new(at.end, end.min(query.literal.end)));
            let words = text.get(query.literal.range()).unwrap_or_default().to_ascii_lowercase();
            // Where the statement does other work, what is bound may be for that.
            if !["insert", "update", "from"].iter().any(|word| words.contains(word)) {
                let end = query.statement.end.max(query.literal.end);
                parts.push(Span::new(query.literal.end, end));
                let next = program.queries.get(queries).map_or(text.len(), |next| next.literal.start);
                let owner = query.function.and_then(|index| program.functions.get(index));
                parts.extend(bound(text, end, next.min(owner.map_or(text.len(), |function| function.span.end))));
            }
            function = query.function;
        } else {
            // `func.pg_advisory_lock(key)`, `Sequel.function(:pg_advisory_lock, key)`.
            let called = after.starts_with('(');
            let named = text[..at.start].ends_with([':', '"', '\'']);
            if !(named || called && text[..at.start].ends_with("func.")) {
                return None;
            }
            let end = if called { close(at.end) } else { enclosing_end(text, at.end) };
            lock = Span::new(at.start, end);
            parts.push(Span::new(at.end, end));
            function = program.function_around(at);
        }
        let near = |part: Span| {
            Span::new(part.start, part.start + beginning(text.get(part.range()).unwrap_or_default(), NEAR).len())
        };
        let parts = parts.into_iter().map(near).collect();
        Some(Self { text, functions: &program.functions, named, lock, function, parts })
    }

    /// A value that moves, in a part of the key or where a name in it comes from.
    fn moving(
        &self,
        part: Span,
        rows: &[(&Regex, Moves)],
        language: HostLanguage,
        steps: usize,
    ) -> Option<(Span, Moves)> {
        static NAME: LazyLock<Option<Regex>> = LazyLock::new(|| ascii(r"[A-Za-z_]\w*").ok());
        let code = self.slice(part);
        if let Some(found) = self.value(part, rows, language) {
            return Some(found);
        }
        let mut seen: Vec<&str> = Vec::new();
        for name in NAME.as_ref()?.find_iter(code) {
            let before = &code[..name.start()];
            // A member, or the name of a parameter in the SQL: `@key`, `:key`, `%(key)s`.
            let is_other = before.ends_with(['.', '@', ':']) || before.ends_with("%(");
            if seen.len() >= MAX_NAMES || seen.contains(&name.as_str()) || is_other {
                continue;
            }
            seen.push(name.as_str());
            let source = if code[name.end()..].starts_with('(') {
                self.body(name.as_str())
            } else {
                let method = || self.body(name.as_str()).filter(|_| language == Ruby);
                let shared = || self.declared(name.as_str());
                self.assigned(name.as_str(), part.start).or_else(method).or_else(shared)
            };
            let Some(source) = source.filter(|_| steps > 0) else { continue };
            let found = self.moving(source, rows, language, steps - 1).filter(|found| self.is_key(source, found));
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Whether a value in a piece of code is what that gives. A hash makes a key of something; of a random value, or the time,
    /// much else is made on the way.
    fn is_key(&self, source: Span, (at, moves): &(Span, Moves)) -> bool {
        match moves {
            Moves::Process | Moves::Perhaps | Moves::Build => true,
            Moves::Unsigned if self.slice(source).contains("asIntN") => false,
            Moves::Narrow | Moves::Unsigned => narrow::is_plain(self.slice(Span::new(source.start, at.start))),
            Moves::Random | Moves::Clock | Moves::Number => at.start.wrapping_sub(source.start) <= LONGEST_CAST,
        }
    }

    /// A value that moves, where nothing makes one of many again.
    fn value(&self, part: Span, rows: &[(&Regex, Moves)], language: HostLanguage) -> Option<(Span, Moves)> {
        let code = self.slice(part);
        rows.iter().find_map(|(pattern, moves)| {
            let found = pattern.captures(code)?.get(1)?;
            let rest = code[found.end()..].trim_start_matches([' ', ')']);
            let coarse = matches!(moves, Moves::Clock | Moves::Random)
                && (rest.starts_with(['/', '%']) || code.contains("floor") || code.contains('%'));
            let at = Span::new(part.start + found.start(), part.start + found.end());
            (!coarse).then_some(())?;
            let moves = match (language, moves) {
                (Python, Moves::Process) => self.of_python(found.as_str())?,
                (CSharp, Moves::Perhaps) => self.of_csharp(found.as_str()),
                (Java | Kotlin | Scala, Moves::Perhaps) => self.of_enum(found.as_str())?,
                (_, Moves::Narrow) => self.of_many(code, found.range())?,
                (_, Moves::Unsigned) => narrow::is_unsigned(code, found.range()).then_some(Moves::Unsigned)?,
                (_, moves) => *moves,
            };
            Some((at, moves))
        })
    }

    /// `hash()` of an integer is the integer, and of a function of the file something else.
    fn of_python(&self, call: &str) -> Option<Moves> {
        let Some((_, argument)) = call.split_once('(') else { return Some(Moves::Perhaps) };
        let argument = argument.trim_end_matches(')').trim();
        if argument.bytes().all(|byte| byte.is_ascii_digit()) || self.is_typed(argument, &["int", "bool"]) {
            return None;
        }
        let text = argument.contains(['"', '\'', '('])
            || argument.contains("str")
            || self.is_typed(argument, &["str", "bytes"]);
        let last = argument.rsplit(['.', '_']).next().unwrap_or_default();
        const NUMBERS: &[&str] = &["count", "id", "index", "number", "pk", "version"];
        match last {
            _ if text => Some(Moves::Process),
            last if NUMBERS.contains(&last) => None,
            _ => Some(Moves::Perhaps),
        }
    }

    fn of_csharp(&self, call: &str) -> Moves {
        let subject = call.trim_end_matches(".GetHashCode()");
        let text = ["ToString()", "ToLower()", "ToUpper()", "ToLowerInvariant()", "Trim()"];
        let is_text = text.iter().any(|end| subject.ends_with(end));
        let declared = [format!("string {subject}"), format!("string? {subject}")];
        let function = self.head();
        let is_declared = declared.iter().any(|declared| function.contains(declared.as_str()));
        if is_text || is_declared { Moves::Process } else { Moves::Perhaps }
    }

    /// A constant of an enumeration is an object, whose hash is its identity's; other types of the JVM say their own.
    fn of_enum(&self, call: &str) -> Option<Moves> {
        let subject = call.split('.').next()?;
        let function = self.head();
        let ty = function.match_indices(subject).find_map(|(at, _)| {
            let after = function[at + subject.len()..].trim_start().strip_prefix(':');
            let named = |text: &'p str| text.split(|c: char| !c.is_alphanumeric() && c != '_').next();
            let before = function[..at].split_whitespace().next_back();
            after.map(str::trim_start).and_then(named).or(before.filter(|ty| ty.starts_with(char::is_uppercase)))
        })?;
        let declares =
            |word: &str| self.text.contains(&format!("{word} {ty} ")) || self.text.contains(&format!("{word} {ty}("));
        (declares("enum class") || declares("enum")).then_some(Moves::Process)
    }

    /// The beginning of the function around: its parameters.
    fn head(&self) -> &'p str {
        let function = self.function.and_then(|at| self.functions.get(at));
        beginning(function.map_or("", |function| self.slice(function.span)), NEAR)
    }

    /// Whether the function around declares a name as one of some types.
    fn is_typed(&self, name: &str, types: &[&str]) -> bool {
        let function = self.head();
        types.iter().any(|ty| {
            let declared = format!("{name}: {ty}");
            function.match_indices(&declared).any(|(at, _)| {
                !function[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
                    && !function[at + declared.len()..].starts_with(|c: char| c.is_alphanumeric())
            })
        })
    }

    /// The expression that a name was last given before `at`, in the same function: one line of it.
    fn assigned(&self, name: &str, at: usize) -> Option<Span> {
        let start = self.function.and_then(|index| self.functions.get(index)).map_or(0, |one| one.span.start);
        let near = beginning(self.text, at.saturating_sub(NEAR)).len();
        let start = start.max(near);
        let before = self.text.get(start..at)?;
        before.rmatch_indices(name).take(MAX_NAMES).find_map(|(offset, _)| {
            let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
            let tail = &before[offset + name.len()..];
            if before[..offset].ends_with(is_name) || tail.starts_with(is_name) {
                return None;
            }
            // `key = …`, `key := …`, `key: i64 = …`
            let line = tail.split('\n').next()?;
            // `var h maphash.Hash`
            if before[..offset].ends_with("var ") && !line.contains('=') {
                let from = start + offset + name.len();
                return Some(Span::new(from, from + line.len()));
            }
            let (ty, value) = line.split_once('=')?;
            let declares = ty.trim().is_empty() || ty.trim_start().starts_with(':');
            if !declares
                || value.starts_with(['=', '>', '~'])
                || ty.contains(['(', ')', ',', '!', '<']) && !ty.contains(':')
            {
                return None;
            }
            let from = start + offset + name.len() + ty.len() + 1;
            Some(Span::new(from, from + value.len()))
        })
    }

    /// The expression that a name is given where the file declares it, outside of functions: one line of it.
    fn declared(&self, name: &str) -> Option<Span> {
        const WORDS: &[&str] = &["const", "final", "let", "static", "val", "var"];
        let inside = |at: usize| self.functions.iter().any(|function| function.span.contains(Span::new(at, at + 1)));
        self.text.match_indices(name).take(MAX_NAMES).find_map(|(at, _)| {
            let line = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
            let mut words = self.text[line..at].split_whitespace();
            let (tail, _) = self.text[at + name.len()..].split_once('\n')?;
            let (ty, value) = tail.split_once('=')?;
            let is_name = tail.starts_with([' ', ':', '=']) && self.text[..at].ends_with(char::is_whitespace);
            let declares = is_name && words.any(|word| WORDS.contains(&word)) && !value.starts_with(['=', '>', '~']);
            let from = at + name.len() + ty.len() + 1;
            (declares && !inside(at)).then(|| Span::new(from, from + value.len()))
        })
    }

    /// The function of the file with a name, if it is one.
    fn body(&self, name: &str) -> Option<Span> {
        self.named.get(name).copied().flatten().filter(|span| span.len() <= NEAR)
    }

    fn slice(&self, span: Span) -> &'p str {
        self.text.get(span.range()).unwrap_or_default()
    }
}

/// What a prepared statement is given first, after the statement that prepares it and before the next query.
fn bound(text: &str, from: usize, to: usize) -> Option<Span> {
    static BINDS: LazyLock<Option<Regex>> =
        LazyLock::new(|| ascii(r"(?:\.set(?:Long|Object|Int)|\.AddWithValue|->bind(?:Value|Param)|->execute)\(").ok());
    let code = text.get(from..to.max(from))?;
    let open = BINDS.as_ref()?.find(beginning(code, NEAR))?.end() - 1;
    let rest = after_brackets(&code[open..])?;
    Some(Span::new(from + open, from + code.len() - rest.len()))
}

/// Where the brackets end that stand around an offset.
fn enclosing_end(text: &str, from: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().skip(from).take(NEAR) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 => return at,
            b')' | b']' | b'}' => depth -= 1,
            b'\n' if depth == 0 && text[..at].trim_end().ends_with(';') => return at,
            _ => {}
        }
    }
    from
}

/// The whole lines of a span.
fn lines(text: &str, span: Span) -> Span {
    let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let start = start + (text[start..].len() - text[start..].trim_start().len());
    let end = text.get(span.end..).and_then(|rest| rest.find('\n')).map_or(text.len(), |at| span.end + at);
    Span::new(start.min(span.start), end)
}
