//! The data of `brv vc checkout`.

use super::restore::Restore;
use super::switch::Switch;
use crate::ops::vc::checkout;
use crate::wire::written::Written;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.checkout/1`: as `vc switch` or as `vc restore`.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum Checkout {
    /// `HEAD` went elsewhere.
    Switched(Box<Switch>),
    /// Paths were brought back.
    Restored(Box<Restore>),
}

impl From<&checkout::Outcome> for Checkout {
    fn from(outcome: &checkout::Outcome) -> Self {
        match outcome {
            checkout::Outcome::Switched { switched, upstream } => {
                Self::Switched(Box::new(Switch::of(switched, upstream.as_ref())))
            }
            checkout::Outcome::Restored(restored) => Self::Restored(Box::new(Restore::from(&**restored))),
        }
    }
}

impl Checkout {
    /// What became of it beside its own answer.
    #[must_use]
    pub const fn written(&self) -> &Written {
        match self {
            Self::Switched(switched) => &switched.written,
            Self::Restored(restored) => &restored.written,
        }
    }
}
