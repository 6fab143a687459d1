//! The failures that every command can meet, in one box. A command's own error type lists only its own failures and
//! wraps [`Cause`] for the rest.

use crate::journal;
use crate::outcome::unknown_name::UnknownName;
use crate::{Fails, FailureKind};
use brv_base::fs;
use brv_git as git;
use std::error::Error;
use std::fmt;

/// Why a command failed for a reason that is not specific to the command.
#[derive(Debug)]
pub struct Cause(Box<dyn Fails>);

/// An error that is not specific to a command: `?` makes it a [`Cause`].
pub trait Shared: Fails {}

impl Shared for git::Error {}
impl Shared for git::status::StatusError {}
impl Shared for journal::Error {}
impl Shared for fs::Error {}

impl<E: Shared> From<E> for Cause {
    fn from(error: E) -> Self {
        Self(Box::new(error))
    }
}

impl Cause {
    pub fn kind(&self) -> FailureKind {
        self.0.kind()
    }

    /// The error in the box, if it is an `E`.
    pub fn downcast_ref<E: Error + 'static>(&self) -> Option<&E> {
        let error: &(dyn Error + 'static) = self.0.as_ref();
        error.downcast_ref()
    }
}

impl Fails for Cause {
    fn kind(&self) -> FailureKind {
        self.kind()
    }

    fn code(&self) -> Option<&'static str> {
        self.0.code()
    }

    fn hint(&self) -> Option<String> {
        self.0.hint()
    }

    fn details(&self) -> Vec<String> {
        self.0.details()
    }

    fn sought(&self) -> Option<UnknownName> {
        self.0.sought()
    }
}

impl Error for Cause {
    /// The source of the error in the box: the box itself adds no sentence to the message.
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Lets `?` turn every shared failure into a command's own error, which has a variant `Cause`. The list is that of the
/// types that are [`Shared`]; it names rooms above this one, which only the users of the macro are built with.
#[macro_export]
macro_rules! caused {
    ($error:ty) => {
        $crate::caused! { $error:
            $crate::outcome::cause::Cause,
            $crate::outcome::cause::below::File,
            $crate::outcome::cause::below::Git,
            $crate::outcome::cause::below::Status,
            $crate::dream::Error,
            $crate::jobs::StoreError,
            $crate::jobs::look::Error,
            $crate::journal::Error,
            $crate::open::context::TreeOpenError,
            $crate::open::hosting::Error,
            $crate::open::naming::paths::OutsidePath,
            $crate::read::stale::Error,
            $crate::review::Error,
            $crate::write::operation::Error,
            $crate::write::operation::recovery::Error,
        }
    };
    ($error:ty: $($cause:ty),+ $(,)?) => {$(
        impl ::std::convert::From<$cause> for $error {
            fn from(error: $cause) -> Self {
                Self::Cause(error.into())
            }
        }
    )+};
}

/// The errors of the crates below, for [`caused!`].
pub mod below {
    pub use brv_base::fs::Error as File;
    pub use brv_git::Error as Git;
    pub use brv_git::status::StatusError as Status;
}

pub use crate::caused;
