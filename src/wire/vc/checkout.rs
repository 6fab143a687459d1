//! JSON of `brv vc checkout`.

use super::restore::Restore;
use super::switch::Switch;
use brv_commands::vc::checkout;
use brv_engine::write::written::Written;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.checkout/1`: the data of `vc switch` or of `vc restore`.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum Checkout {
    /// `HEAD` was switched.
    Switched(Box<Switch>),
    /// Paths were restored.
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
    /// Effects on files, and the operation.
    pub const fn written(&self) -> &Written {
        match self {
            Self::Switched(switched) => &switched.written,
            Self::Restored(restored) => &restored.written,
        }
    }
}
