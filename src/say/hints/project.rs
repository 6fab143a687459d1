//! Hints for the errors of `demo` and `vc gc`.

use crate::say::Failure;
use brv_commands::demo;
use brv_commands::vc::gc;

impl From<demo::Error> for Failure {
    fn from(error: demo::Error) -> Self {
        Failure::of(error.kind(), &error).hinting(match error {
            demo::Error::NotEmpty(_) => Some("name an empty or new folder, or none"),
            _ => None,
        })
    }
}

impl From<gc::Error> for Failure {
    fn from(error: gc::Error) -> Self {
        Failure::of(error.kind(), &error).hinting(match error {
            gc::Error::Collect(gc::Collecting::Missing(_)) => Some(
                "`git fsck` shows what else is missing; a fetch from a remote that has it may restore it",
            ),
            _ => None,
        })
    }
}
