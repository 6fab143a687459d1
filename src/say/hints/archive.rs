//! Hints for names that are not archived.

use crate::ops::archive::show;
use crate::say::Failure;

const LIST: &str = "`brv archive list` lists what is archived";
const THERE: &str = "it is in the tree; `brv read` prints it";
/// The hint for an item that brv cannot read.
pub const MALFORMED: &str = "its item in `archived:` of context.md cannot be read: NAME.md, blob ID, importance and time, separated by spaces";

impl From<show::Error> for Failure {
    fn from(error: show::Error) -> Self {
        let failure = Self::of(error.kind(), &error);
        match &error {
            show::Error::NotArchived { is_malformed: true, .. } => failure.hinting(Some(MALFORMED)),
            show::Error::NotArchived { is_there: true, .. } => failure.hinting(Some(THERE)),
            show::Error::NotArchived { .. } => failure.hinting(Some(LIST)),
            show::Error::Cause(_) => failure,
        }
    }
}
