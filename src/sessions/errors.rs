//! Errors as values that functions give back: of a function that is followed it is known which step has failed.

use super::Run;
use super::value::Val;
use crate::flow::StepId;
use crate::host::code::{Call, ExprId, Value};
use crate::language::HostLanguage;

/// What puts words around an error in Go.
const WRAPS: &[&str] = &["Errorf", "Wrap", "Wrapf", "WithMessage", "WithMessagef", "WithStack", "WithDetail", "Join"];

/// What puts a value into something from which others take it out again, or gives it once more.
pub(super) const HOLDS: &[&str] = &[
    "Arc::clone",
    "Arc::new",
    "Box::new",
    "Future.successful",
    "Mutex::new",
    "Ok",
    "Optional.of",
    "Optional.ofNullable",
    "Promise.resolve",
    "Rc::clone",
    "Rc::new",
    "Result.success",
    "Right",
    "Some",
    "Task.FromResult",
];

impl<'s> Run<'_, 's, '_> {
    /// An error with something around it: `fmt.Errorf("…: %w", err)`, `Err(e)`; a connection in something, `Ok(conn)`.
    pub(super) fn passed_on(&self, call: &Call<'s>, vals: &[Val]) -> Option<Val> {
        let callee = self.program.code.exprs.get(call.callee).map_or("", |callee| self.slice(callee.span));
        if let [held @ Val::Handle(_)] = vals
            && HOLDS.contains(&callee)
        {
            return Some(held.clone());
        }
        let passes = match self.program.language {
            HostLanguage::Go => WRAPS.contains(&call.name),
            HostLanguage::Rust => call.name == "Err",
            _ => false,
        };
        let step = |val: &Val| match val {
            Val::Failure(step) => Some(*step),
            Val::Answer(answer) if self.program.language == HostLanguage::Rust => answer.step,
            _ => None,
        };
        vals.iter().filter(|_| passes).find_map(step).map(Val::Failure)
    }

    /// Notes whether a function of Rust gives back an error here, and which step has failed.
    pub(super) fn gives_back(&mut self, value: ExprId, val: &Val) {
        let code = self.program.code;
        let name = match code.exprs.get(value).map(|expr| &expr.value) {
            Some(Value::Call(call)) => code.calls[*call].name,
            _ => "",
        };
        if self.program.language != HostLanguage::Rust || name == "Ok" {
            return;
        }
        match val {
            Val::Failure(step) => self.frame().failures.push(Some(*step)),
            Val::Nothing => self.frame().failures.push(None),
            _ => {}
        }
    }

    /// What a followed function gives back: an error where one of its steps failed, if it gives back none for another reason.
    pub(super) fn outcome_of(&self, result: Val, failures: &[Option<StepId>]) -> Val {
        if self.program.language != HostLanguage::Rust
            || !matches!(result, Val::Nothing | Val::Null | Val::Bool(_) | Val::Failure(_))
        {
            return result;
        }
        let Some(steps) = failures.iter().copied().collect::<Option<Vec<StepId>>>() else { return Val::Nothing };
        let takes = |step: &&StepId| self.builder.site(**step).is_some();
        steps.iter().find(takes).or(steps.last()).map_or(Val::Nothing, |step| Val::Failure(*step))
    }
}
