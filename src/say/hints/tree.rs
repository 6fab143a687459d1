//! Hints for names that are not in the tree.

use crate::ops::{links, signals, tree};
use crate::say::Failure;
use crate::say::words::perhaps;

impl From<links::Error> for Failure {
    fn from(error: links::Error) -> Self {
        let failure = Failure::of(error.kind(), &error);
        match &error {
            links::Error::Missing { nearest, .. } => failure.hinting(Some(perhaps(nearest))),
            _ => failure,
        }
    }
}

impl From<signals::Error> for Failure {
    fn from(error: signals::Error) -> Self {
        let failure = Failure::of(error.kind(), &error);
        match &error {
            signals::Error::Missing { nearest, .. } => failure.hinting(Some(perhaps(nearest))),
            signals::Error::Cause(_) => failure,
        }
    }
}

impl From<tree::Error> for Failure {
    fn from(error: tree::Error) -> Self {
        let failure = Failure::of(error.kind(), &error);
        match &error {
            tree::Error::Missing { nearest, .. } => failure.hinting(Some(perhaps(nearest))),
            _ => failure,
        }
    }
}
