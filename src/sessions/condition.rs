//! Conditions: what they say of a try-lock or of an error, with the order in which their parts run.

use super::Run;
use super::answer::Part;
use super::value::{Answer, Val};
use crate::flow::{Guard, Node, SiteId, StepId};
use crate::host::code::{ExprId, Value};
use crate::language::HostLanguage;

/// A condition over more operands than this says nothing.
const MAX_OPERANDS: usize = 8;

/// How long a question for the database may be, in bytes.
const LONGEST_QUESTION: usize = 80;

/// What begins a condition with a pattern in Rust.
const LET: &str = "let ";

/// How many nodes may stand twice.
const MAX_TWICE: usize = 24;

/// What a condition says.
#[derive(Clone, Debug, Default)]
pub(super) enum Condition {
    /// Nothing.
    #[default]
    Opaque,
    /// It is true where a try-lock was granted, or where it was not.
    Granted(SiteId, bool),
    /// It is true where a step failed, or where it did not.
    Failed(StepId, bool),
    /// Always so.
    Always(bool),
    /// The same where it is asked for the first time: the one row of a query for a lock is there.
    HasRow(bool),
    /// Two, of which the second runs only if the first does not decide.
    Logic {
        /// Both must hold.
        and: bool,
        /// The first.
        first: Box<Condition>,
        /// What runs for the second.
        between: Vec<Node>,
        /// The second.
        second: Box<Condition>,
    },
}

impl Condition {
    fn not(self) -> Self {
        match self {
            Self::Opaque => Self::Opaque,
            Self::Granted(site, granted) => Self::Granted(site, !granted),
            Self::Failed(step, failed) => Self::Failed(step, !failed),
            Self::Always(so) => Self::Always(!so),
            Self::HasRow(so) => Self::HasRow(!so),
            Self::Logic { and, first, between, second } => {
                Self::Logic { and: !and, first: Box::new(first.not()), between, second: Box::new(second.not()) }
            }
        }
    }

    fn operands(&self) -> usize {
        match self {
            Self::Logic { first, second, .. } => first.operands() + second.operands(),
            _ => 1,
        }
    }

    /// What a value says as a condition.
    pub(super) fn of_val(val: &Val) -> Self {
        match val {
            Val::Answer(Answer { part: Part::Text, .. }) => Self::Opaque,
            Val::Answer(answer) => answer.site.map_or(Self::Opaque, |site| Self::Granted(site, answer.granted)),
            Val::Held(site) => Self::Granted(*site, true),
            Val::Failure(step) => Self::Failed(*step, true),
            Val::Bool(so) => Self::Always(*so),
            Val::Null => Self::Always(false),
            _ => Self::Opaque,
        }
    }
}

