//! Hints for the errors of `brv config`.

use crate::say::Failure;
use brv_commands::config::Error;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let failure = Self::of(error.kind(), &error);
        match &error {
            Error::Unknown { nearest, .. } => failure.hinting(Some(match nearest {
                None => "`brv config list` lists all settings; git settings are set with `brv vc config`"
                    .to_owned(),
                Some(name) => format!("did you mean `{name}`? `brv config list` lists all settings"),
            })),
            Error::Personal { .. } | Error::Laxer { .. } => {
                failure.hinting(Some("set it for yourself, in all projects, with `--user`"))
            }
            Error::ByAgent { .. } => failure.hinting(Some("ask a person to decide that")),
            _ => failure,
        }
    }
}
