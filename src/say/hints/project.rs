//! Hints for the errors of `init`, `demo` and `vc gc`.

use crate::say::Failure;
use brv_commands::vc::gc;
use brv_commands::{demo, init};

impl From<init::Error> for Failure {
    fn from(error: init::Error) -> Self {
        Failure::of(error.kind(), &error).hinting(match error {
            init::Error::Nested(_) => Some(
                "nothing was changed; share it with `brv vc push`, move it elsewhere, run `brv init --in-repo`, then copy its files back",
            ),
            init::Error::NoHost(_) => {
                Some("create one with `git init`; or leave out `--in-repo`, and the tree gets its own repository")
            }
            init::Error::Ignored(_) => {
                Some("nothing was changed; `git check-ignore -v .brv/context-tree/context.md` shows the rule")
            }
            _ => None,
        })
    }
}

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
