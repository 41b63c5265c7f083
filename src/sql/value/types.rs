//! Types of expressions, as far as they are known without a catalog.

use super::Value;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SqlType {
    /// smallint
    Int2,
    /// integer
    Int4,
    /// bigint
    Int8,
    /// numeric
    Numeric,
    /// real, double precision
    Float,
    /// text, varchar, char
    Text,
    /// boolean
    Boolean,
    /// bit, bit varying
    Bits,
    /// bytea
    Bytea,
    /// uuid
    Uuid,
    /// oid, regclass and the other names of objects, which are oids
    Oid,
    /// What PostgreSQL calls `unknown`: a string constant or NULL that takes the type that its place wants.
    Unknown,
    /// Any other, in lower case.
    Other(String),
}

/// Types of PostgreSQL's own, by the first word of their names, that no variant stands for.
const OTHERS: &[&str] = &[
    "box",
    "cid",
    "cidr",
    "circle",
    "date",
    "inet",
    "interval",
    "json",
    "jsonb",
    "jsonpath",
    "line",
    "lseg",
    "macaddr",
    "macaddr8",
    "money",
    "path",
    "pg_lsn",
    "point",
    "polygon",
    "refcursor",
    "tid",
    "time",
    "timestamp",
    "timestamptz",
    "timetz",
    "tsquery",
    "tsvector",
    "xid",
    "xid8",
    "xml",
];

impl SqlType {
    /// The type that `name` stands for.
    pub fn from_name(name: &str) -> Self {
        let lower = name.to_ascii_lowercase();
        let plain = lower.strip_prefix("pg_catalog.").unwrap_or(&lower);
        // Modifiers do not matter, but an array is no number.
        let base = if plain.ends_with(']') { plain } else { plain.split('(').next().unwrap_or(plain) };
        match base.trim() {
            "smallint" | "int2" | "smallserial" | "serial2" => Self::Int2,
            "int" | "integer" | "int4" | "serial" | "serial4" => Self::Int4,
            "bigint" | "int8" | "bigserial" | "serial8" => Self::Int8,
            "numeric" | "decimal" | "dec" => Self::Numeric,
            "real" | "float4" | "float" | "float8" | "double precision" | "double" => Self::Float,
            "text" | "varchar" | "character varying" | "char" | "character" | "bpchar" | "name" | "char varying"
            | "nvarchar" => Self::Text,
            "boolean" | "bool" => Self::Boolean,
            "bit" | "bit varying" | "varbit" => Self::Bits,
            "bytea" => Self::Bytea,
            "uuid" => Self::Uuid,
            "oid" | "regclass" | "regproc" | "regprocedure" | "regtype" | "regrole" | "regnamespace" => Self::Oid,
            _ => Self::Other(lower),
        }
    }

    /// The bits of an integer type.
    pub const fn bits(&self) -> Option<u32> {
        match self {
            Self::Int2 => Some(16),
            Self::Int4 => Some(32),
            Self::Int8 => Some(64),
            _ => None,
        }
    }

    /// Whether arithmetic on it gives the same type: not so for dates and times.
    pub const fn is_number(&self) -> bool {
        matches!(self, Self::Int2 | Self::Int4 | Self::Int8 | Self::Numeric | Self::Float | Self::Bits)
    }

    /// Whether PostgreSQL makes an integer of it by itself; unknown for a type of the tree's own, which may be a domain
    /// over one.
    pub fn becomes_integer(&self) -> Option<bool> {
        match self {
            Self::Int2 | Self::Int4 | Self::Int8 => Some(true),
            Self::Other(name) => {
                let first = name.split([' ', '(']).next().unwrap_or(name);
                (name.ends_with(']') || OTHERS.contains(&first)).then_some(false)
            }
            Self::Unknown => None,
            _ => Some(false),
        }
    }

    /// Whether an integer of this type can be `value`.
    pub fn holds(&self, value: i128) -> bool {
        match self.bits() {
            Some(bits) => {
                let bound = 1i128 << (bits - 1);
                (-bound..bound).contains(&value)
            }
            None => false,
        }
    }
}

impl Value {
    /// Its type, where constants, casts, operators and well-known functions tell.
    pub fn ty(&self) -> Option<SqlType> {
        match self {
            Self::Null | Self::Text(_) => Some(SqlType::Unknown),
            Self::Integer(value) => Some(if SqlType::Int4.holds(*value) {
                SqlType::Int4
            } else if SqlType::Int8.holds(*value) {
                SqlType::Int8
            } else {
                SqlType::Numeric
            }),
            Self::Numeric(_) => Some(SqlType::Numeric),
            Self::Bits(_) => Some(SqlType::Bits),
            Self::Boolean(_) => Some(SqlType::Boolean),
            Self::Cast { ty, .. } => Some(ty.clone()),
            Self::Call { name, args } => call(name, args),
            Self::Operator { symbol, args } => operator(symbol, args),
            Self::Case { results, .. } => common(results).map(resolved),
            Self::Parameter(_)
            | Self::Name { .. }
            | Self::Row(_)
            | Self::Array(_)
            | Self::Query(_)
            | Self::Unknown(_) => None,
        }
    }
}

/// The one type of all values; NULL and string constants take that of the others.
fn common(values: &[Value]) -> Option<SqlType> {
    let mut out = None;
    for value in values {
        out = Some(match (out, value.ty()?) {
            (None | Some(SqlType::Unknown), ty) => ty,
            (Some(ty), SqlType::Unknown) => ty,
            (Some(left), right) => wider(left, right)?,
        });
    }
    out
}

