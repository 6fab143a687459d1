//! What may help where a setting of brv is not found, or may not stand where it was to be set.

use crate::ops::config::Error;
use crate::say::Failure;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let failure = Self::of(error.kind(), &error);
        match &error {
            Error::Unknown { nearest, .. } => failure.hinting(Some(match nearest {
                None => {
                    "`brv config list` shows all settings; git's own are set by `brv vc config`".to_owned()
                }
                Some(name) => format!("perhaps `{name}`; `brv config list` shows all"),
            })),
            Error::Personal { .. } => {
                failure.hinting(Some("`--user` sets it for you alone, in all projects"))
            }
            _ => failure,
        }
    }
}
