//! Which library's handle a type, a constructor or a name of the file means.

use super::names::{Names, bare};
use super::types::type_name;
use super::value::{Handle, Origin};
use crate::driver::{Driver, Kind};
use crate::flow::{Evidence, Owner};
use crate::host::code::{Argument, Call, ExprId, FunctionId, Value};
use crate::language::{HostLanguage, SCRIPT};
use crate::pattern::ascii;
use regex::Regex;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Methods of Rust's results and holders that give what is in them.
pub(super) const PASSES: &[&str] = &[
    "unwrap",
    "expect",
    "unwrap_or_else",
    "map_err",
    "context",
    "with_context",
    "wrap_err",
    "wrap_err_with",
    "as_mut",
    "as_ref",
    "by_ref",
    "into_inner",
];

/// How many names a type may have one after the other.
const MAX_ALIASES: usize = 4;

impl Names<'_, '_> {
    /// The kind of a type as written.
    pub(super) fn of_type(&self, ty: &str) -> Option<(&'static Driver, &'static Kind)> {
        let mut name = type_name(ty, 0)?;
        for _ in 0..MAX_ALIASES {
            let Some(other) = self.aliases.get(name.as_str()) else { break };
            name = type_name(other, 0)?;
        }
        self.named(&self.expand(&name))
    }

    /// The kind that a qualified name is a type of.
    fn named(&self, name: &str) -> Option<(&'static Driver, &'static Kind)> {
        let find = |exact: bool| {
            self.drivers.iter().find_map(|driver| {
                let fits = |kind: &&'static Kind| kind.types.iter().any(|known| means(driver, known, name, exact));
                Some((*driver, driver.kinds.iter().find(fits)?))
            })
        };
        find(true).or_else(|| find(false))
    }

    /// What a call makes by the name of the function. A variable of the function around may have that name: then it is a value
    /// of something else, `sessionmaker = get_sessionmaker()`.
    pub(super) fn maker(&self, call: &Call<'_>, function: FunctionId) -> Option<(&'static Driver, &'static Kind)> {
        let value = |expr: ExprId| self.code.exprs.get(expr).map(|expr| &expr.value);
        if let Some(Value::Name(name)) = value(call.callee)
            && let Some(Value::Call(given)) = self.own(function, name).and_then(|variable| value(variable.value?))
            && self.code.calls[*given].name != "require"
        {
            return None;
        }
        self.made(&self.qualified(call.callee)?, call.constructs)
    }

    /// What a called function's qualified name makes.
    pub(super) fn made(&self, name: &str, constructs: bool) -> Option<(&'static Driver, &'static Kind)> {
        let by_maker = |exact: bool| {
            self.drivers.iter().find_map(|driver| {
                let (_, kind) = driver.makers.iter().find(|(known, _)| means(driver, known, name, exact))?;
                Some((*driver, driver.kind(kind)?))
            })
        };
        let of_type = || {
            let name = name.strip_suffix(".new").or_else(|| name.strip_suffix(".create")).unwrap_or(name);
            self.named(name)
        };
        let capital = name.rsplit('.').next().is_some_and(|last| last.starts_with(char::is_uppercase));
        let made = by_maker(true).or_else(|| by_maker(false));
        made.or_else(|| if constructs || capital || name.ends_with(".new") { of_type() } else { None })
    }

    /// What a container of services gives for a type: `provider.GetRequiredService<Db>()`, `app.get(PrismaService)`,
    /// `context.getBean(DataSource.class)`.
    pub(super) fn of_container(&self, call: &Call<'_>) -> Option<(&'static Driver, &'static Kind)> {
        let text = |expr: ExprId| self.code.exprs.get(expr).and_then(|expr| self.text.get(expr.span.range()));
        let asked = match (self.language, call.name) {
            (HostLanguage::CSharp, "GetRequiredService" | "GetService" | "GetRequiredKeyedService" | "Resolve") => {
                text(call.callee)?.split_once('<')?.1.strip_suffix('>')?
            }
            (HostLanguage::Java | HostLanguage::Kotlin, "getBean" | "getInstance") => {
                let ty = text(call.arguments.first()?.value)?;
                ty.strip_suffix(".class").or_else(|| ty.strip_suffix("::class.java"))?
            }
            (language, "get" | "resolve") if SCRIPT.contains(&language) && call.arguments.len() == 1 => {
                let Value::Name(ty) = self.code.exprs.get(call.arguments[0].value)?.value else { return None };
                Some(ty).filter(|ty| ty.starts_with(|c: char| c.is_ascii_uppercase()))?
            }
            _ => return None,
        };
        self.of_type(asked)
    }