/// What constants of no type become where nothing else tells.
fn resolved(ty: SqlType) -> SqlType {
    if ty == SqlType::Unknown { SqlType::Text } else { ty }
}

fn wider(left: SqlType, right: SqlType) -> Option<SqlType> {
    match (left.bits(), right.bits()) {
        _ if left == right => Some(left),
        (Some(a), Some(b)) => Some(if a > b { left } else { right }),
        (Some(_), None) if matches!(right, SqlType::Numeric | SqlType::Float) => Some(right),
        (None, Some(_)) if matches!(left, SqlType::Numeric | SqlType::Float) => Some(left),
        _ => None,
    }
}

fn operator(symbol: &str, args: &[Value]) -> Option<SqlType> {
    match (symbol, args) {
        // The sign is a part of the constant: -2147483648 is an integer, 2147483648 is none.
        ("-", [Value::Integer(value)]) => Value::Integer(value.checked_neg()?).ty(),
        ("^", [_, _]) => Some(if common(args)? == SqlType::Numeric { SqlType::Numeric } else { SqlType::Float }),
        ("+" | "-" | "*" | "/" | "%" | "&" | "|" | "#", [_, _]) | ("+" | "-" | "~", [_]) => {
            common(args).filter(SqlType::is_number)
        }
        ("<<" | ">>", [left, _]) => left.ty().filter(|ty| ty.bits().is_some()),
        ("||", _) => {
            let text = |value: &Value| value.ty() == Some(SqlType::Text) || matches!(value, Value::Text(_));
            args.iter().any(text).then_some(SqlType::Text)
        }
        (
            "=" | "<>" | "!=" | "<" | "<=" | ">" | ">=" | "and" | "or" | "not" | "in" | "not in" | "between"
            | "not between" | "like" | "not like",
            _,
        ) => Some(SqlType::Boolean),
        _ if symbol.starts_with("is ") || symbol.ends_with(" any") || symbol.ends_with(" all") => {
            Some(SqlType::Boolean)
        }
        _ => None,
    }
}

fn call(name: &str, args: &[Value]) -> Option<SqlType> {
    match name {
        "hashtext" | "hashint2" | "hashint4" | "hashint8" | "hashfloat4" | "hashfloat8" | "hashoid" | "hashchar"
        | "hashname" | "hashbpchar" | "hashvarlena" | "hashinet" | "hash_array" | "hash_numeric" | "hash_record"
        | "uuid_hash" | "length" | "char_length" | "character_length" | "octet_length" | "bit_length" | "ascii"
        | "strpos" | "position" | "get_byte" | "array_length" | "cardinality" | "pg_backend_pid" => Some(SqlType::Int4),
        "hashtextextended"
        | "hashint2extended"
        | "hashint4extended"
        | "hashint8extended"
        | "hashoidextended"
        | "hashcharextended"
        | "hashbpcharextended"
        | "hashvarlenaextended"
        | "hash_array_extended"
        | "hash_numeric_extended"
        | "hash_record_extended"
        | "uuid_hash_extended"
        | "count"
        | "row_number"
        | "rank"
        | "nextval"
        | "currval"
        | "lastval"
        | "setval"
        | "txid_current"
        | "crc32"
        | "crc32c"
        | "bit_count" => Some(SqlType::Int8),
        "md5" | "lower" | "upper" | "concat" | "concat_ws" | "format" | "replace" | "to_hex" | "encode" | "to_char"
        | "quote_ident" | "quote_literal" | "current_schema" | "current_database" | "current_setting" | "trim"
        | "btrim" | "ltrim" | "rtrim" | "split_part" | "lpad" | "rpad" => Some(SqlType::Text),
        "decode" | "sha224" | "sha256" | "sha384" | "sha512" | "digest" => Some(SqlType::Bytea),
        "extract" | "to_number" => Some(SqlType::Numeric),
        "random" | "date_part" => Some(SqlType::Float),
        "gen_random_uuid" | "uuid_generate_v4" | "uuidv4" | "uuidv7" => Some(SqlType::Uuid),
        "exists" => Some(SqlType::Boolean),
        "now" | "clock_timestamp" | "statement_timestamp" | "transaction_timestamp" | "current_timestamp" => {
            Some(SqlType::Other("timestamp with time zone".to_owned()))
        }
        "current_date" => Some(SqlType::Other("date".to_owned())),
        "pg_current_xact_id" => Some(SqlType::Other("xid8".to_owned())),
        "floor" | "ceil" | "ceiling" | "round" | "trunc" => match common(args.get(..1)?)? {
            SqlType::Numeric => Some(SqlType::Numeric),
            ty if args.len() == 1 && (ty == SqlType::Float || ty.bits().is_some()) => Some(SqlType::Float),
            _ => None,
        },
        "abs" | "max" | "min" | "mod" => common(args),
        "coalesce" | "greatest" | "least" | "nullif" => common(args).map(resolved),
        "sum" => match common(args)? {
            SqlType::Int2 | SqlType::Int4 => Some(SqlType::Int8),
            SqlType::Int8 | SqlType::Numeric => Some(SqlType::Numeric),
            ty => Some(ty),
        },
        _ => None,
    }
}