impl Run<'_, '_, '_> {
    /// Runs a condition; what runs in any case goes to `out`.
    pub(super) fn condition(&mut self, expr: ExprId, out: &mut Vec<Node>) -> Condition {
        self.deeper(|run| run.said(expr, out))
    }

    fn said(&mut self, expr: ExprId, out: &mut Vec<Node>) -> Condition {
        let code = self.program.code;
        let Some(node) = code.exprs.get(expr) else { return Condition::Opaque };
        match &node.value {
            Value::Not(inner) => self.condition(*inner, out).not(),
            Value::Logic { and, operands: [first, second] } => {
                let first = self.condition(*first, out);
                let mut between = Vec::new();
                let second = self.condition(*second, &mut between);
                let both = Condition::Logic { and: *and, first: Box::new(first), between, second: Box::new(second) };
                if both.operands() > MAX_OPERANDS { Condition::Opaque } else { both }
            }
            // Rust's `if let Err(e) = …`, `match … { Ok(_) => …`, `….is_err()`.
            Value::Binary { operator: "is", operands: [value, name] }
                if matches!(self.last_name(*name), "Ok" | "Err") && self.program.language == HostLanguage::Rust =>
            {
                let failed = self.last_name(*name) == "Err";
                let lost = self.names_nothing(expr) || failed && self.slice(node.span).starts_with(LET);
                self.outcome(*value, (failed, lost), out)
            }
            Value::Call(call)
                if matches!(code.calls[*call].name, "is_ok" | "is_err")
                    && self.program.language == HostLanguage::Rust =>
            {
                match code.exprs.get(code.calls[*call].callee).map(|expr| &expr.value) {
                    Some(Value::Member { of, .. }) => {
                        self.outcome(*of, (code.calls[*call].name == "is_err", true), out)
                    }
                    _ => Condition::Opaque,
                }
            }
            Value::Binary { operator, operands: [left, right] } => {
                let left = self.eval(*left, out);
                let right = self.eval(*right, out);
                self.compared_with(&left, &right);
                self.compared_with(&right, &left);
                // What the server answered is no question for its name.
                let is_plain = matches!((&left, &right), (Val::Nothing, Val::Nothing));
                match self.asks_for_database(expr).filter(|_| is_plain) {
                    Some(so) => Condition::Always(so),
                    None => compared(operator, &self.lent_or(left), &self.lent_or(right)),
                }
            }
            _ => {
                let before = self.taken_so_far();
                let (val, row) = self.asking_for_row(|run| run.eval(expr, out));
                if let (Some(_), Val::Nothing, Some(so)) = (row, &val, self.says_of_row(expr)) {
                    return Condition::HasRow(so);
                }
                if let Some(so) = self.asks_for_database(expr).filter(|_| matches!(val, Val::Nothing)) {
                    return Condition::Always(so);
                }
                if let Val::Answer(answer) = &val {
                    self.exists(*answer);
                    match &node.value {
                        // `if let Ok(Some(_)) = …`
                        Value::Other(parts) if self.program.language == HostLanguage::Rust => {
                            if parts.first().is_some_and(|value| self.is_made(*value)) && self.names_nothing(expr) {
                                self.ignored(*answer, &before);
                            }
                        }
                        _ => self.decides(*answer),
                    }
                }
                Condition::of_val(&self.lent_or(val))
            }
        }
    }

    /// The condition of a loop: when it is asked again, the row is gone.
    pub(super) fn condition_of_round(&mut self, expr: ExprId, out: &mut Vec<Node>) -> Condition {
        match self.condition(expr, out) {
            Condition::HasRow(_) => Condition::Opaque,
            condition => condition,
        }
    }

    /// What a call or property that asks for a row says where there is one, if that is true or false.
    fn says_of_row(&self, expr: ExprId) -> Option<bool> {
        let code = self.program.code;
        let name = match &code.exprs.get(expr)?.value {
            Value::Call(call) => code.calls[*call].name,
            Value::Member { name, .. } => name,
            // `await reader.ReadAsync()`
            Value::Other(parts) if parts.len() == 1 => return self.says_of_row(parts[0]),
            _ => return None,
        };
        match name {
            "next" | "Next" | "Read" | "ReadAsync" | "HasRows" | "any" | "any?" | "is_some" | "isPresent" => Some(true),
            "isEmpty" | "empty" | "empty?" | "none?" | "is_none" => Some(false),
            _ => None,
        }
    }

    /// A handle that was given back because a lock was granted says that.
    fn lent_or(&self, val: Val) -> Val {
        match &val {
            Val::Handle(handle) => self.given.get(&handle.origin).map_or(val, |site| Val::Held(*site)),
            _ => val,
        }
    }

    /// Code for several databases asks which one it is on; where it locks it is PostgreSQL.
    fn asks_for_database(&self, expr: ExprId) -> Option<bool> {
        const OTHERS: &[&str] = &["sqlite", "mysql", "mariadb", "mssql", "sqlserver", "oracle"];
        let text = self.slice(self.program.code.exprs.get(expr)?.span);
        let differs = ["!=", "<>", "~=", " is not "].iter().any(|operator| text.contains(operator));
        if text.len() > LONGEST_QUESTION || text.contains(['{', '\n']) {
            return None;
        }
        let words = text.to_ascii_lowercase();
        let (ours, other) = (words.contains("postgres"), OTHERS.iter().any(|name| words.contains(name)));
        (ours != other).then_some(ours != differs)
    }

    /// Whether what gives a value failed, or did not; whether the value itself is lost.
    fn outcome(&mut self, value: ExprId, (failed, lost): (bool, bool), out: &mut Vec<Node>) -> Condition {
        let before = self.taken_so_far();
        match self.eval(value, out) {
            Val::Answer(answer) => {
                if lost && self.is_made(value) {
                    self.ignored(answer, &before);
                }
                answer.step.map_or(Condition::Opaque, |step| Condition::Failed(step, failed))
            }
            Val::Failure(step) => Condition::Failed(step, failed),
            _ => Condition::Opaque,
        }
    }

    /// Whether a call gives a value: nobody else has it.
    fn is_made(&self, mut value: ExprId) -> bool {
        loop {
            value = match self.program.code.exprs.get(value).map(|expr| &expr.value) {
                Some(Value::Call(_)) => return true,
                Some(Value::Member { of, .. }) => *of,
                Some(Value::Propagate(inner)) => *inner,
                Some(Value::Other(parts)) if parts.len() == 1 => parts[0],
                _ => return false,
            };
        }
    }

    /// Whether a pattern of Rust binds no name and compares with nothing: `Ok(_)`.
    fn names_nothing(&self, expr: ExprId) -> bool {
        let text = self.program.code.exprs.get(expr).map_or("", |expr| self.slice(expr.span));
        let pattern = text.strip_prefix(LET).and_then(|rest| rest.split('=').next()).unwrap_or(text);
        let mut words = pattern.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
        words.all(|word| word == "_" || word.starts_with(char::is_uppercase))
    }

    /// The branch over a condition.
    pub(super) fn branch(&self, condition: &Condition, then: Node, otherwise: Node) -> Node {
        let two = |guard, then, otherwise| Node::Branch { guard, then: Box::new(then), otherwise: Box::new(otherwise) };
        match condition {
            Condition::Opaque => two(None, then, otherwise),
            Condition::Granted(site, granted) => {
                let guard = Guard { site: *site, then: Some(*granted), otherwise: Some(!granted) };
                two(Some(guard), then, otherwise)
            }
            Condition::Failed(step, failed) => {
                let (yes, no) = if *failed { (then, otherwise) } else { (otherwise, then) };
                Node::Failed { step: *step, then: Box::new(yes), otherwise: Box::new(no) }
            }
            Condition::Always(so) | Condition::HasRow(so) => {
                if *so {
                    then
                } else {
                    otherwise
                }
            }
            // `if locked and is_postgres(): unlock`: what is asked beside the lock was asked where it was taken.
            Condition::Logic { and: true, first, second, .. } if self.is_of_unlock(first, second, &then) => {
                let held = if matches!(**first, Condition::Opaque) { second } else { first };
                self.branch(held, then, otherwise)
            }
            Condition::Logic { and, first, between, second } => {
                // What is taken on two ways stands twice in the tree, which must not double at every level.
                if !is_small(if *and { &otherwise } else { &then }) {
                    let mut nodes = between.clone();
                    nodes.push(two(None, then, otherwise));
                    return Node::Sequence(nodes);
                }
                let decided = if *and { otherwise.clone() } else { then.clone() };
                let mut rest = between.clone();
                rest.push(self.branch(second, then, otherwise));
                let rest = Node::Sequence(rest);
                if *and { self.branch(first, rest, decided) } else { self.branch(first, decided, rest) }
            }
        }
    }
}

