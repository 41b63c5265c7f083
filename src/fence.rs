//! A fence around the work on one source: a fault of ours there ends nothing but that work, and is told.

use crate::finding::Notice;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Does some work about the file at `path`; where it panics, the answer says so. That is trouble, for what is in the file
/// was not looked at.
///
/// # Errors
/// Where it panics.
pub(crate) fn fenced<R>(path: &Arc<str>, work: impl FnOnce() -> R) -> Result<R, Notice> {
    // What the work has changed goes with it.
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| Notice {
        path: Arc::clone(path),
        message: internal_error(&*panic),
        trouble: true,
    })
}

/// What to say of a panic.
pub(crate) fn internal_error(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref().map(String::as_str));
    format!(
        "internal-error: locklint {} failed here, and this is not your fault: {}; please report it with the file",
        env!("CARGO_PKG_VERSION"),
        text.unwrap_or("it did not say why"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_panics_is_told_with_the_version_and_the_reason() {
        let path: Arc<str> = "a.sql".into();
        assert_eq!(fenced(&path, || 1), Ok(1));
        let notice = fenced(&path, || panic!("at {}", 7)).map(|()| 0).unwrap_err();
        assert!(notice.trouble && &*notice.path == "a.sql");
        assert!(notice.message.contains(env!("CARGO_PKG_VERSION")) && notice.message.contains("at 7"));
        assert!(fenced(&path, || std::panic::panic_any(3)).is_err_and(|notice| notice.message.contains("why")));
    }
}
