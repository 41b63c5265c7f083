//! Runners known by where their files lie and how they are named.

use super::{Runner, Section, Surroundings};

/// The runner of the file at `path`, where its place and name tell.
pub(super) fn layout(path: &str) -> Option<Section> {
    let mut parts = path.rsplit('/');
    let name = parts.next()?;
    let parent = parts.next().unwrap_or_default();
    let grandparent = parts.next().unwrap_or_default();
    let above = parts.next().unwrap_or_default();
    let stem = name.strip_suffix(".sql")?;
    let script = |runner, name: &str, surroundings| Some(Section::script(Some(runner), name, surroundings));
    match (name, parent, grandparent) {
        ("migration.sql", _, "migrations") => return script(Runner::Prisma, "", Surroundings::OneString),
        ("migration.sql", _, "drizzle") => return script(Runner::Drizzle, "", Surroundings::Runner),
        ("up.sql" | "down.sql", ..) => {
            let runner = if digits(parent) == 13 { Runner::Hasura } else { Runner::Diesel };
            // Between may be a directory for each database.
            let placed = grandparent == "migrations" || above == "migrations" && digits(parent) >= 4;
            return placed.then(|| script(runner, stem, Surroundings::Runner)).flatten();
        }
        ("structure.sql", _, "priv") => return script(Runner::Ecto, "", Surroundings::Runner),
        ("seed.sql", "supabase", _) => return script(Runner::Supabase, "", Surroundings::OneString),
        ("current.sql", "migrations", _) => return script(Runner::GraphileMigrate, "", Surroundings::Runner),
        _ => {}
    }
    if is_versioned(stem) {
        return script(Runner::Flyway, "", Surroundings::Runner);
    }
    if let Some((_, "rollback")) = stem.rsplit_once('.') {
        // Whether there is a transaction says the file that is rolled back.
        return script(Runner::Yoyo, "down", Surroundings::Unknown);
    }
    let number = digits(name);
    if number == 0 {
        return None;
    }
    let separator = name.as_bytes().get(number).copied();
    match (separator, parent, grandparent) {
        (Some(b'_'), "migrations", "supabase") => {
            return script(Runner::Supabase, "", Surroundings::OneString);
        }
        (Some(b'_'), "drizzle", _) | (Some(b'_'), "migrations", "drizzle") if number == 4 => {
            return script(Runner::Drizzle, "", Surroundings::Runner);
        }
        (Some(b'-' | b'.'), "committed", _) | (Some(b'-' | b'.'), "current", "migrations") => {
            return script(Runner::GraphileMigrate, "", Surroundings::Runner);
        }
        _ => {}
    }
    let (_, direction @ ("up" | "down")) = stem.rsplit_once('.')? else { return None };
    // sqlx names its files alike, in a transaction of its own: either way there is one.
    (separator == Some(b'_')).then(|| script(Runner::GolangMigrate, direction, Surroundings::OneString)).flatten()
}

/// How many digits a name begins with.
fn digits(name: &str) -> usize {
    name.bytes().take_while(u8::is_ascii_digit).count()
}

/// `V1.2__add_table`, `R__views`, `U1__undo`, `B7__baseline`: Flyway; refinery has `V` and `U`.
fn is_versioned(stem: &str) -> bool {
    let Some((version, _)) = stem.split_once("__") else {
        return false;
    };
    match version.as_bytes() {
        [b'R'] => true,
        [b'V' | b'U' | b'B', rest @ ..] => {
            rest.first().is_some_and(u8::is_ascii_digit)
                && rest.iter().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'_'))
        }
        _ => false,
    }
}