impl Run<'_, '_, '_> {
    /// Whether of two conditions one says that a lock is held, the other says nothing, and what follows unlocks.
    fn is_of_unlock(&self, first: &Condition, second: &Condition, then: &Node) -> bool {
        let says = matches!(
            (first, second),
            (Condition::Granted(_, true), Condition::Opaque) | (Condition::Opaque, Condition::Granted(_, true))
        );
        says && self.unlocks(then)
    }

    fn unlocks(&self, node: &Node) -> bool {
        node.steps()
            .filter_map(|step| self.builder.site(step))
            .any(|site| self.builder.function(site).is_some_and(|function| !function.acquires()))
    }
}

/// Whether a tree has few nodes.
fn is_small(node: &Node) -> bool {
    node.nodes().take(MAX_TWICE + 1).count() <= MAX_TWICE
}

/// What a comparison says.
fn compared(operator: &str, left: &Val, right: &Val) -> Condition {
    let equal = match operator {
        "==" | "===" | "is" | "eq" | "=" => true,
        "!=" | "!==" | "is not" | "<>" | "=/=" => false,
        _ => return Condition::Opaque,
    };
    let (of, with) = match (left, right) {
        (Val::Answer(_) | Val::Failure(_) | Val::Held(_), other) => (left, other),
        (other, Val::Answer(_) | Val::Failure(_) | Val::Held(_)) => (right, other),
        _ => return Condition::Opaque,
    };
    let says = Condition::of_val(of);
    match (of, with) {
        // No error there is `nil`.
        (Val::Failure(_) | Val::Held(_), Val::Null) => {
            if equal {
                says.not()
            } else {
                says
            }
        }
        (Val::Answer(_), Val::Bool(so)) => {
            if equal == *so {
                says
            } else {
                says.not()
            }
        }
        _ => Condition::Opaque,
    }
}