    /// The framework's handle of that name.
    pub(super) fn global(&self, name: &str) -> Option<Handle> {
        // What another file declares by that name is known better.
        if let Some(handle) = self.imported(name).or_else(|| self.constant(name)) {
            return Some(handle);
        }
        let name = name.replace("::", ".").replace('\\', ".");
        self.drivers.iter().find_map(|driver| {
            let fits =
                |known: &str| name == known || name.ends_with(known) && name[..name.len() - known.len()].ends_with('.');
            let (_, kind) = driver.globals.iter().find(|(known, _)| fits(known))?;
            Some(Handle {
                driver,
                kind: driver.kind(kind)?,
                root: driver.kind(kind)?,
                origin: Origin::Global(driver.name),
                evidence: Evidence::Shape,
                made: None,
            })
        })
    }

    /// The kind that a construction means by what stands in it, or in the options that it names.
    pub(super) fn variant(
        &self,
        (driver, kind): (&'static Driver, &'static Kind),
        call: &Call<'_>,
        function: FunctionId,
    ) -> &'static Kind {
        let Some((_, words, other)) = driver.variants.iter().find(|(of, ..)| *of == kind.name) else { return kind };
        let text = |expr: ExprId| self.text.get(self.code.exprs.get(expr)?.span.range());
        let says = |text: &str| words.iter().any(|word| text.contains(word) || self.renamed(word, text));
        let declared = |argument: &Argument<'_>| {
            let name = bare(text(argument.value)?);
            let field = || self.field(self.class_of(function)?.name, name);
            text(self.local(function, name).or_else(field)?.value?)
        };
        let mut texts = text(call.expr).into_iter().chain(call.arguments.iter().filter_map(declared));
        if texts.any(says) { driver.kind(other).unwrap_or(kind) } else { kind }
    }

    /// Whether a text has a name by which the file imports something.
    fn renamed(&self, what: &str, text: &str) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let imports = self.code.imports.iter().filter(|import| import.name != what);
        let mut names = imports.filter(|import| import.path.rsplit(['.', '/']).next() == Some(what));
        names.any(|import| text.split(|c| !is_word(c)).any(|word| word == import.name))
    }
}

/// Whether what is made on a handle of a pool is a session of its own.
pub(super) fn borrows(on: &Handle, kind: &Kind) -> bool {
    on.kind.owner == Owner::PerCall && matches!(kind.owner, Owner::Borrowed | Owner::UntilCommit)
}

/// `type DbPool = Pool<…>;`, `typealias Db = …`: the names of a file for other types.
pub(super) fn aliases(text: &str, language: HostLanguage) -> HashMap<&str, &str> {
    use HostLanguage::{Go, Kotlin, Rust, Scala, Tsx, TypeScript};
    static ALIAS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        ascii(r"(?m)^[ \t]*(?:(?:export|pub(?:\([^)\n]*\))?|private|internal|public)\s+)*type(?:alias)?\s+(\w+)(?:<[^=\n]*>)?\s*=\s*([^;=\n{]+?)\s*;?\s*$").ok()
    });
    if !matches!(language, Go | Kotlin | Rust | Scala | Tsx | TypeScript) {
        return HashMap::new();
    }
    let found = ALIAS.iter().flat_map(|alias| alias.captures_iter(text));
    found.filter_map(|found| Some((found.get(1)?.as_str(), found.get(2)?.as_str()))).collect()
}

/// Whether a name in code means a name of a library: the same, or one ends in the other at a dot. Where no import shows the
/// library, `Database` does not mean `Sequel.Database`; in Go, which names the package of another one's function, `Connect` does
/// not mean `pgxpool.Connect`; and a known name without a dot is a whole one: `this.knex(…)` does not make what `knex(…)` does.
fn means(driver: &Driver, known: &str, name: &str, exact: bool) -> bool {
    if exact || known == name {
        return known == name;
    }
    if let Some(end) = known.strip_prefix('*') {
        return name.ends_with(end);
    }
    let ends = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.ends_with('.'));
    let names_packages = driver.languages == [HostLanguage::Go] && !name.contains('.');
    !driver.imports.is_empty() && !names_packages && ends(known, name) || known.contains('.') && ends(name, known)
}
