//! Definitions for collectors of metrics. A series for each key would be a series for each user or order, so these count
//! by named feature; the rows of `--format sql` say who it is.
//!
//! postgres_exporter: `queries.yaml` of its repository; pgwatch: docs/reference/metric_definitions.md of its repository;
//! Datadog: the custom metrics page of its Postgres integration, and its `conf.yaml.example`.

use super::{Request, query};

/// A value of the summary.
struct Measure {
    name: &'static str,
    value: &'static str,
    about: &'static str,
}

/// What rows are told apart by.
const LABELS: &[(&str, &str, &str)] = &[
    ("database", "database", "Database of the lock"),
    ("key_space", "key_space", "Form of the functions: bigint or int4, int4"),
    ("lock_name", "coalesce(lock_name, 'unnamed')", "What the code calls the key"),
];

const MEASURES: &[Measure] = &[
    Measure {
        name: "waiting_sessions",
        value: "count(DISTINCT waiting_pid)",
        about: "Sessions that have waited for an advisory lock for longer than the threshold",
    },
    Measure {
        name: "longest_wait_seconds",
        value: "max(waiting_seconds)::float8",
        about: "The longest of these waits",
    },
    Measure {
        name: "idle_blockers",
        value: "count(DISTINCT CASE WHEN left(blocking_state, 4) = 'idle' AND holds IS NOT NULL THEN blocking_pid END)",
        about: "Sessions that hold such a lock and run nothing, as those do that leaked one",
    },
    Measure {
        name: "prepared_blockers",
        value: "count(DISTINCT blocking_prepared)",
        about: "Prepared transactions that hold such a lock",
    },
];

/// The query, summed up by feature, indented.
fn summary(request: &Request, first: &str, prefix: &str, indent: &str) -> String {
    let rows = query(request, false);
    let rows = rows.trim_end();
    let labels = LABELS.iter().map(|(name, value, _)| format!("{value} AS {prefix}{name}"));
    let measures = MEASURES.iter().map(|measure| format!("{} AS {}", measure.value, measure.name));
    let list: Vec<String> = labels.chain(measures).collect();
    let text = format!(
        "SELECT {first}{}\n  FROM (\n{rows}\n) AS wait\n GROUP BY database, key_space, lock_name",
        list.join(",\n       ")
    );
    let lines: Vec<String> = text.split('\n').map(|line| format!("{indent}{line}")).collect();
    lines.join("\n")
}

pub(super) fn postgres_exporter(request: &Request) -> String {
    let query = summary(request, "", "", "    ");
    let mut text = format!(
        "# For --extend.query-path of postgres_exporter, which is deprecated there: newer set-ups give the query below to an\n\
         # exporter for SQL. Alert on advisory_wait_waiting_sessions > 0.\n\
         advisory_wait:\n  query: |\n{query}\n  metrics:\n"
    );
    for (name, _, about) in LABELS {
        text.push_str(&format!("    - {name}:\n        usage: \"LABEL\"\n        description: \"{about}\"\n"));
    }
    for measure in MEASURES {
        text.push_str(&format!(
            "    - {}:\n        usage: \"GAUGE\"\n        description: \"{}\"\n",
            measure.name, measure.about
        ));
    }
    text
}

pub(super) fn pgwatch(request: &Request) -> String {
    let now = "(extract(epoch from now()) * 1e9)::int8 AS epoch_ns,\n       ";
    let query = summary(request, now, "tag_", "        ");
    let servers = if request.has_waitstart { 14 } else { 11 };
    format!(
        "# A metric definition for pgwatch; enable it in a preset or for a source with an interval.\n\
         metrics:\n  advisory_wait:\n    sqls:\n      {servers}: |\n{query}\n    gauges:\n      - '*'\n    is_instance_level: true\n"
    )
}

pub(super) fn datadog(request: &Request) -> String {
    let query = summary(request, "", "", "        ");
    let mut text = format!(
        "# For an instance in conf.d/postgres.d/conf.yaml of the Datadog Agent.\n\
         custom_queries:\n  - metric_prefix: postgresql.advisory_wait\n    query: |\n{query}\n    columns:\n"
    );
    for (name, ..) in LABELS {
        text.push_str(&format!("      - name: {name}\n        type: tag\n"));
    }
    for measure in MEASURES {
        text.push_str(&format!("      - name: {}\n        type: gauge\n", measure.name));
    }
    text
}
