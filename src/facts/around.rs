//! Transactions that the tree begins around whatever a framework calls: callbacks of a controller, middleware,
//! interceptors.

use crate::driver::{JVM, SCRIPT, share};
use crate::finding::FileId;
use crate::language::HostLanguage::{self, CSharp, Php, Ruby};
use crate::language::{Config, Language, is_test};
use crate::project::{Project, ProjectFile};
use rayon::prelude::*;
use regex::bytes::Regex;
use std::collections::HashSet;
use std::sync::LazyLock;

/// What wraps in the languages of a framework, in a file that begins a transaction.
const WRAPS: &[(&[HostLanguage], &str)] = &[
    // Rails' and Active Job's callbacks; the middleware of Rack and Sidekiq.
    (&[Ruby], r"\baround_(?:action|execute|filter|perform|process)\b|\bdef call\([^)]*(?:env|job|msg|queue|worker)"),
    // Laravel's middleware.
    (&[Php], r"\bfunction handle\([^)]*\bClosure \$next\b"),
    (&[CSharp], r"\bI(?:Async)?ActionFilter\b|\bIPipelineBehavior\b|\bRequestDelegate\b|\bIFilter<"),
    (JVM, r"@Around(?:Invoke)?\b|\bMethodInterceptor\b|\bvoid doFilter\b|\bHandlerInterceptor\b"),
    (SCRIPT, r"\bNestInterceptor\b"),
];

/// Beginning a transaction, or running something in one.
const BEGINS: &str = r"(?i-u)transaction|\bbegin\b";

/// The languages in which something of a project wraps what its framework calls in a transaction, of what `asking` share.
pub fn begun_around(project: &dyn Project, asking: &[HostLanguage]) -> HashSet<HostLanguage> {
    if asking.is_empty() {
        return HashSet::new();
    }
    let of_file = |buffer: &mut Vec<u8>, (index, file): (usize, &ProjectFile)| {
        let id = FileId(u32::try_from(index).unwrap_or(u32::MAX));
        let asks = match file.language {
            Language::Host(language) => asking.iter().any(|&asking| share(asking, language)),
            Language::Config(Config::Yaml) => true,
            _ => false,
        };
        let asks = asks && !is_test(&file.path);
        let content = if asks { project.read_into(id, buffer).ok() } else { None };
        content.map_or(&[][..], |content| wrapped_by(content, file.language)).to_vec()
    };
    project.files().par_iter().enumerate().map_init(Vec::new, of_file).flatten_iter().collect()
}

/// The languages of the programs that the content of a file wraps in a transaction.
fn wrapped_by(content: &[u8], language: Language) -> &'static [HostLanguage] {
    static PATTERNS: LazyLock<Vec<Option<Regex>>> =
        LazyLock::new(|| WRAPS.iter().map(|(_, pattern)| Regex::new(&format!("(?-u){pattern}")).ok()).collect());
    static BEGIN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(BEGINS).ok());
    // Symfony's messenger.
    if memchr::memmem::find(content, b"doctrine_transaction").is_some() {
        return &[Php];
    }
    let Language::Host(language) = language else { return &[] };
    let wraps = WRAPS.iter().zip(PATTERNS.iter()).find(|((languages, _), _)| languages.contains(&language));
    let begins = |content| BEGIN.as_ref().is_some_and(|begin| begin.is_match(content));
    match wraps {
        Some(((languages, _), Some(pattern))) if pattern.is_match(content) && begins(content) => languages,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::HostLanguage::{Java, TypeScript};

    #[test]
    fn what_begins_a_transaction_around() {
        for (language, text) in [
            (Ruby, "around_action :in_transaction\ndef in_transaction(&) = ActiveRecord::Base.transaction(&)"),
            (Ruby, "around_perform { |_, block| ApplicationRecord.transaction(&block) }"),
            (Ruby, "def call(_worker, job, queue)\n  ApplicationRecord.transaction { yield }"),
            (
                Php,
                "public function handle(Request $request, Closure $next) { return DB::transaction(fn () => $next($request)); }",
            ),
            (CSharp, "class Tx : IAsyncActionFilter { await db.Database.BeginTransactionAsync();"),
            (
                Java,
                "@Around(\"@within(RestController)\") Object in(ProceedingJoinPoint p) { return transactions.execute(",
            ),
            (TypeScript, "class Tx implements NestInterceptor { intercept() { return this.ds.transaction("),
        ] {
            assert!(wrapped_by(text.as_bytes(), Language::Host(language)).contains(&language), "{text}");
        }
        for (language, text) in [
            (Ruby, "around_action :with_locale"),
            (Ruby, "before_action :load\ndef load = Account.transaction { touch }"),
            (Php, "public function handle(): void { DB::transaction(fn () => 1); }"),
        ] {
            assert!(wrapped_by(text.as_bytes(), Language::Host(language)).is_empty(), "{text}");
        }
        let messenger =
            b"framework:\n  messenger:\n    buses:\n      command.bus:\n        middleware: [doctrine_transaction]\n";
        assert_eq!(wrapped_by(messenger, Language::Config(Config::Yaml)), [Php]);
    }
}
