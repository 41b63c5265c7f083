//! The calls that keys are looked for, by language.

use super::{Fault, Moves};
use crate::language::HostLanguage;
use crate::pattern::ascii;
use regex::Regex;
use std::sync::OnceLock;

use HostLanguage::{CSharp, Elixir, Go, Java, JavaScript, Kotlin, Php, Python, Ruby, Rust, Scala, Tsx, TypeScript};

/// Values by language.
type Row = (&'static [HostLanguage], &'static str, Moves);

/// A value's call, with what it is called on. Sources: the languages' reference pages of each function. Java's
/// `String.hashCode`, Erlang's `phash2` and checksums are fixed, and so in no row.
const VALUES: &[Row] = &[
    (&[Python], r"(?:^|[^\w.])(hash\((?:[^()]|\([^()]*\))*\))", Moves::Process),
    (
        &[Python],
        r"(?:^|[^\w.])((?:uuid\.)?uuid[14]\(\)|random\.(?:random|getrandbits)\([^()]*\)|secrets\.\w+\([^()]*\))",
        Moves::Random,
    ),
    (&[Python], r"(?:^|[^\w.])(time\.(?:time|time_ns|monotonic|monotonic_ns|perf_counter)\(\))", Moves::Clock),
    (&[Python], r"(?:^|[^\w.])(os\.getpid\(\))", Moves::Number),
    (&[Python], r"(?:^|[^\w.])(id\(\w[\w.]*\))", Moves::Process),
    // Passed by its name, as in the languages below.
    (&[Python], r"\bmap\(\s*(hash)\s*,", Moves::Process),
    (
        &[Ruby],
        r"((?:\w[\w.?!@]*|\[[^\[\]]*\]|\([^()]*\)|\x22[^\x22]*\x22)\.(?:hash|object_id))\b(?:[^\w\[({?!.=]|\.abs|$)",
        Moves::Process,
    ),
    (&[Ruby], r"(?:&|\bsend\(|\bmethod\()(:hash|:object_id)\b", Moves::Process),
    (&[Ruby], r"\b(SecureRandom\.\w+|rand\b(?:\(\))?(?:[^(\w]|$))", Moves::Random),
    (&[Ruby], r"(\bProcess\.pid\b|\$\$)", Moves::Number),
    (&[Ruby], r"\b(Time\.now\.to_[if])\b", Moves::Clock),
    (
        &[CSharp],
        r"(\x22[^\x22]*\x22\.GetHashCode\(\)|HashCode\.Combine(?:\((?:[^()]|\([^()]*\))*\)|\b)|(?:StringComparer\.\w+|\bstring|\bString)\.GetHashCode(?:\((?:[^()]|\([^()]*\))*\)|\b))",
        Moves::Process,
    ),
    (&[CSharp], r"((?:\w[\w.?]*(?:\(\))?\.)+GetHashCode\(\))", Moves::Perhaps),
    (&[CSharp], r"\b(Guid\.NewGuid\(\)|Random\.Shared\.Next\w*\(\))", Moves::Random),
    (&[CSharp], r"\b(DateTime(?:Offset)?\.(?:Utc)?Now\.Ticks)\b", Moves::Clock),
    (&[CSharp], r"\b(Environment\.ProcessId)\b", Moves::Number),
    (
        &[Go],
        r"\b(maphash\.(?:String|Bytes|Comparable|MakeSeed)(?:\((?:[^()]|\([^()]*\))*\)|\b)|maphash\.Hash\b)",
        Moves::Process,
    ),
    (&[Go], r"\b(rand\.(?:Int63|Int64|Uint64|Int|Uint32|Int31)\(\))", Moves::Random),
    (&[Go], r"\b(time\.Now\(\)\.Unix(?:Nano|Milli|Micro)?\(\))", Moves::Clock),
    (&[Go], r"\b(os\.Getpid\(\))", Moves::Number),
    (&[Rust], r"\b(DefaultHasher::(?:new|default)(?:\(\)|\b)|BuildHasherDefault::?<DefaultHasher>)", Moves::Build),
    (&[Rust], r"\b(RandomState::(?:new|default)(?:\(\)|\b))", Moves::Process),
    (&[Rust], r"\b((?:rand::)?random(?:::<\w+>)?\(\)|Uuid::new_v4\(\))", Moves::Random),
    (&[Rust], r"\b((?:std::)?process::id\(\))", Moves::Number),
    (
        &[Java, Kotlin, Scala],
        r"\b(System\.identityHashCode\([^()]*\)|(?:new )?Object\(\)\.hashCode\(\)|javaClass\.hashCode\(\)|getClass\(\)\.hashCode\(\)|\w+(?:::|\.)class(?:\.java)?\.hashCode\(\)|System::identityHashCode\b)",
        Moves::Process,
    ),
    (
        &[Java, Kotlin, Scala],
        r"\b(UUID\.randomUUID\(\)|Math\.random\(\)|ThreadLocalRandom\.current\(\)\.next(?:Int|Long)\(\))",
        Moves::Random,
    ),
    (&[Java, Kotlin, Scala], r"\b(\w+\.hashCode\(\))", Moves::Perhaps),
    (&[Java, Kotlin, Scala], r"\b(System\.(?:nanoTime|currentTimeMillis)\(\))", Moves::Clock),
    (&[Java, Kotlin, Scala], r"\b(ProcessHandle\.current\(\)\.pid\(\))", Moves::Number),
    (&[Php], r"\b(spl_object_(?:hash|id)\([^()]*\))", Moves::Process),
    (&[Php], r"\b(mt_rand\(\)|rand\(\)|uniqid\([^()]*\)|random_bytes\([^()]*\))", Moves::Random),
    (&[Php], r"\b(microtime\([^()]*\)|hrtime\([^()]*\))", Moves::Clock),
    (&[Php], r"\b(getmypid\(\))", Moves::Number),
    (&[JavaScript, TypeScript, Tsx], r"\b(Math\.random\(\)|(?:crypto\.)?randomUUID\(\))", Moves::Random),
    (&[JavaScript, TypeScript, Tsx], r"\b(Date\.now\(\))", Moves::Clock),
    (&[JavaScript, TypeScript, Tsx], r"\b(process\.pid)\b", Moves::Number),
    (
        &[Elixir],
        r"(:erlang\.unique_integer\([^()]*\)|System\.unique_integer\([^()]*\)|make_ref\(\)|&(?::erlang|System)\.unique_integer/\d|&make_ref/0)",
        Moves::Process,
    ),
    (&[Elixir], r"(:rand\.uniform\(\))", Moves::Random),
    // Hashes of 32 bits and less, of the standard libraries and the usual packages.
    (
        &[Python],
        r"\b((?:(?:zlib|binascii)\.)?(?:crc32|adler32)\(|mmh3\.hash\(|xxhash\.xxh32(?:_intdigest)?\()",
        Moves::Narrow,
    ),
    (&[Ruby], r"\b(Zlib(?:\.|::)(?:crc32|adler32)\b|XXhash\.xxh32\b|MurmurHash3::V32\.\w+)", Moves::Narrow),
    (
        &[JavaScript, TypeScript, Tsx],
        r"\b((?:zlib\.)?crc32\(|CRC32\.(?:str|buf|bstr)\(|adler32\(|(?:murmurhash(?:js)?\.)?(?:murmur(?:hash)?(?:3_?32|32|3)?|v3)\(|fnv1a?32\(|(?:xxhash\.)?(?:xxHash32|h32|xxh32)\()",
        Moves::Narrow,
    ),
    // Four bytes of a digest.
    (&[JavaScript, TypeScript, Tsx], r"(?s)\b(createHash\(.*\.read(?:U)?Int32(?:BE|LE)\()", Moves::Narrow),
    (
        &[Go],
        r"\b(crc32\.(?:ChecksumIEEE|Checksum|Update)\(|adler32\.Checksum\(|murmur3\.Sum32\w*\(|xxhash\.Checksum32\w*\(|\w+\.Sum32\(\))",
        Moves::Narrow,
    ),
    (
        &[Rust],
        r"\b(crc32fast::hash\(|crc32c::crc32c\(|crc32c?\(|adler(?:2|32)?::adler32\w*\(|(?:murmur3::)?murmur3_32\(|(?:xxhash_rust::)?(?:xxh32::)?xxh32\(|fnv1a?_?32\()",
        Moves::Narrow,
    ),
    (
        &[Java, Kotlin, Scala],
        r"(\w[\w.]*(?:\(\))?\.hashCode\b(?:\(\))?|\b(?:Objects|Arrays)\.hash(?:Code)?\(|\bHashing\.(?:murmur3_32\w*|crc32c?|adler32|goodFastHash\(32\))|\bMurmurHash3\.(?:\w*[hH]ash32\w*|\w+Hash)\(|\bxxHash32\()",
        Moves::Narrow,
    ),
    (&[Scala], r"(\w[\w.]*\.##)(?:\W|$)", Moves::Narrow),
    // What a checksum of the file has come to.
    (
        &[Java, Kotlin, Scala],
        r"\b((?i:crc(?:32c?)?|checksum|adler(?:32)?)\.(?:getValue(?:\(\))?|value\b))",
        Moves::Narrow,
    ),
    (&[CSharp], r"\b(Crc32\.(?:Hash|HashToUInt32|Compute)\w*\(|XxHash32\.Hash\w*\(|Adler32\.\w+\()", Moves::Narrow),
    (&[Php], r"\b(crc32\(|hash\(\s*['\x22](?:crc32[bc]?|adler32|fnv1a?32|joaat|murmur3a|xxh32)['\x22])", Moves::Narrow),
    // <https://docs.python.org/3/library/stdtypes.html#int.from_bytes>: unsigned unless it is told.
    (&[Python], r"\b(int(?:\.from_bytes)?\()", Moves::Unsigned),
    (
        &[Ruby],
        r"(hexdigest(?:\([^()]*\))?(?:\[0, ?16\]|\[0\.\.15\]|\[0\.\.\.16\]|\.first\(16\))\.(?:to_i\(16\)|hex\b))",
        Moves::Unsigned,
    ),
    (&[JavaScript, TypeScript, Tsx], r"(\bBigInt\(|\.readBigUInt64(?:BE|LE)\()", Moves::Unsigned),
    (&[Elixir], r"(:erlang\.(?:phash2?|crc32|adler32)\(|&:erlang\.(?:phash2?|crc32|adler32)/\d)", Moves::Narrow),
];

/// The rows of a language with a fault.
pub(super) fn rows(language: HostLanguage, fault: Fault) -> impl Iterator<Item = (&'static Regex, Moves)> {
    static PATTERNS: [OnceLock<Option<Regex>>; VALUES.len()] = [const { OnceLock::new() }; VALUES.len()];
    let wanted =
        move |(_, (languages, _, moves)): &(usize, &Row)| languages.contains(&language) && moves.fault() == fault;
    VALUES.iter().enumerate().filter(wanted).filter_map(|(at, (_, pattern, moves))| {
        Some((PATTERNS[at].get_or_init(|| ascii(pattern).ok()).as_ref()?, *moves))
    })
}
