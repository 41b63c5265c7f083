//! The server's hash functions of texts, which many a key is made with: `hash_bytes` of PostgreSQL's
//! `src/common/hashfn.c`, which is Bob Jenkins' lookup3 with another start value, read in the order of little-endian
//! machines. For texts in UTF-8 whose collation is deterministic, as the default is. The proofs compare both with servers;
//! `hashtextextended` came with PostgreSQL 11.

/// `hashtext(text)`
pub fn hashtext(text: &str) -> i32 {
    let (_, c) = hash(text.as_bytes(), 0);
    c.cast_signed()
}

/// `hashtextextended(text, seed)`
pub fn hashtextextended(text: &str, seed: i64) -> i64 {
    let (b, c) = hash(text.as_bytes(), seed.cast_unsigned());
    (u64::from(b) << 32 | u64::from(c)).cast_signed()
}

fn hash(bytes: &[u8], seed: u64) -> (u32, u32) {
    // No text of the server is longer than a gigabyte.
    let len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    let start = 0x9e37_79b9_u32.wrapping_add(len).wrapping_add(3_923_095);
    let mut state = [start; 3];
    if seed != 0 {
        let half = |bits: u64| u32::try_from(bits & u64::from(u32::MAX)).unwrap_or_default();
        state[0] = state[0].wrapping_add(half(seed >> 32));
        state[1] = state[1].wrapping_add(half(seed));
        mix(&mut state);
    }
    let mut chunks = bytes.chunks_exact(12);
    for chunk in &mut chunks {
        for (word, four) in state.iter_mut().zip(chunk.chunks_exact(4)) {
            *word = word.wrapping_add(word_of(four, 0));
        }
        mix(&mut state);
    }
    // The lowest byte of the last word is left for the length.
    let rest = chunks.remainder();
    for (index, four) in rest.chunks(4).enumerate() {
        state[index] = state[index].wrapping_add(word_of(four, if index == 2 { 1 } else { 0 }));
    }
    finish(&mut state);
    (state[1], state[2])
}

/// Up to four bytes as a number, the first the lowest, from a byte of the number on.
fn word_of(bytes: &[u8], from: u32) -> u32 {
    (from..4).zip(bytes).fold(0, |word, (at, &byte)| word | u32::from(byte) << (8 * at))
}

fn mix([a, b, c]: &mut [u32; 3]) {
    *a = a.wrapping_sub(*c) ^ c.rotate_left(4);
    *c = c.wrapping_add(*b);
    *b = b.wrapping_sub(*a) ^ a.rotate_left(6);
    *a = a.wrapping_add(*c);
    *c = c.wrapping_sub(*b) ^ b.rotate_left(8);
    *b = b.wrapping_add(*a);
    *a = a.wrapping_sub(*c) ^ c.rotate_left(16);
    *c = c.wrapping_add(*b);
    *b = b.wrapping_sub(*a) ^ a.rotate_left(19);
    *a = a.wrapping_add(*c);
    *c = c.wrapping_sub(*b) ^ b.rotate_left(4);
    *b = b.wrapping_add(*a);
}

fn finish([a, b, c]: &mut [u32; 3]) {
    *c = (*c ^ *b).wrapping_sub(b.rotate_left(14));
    *a = (*a ^ *c).wrapping_sub(c.rotate_left(11));
    *b = (*b ^ *a).wrapping_sub(a.rotate_left(25));
    *c = (*c ^ *b).wrapping_sub(b.rotate_left(16));
    *a = (*a ^ *c).wrapping_sub(c.rotate_left(4));
    *b = (*b ^ *a).wrapping_sub(a.rotate_left(14));
    *c = (*c ^ *b).wrapping_sub(b.rotate_left(24));
}

#[cfg(test)]
mod tests {
    use super::{hashtext, hashtextextended};

    /// `hashtext(t)`, `hashtextextended(t, seed)` for the seeds 0, -7 and 2^32 + 3, as PostgreSQL 18.4 gave them.
    #[test]
    fn hashes_are_those_of_a_server() {
        for (text, narrow, wide) in [
            ("", -1477818771, [-6939563903564495251, 7897695672827216937, 6165081531010381433]),
            ("a", 1075015857, [3591986179850072241, -1390133477695463801, 3166922192023299840]),
            ("user:78002", -1133127397, [-3406271699539863269, 7389914795828318812, 6664333685775202724]),
            ("abcdefgh", -1960928205, [-8882191227074733005, 5765243751216853957, -7432877898153242570]),
            ("abcdefghijk", -1483803693, [3112909444737856467, -7800407695651034862, 2097927089172960378]),
            ("abcdefghijkl", -1586087212, [-7556637188122330412, -2179186698317225985, 4367579879582046310]),
            ("abcdefghijklm", 405849808, [8871624171452417744, -1749882020453869955, -2975682835209822530]),
            ("Größe ☃", -1104693777, [7085219311574824431, -7636739653606016308, 4482348045516201144]),
        ] {
            assert_eq!(hashtext(text), narrow, "{text}");
            assert_eq!([0, -7, 4294967299].map(|seed| hashtextextended(text, seed)), wide, "{text}");
        }
    }
}
