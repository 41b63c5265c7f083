//! `locklint rules`: what there is to find.

use super::print;
use crate::emit::page;
use crate::error::Error;
use crate::rules::RULES;
use serde_json::json;

/// List all rules
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  locklint rules\n  locklint rules --format json")]
pub(super) struct Args {
    /// How to write the list
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Format {
    /// One line per rule: name, highest level, what is wrong
    Text,
    /// One object
    Json,
}

pub(super) fn run(args: &Args) -> Result<(), Error> {
    print(false, |out| match args.format {
        Format::Text => {
            let width = RULES.iter().map(|rule| rule.name.len()).max().unwrap_or(0);
            for rule in RULES {
                // A summary may be wrapped on its page.
                let summary = rule.summary().replace('\n', " ");
                writeln!(out, "{:width$}  {:7}  {summary}", rule.name, rule.level.as_str())?;
            }
            Ok(())
        }
        Format::Json => {
            let rules: Vec<_> = RULES
                .iter()
                .map(|rule| {
                    json!({
                        "name": rule.name,
                        "level": rule.level.as_str(),
                        "summary": rule.summary(),
                        "url": page(rule.name),
                    })
                })
                .collect();
            serde_json::to_writer_pretty(&mut *out, &json!({ "schema": 1, "rules": rules }))?;
            writeln!(out)
        }
    })
}
