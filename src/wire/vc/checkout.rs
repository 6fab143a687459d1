//! The data of `brv vc checkout`.

use super::restore::Restore;
use super::switch::Switch;
use crate::ops::vc::checkout;
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
