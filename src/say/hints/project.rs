//! Hints for the errors of `demo`.

use crate::say::Failure;
use brv_commands::demo;

impl From<demo::Error> for Failure {
    fn from(error: demo::Error) -> Self {
        Failure::of(error.kind(), &error).hinting(match error {
            demo::Error::NotEmpty(_) => Some("name an empty or new folder, or none"),
            _ => None,
        })
    }
}
