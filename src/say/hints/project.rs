//! What may help where a project has no tree, or what is in its repository cannot be made smaller.

use crate::ops::vc::gc;
use crate::ops::{demo, init};
use crate::say::Failure;

impl From<init::Error> for Failure {
    fn from(error: init::Error) -> Self {
        Failure::of(error.kind(), &error).hinting(match error {
            init::Error::Nested(_) => Some(
                "nothing was changed; share it with `brv vc push` first, put it elsewhere, run `brv init --in-repo`, and copy its files back in",
            ),
            init::Error::NoHost(_) => {
                Some("`git init` makes one; without `--in-repo` the tree has a repository of its own")
            }
            init::Error::Ignored(_) => {
                Some("nothing was changed; `git check-ignore -v .brv/context-tree/context.md` names the rule")
            }
            _ => None,
        })
    }
}

impl From<demo::Error> for Failure {
    fn from(error: demo::Error) -> Self {
        Failure::of(error.kind(), &error).hinting(match error {
            demo::Error::NotEmpty(_) => Some("name a folder that is absent or empty, or none at all"),
            _ => None,
        })
    }
}

impl From<gc::Error> for Failure {
    fn from(error: gc::Error) -> Self {
        Failure::of(error.kind(), &error).hinting(match error {
            gc::Error::Collect(gc::Collecting::Missing(_)) => Some(
                "`git fsck` tells what else is missing; a fetch from a remote that has it may bring it back",
            ),
            _ => None,
        })
    }
}
