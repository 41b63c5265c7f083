//! The hashes that `locklint keys` computes, against a server.

use crate::client::Connection;
use locklint::sql::hash::{hashtext, hashtextextended};

/// How many strings are compared.
const STRINGS: usize = 10_000;

/// How many are asked for at once.
const BATCH: usize = 500;

/// Compares the hashes of random strings; the answer counts them.
pub(crate) fn agree(server: &mut Connection) -> Result<usize, String> {
    let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ u64::from(std::process::id()));
    for _ in 0..STRINGS / BATCH {
        let cases: Vec<(String, i64)> = (0..BATCH).map(|_| (random.text(), random.next().cast_signed())).collect();
        let values: Vec<String> =
            cases.iter().map(|(text, seed)| format!("('{}', {seed}::bigint)", text.replace('\'', "''"))).collect();
        let sql = format!(
            "SELECT hashtext(t), hashtextextended(t, 0), hashtextextended(t, s) FROM (VALUES {}) v(t, s)",
            values.join(", ")
        );
        let rows = server.rows(&sql)?;
        for ((text, seed), row) in cases.iter().zip(rows) {
            let mine = format!("{}|{}|{}", hashtext(text), hashtextextended(text, 0), hashtextextended(text, *seed));
            if mine != row {
                return Err(format!("{text:?} with seed {seed}: computed {mine}, the server says {row}"));
            }
        }
    }
    Ok(STRINGS / BATCH * BATCH)
}

/// A small generator (xorshift), so that a failure can be had again from its text.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Up to 40 characters of one to four bytes, none of them NUL or a backslash.
    fn text(&mut self) -> String {
        let length = self.next() % 41;
        (0..length)
            .map(|_| {
                let bound = [0x7F, 0x7FF, 0xFFFF, 0x10_FFFF][usize::try_from(self.next() % 4).unwrap_or_default()];
                let code = u32::try_from(1 + self.next() % bound).unwrap_or(1);
                char::from_u32(code).filter(|c| *c != '\\').unwrap_or('x')
            })
            .collect()
    }
}
