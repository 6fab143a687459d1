//! When a merge is a fast-forward: git's `merge.ff` and `pull.ff`.

use crate::Scope;
use crate::error::{During as _, Error};
use crate::repository::config_file;

/// What happens when a fast-forward is possible.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Forward {
    /// The branch is fast-forwarded; diverged branches are merged.
    #[default]
    Allow,
    /// The branch is fast-forwarded, or nothing happens (`--ff-only`).
    Only,
    /// A merge commit is always created (`--no-ff`).
    Never,
}

/// The command that reads the setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// `merge`: `merge.ff`.
    Merge,
    /// `pull`: `pull.ff`, or else `merge.ff`.
    Pull,
}

/// The value in the settings.
///
/// # Errors
/// Settings that cannot be read, or a value that is unknown to git too.
pub fn forward(scope: &Scope, door: Door) -> Result<Forward, Error> {
    let repo = config_file::reloaded(scope)?;
    let config = repo.config_snapshot();
    let keys: &[&str] = match door {
        Door::Merge => &["merge.ff"],
        Door::Pull => &["pull.ff", "merge.ff"],
    };
    for key in keys {
        if config.string(*key).is_some_and(|value| value.to_ascii_lowercase() == b"only") {
            return Ok(Forward::Only);
        }
        let switch = config
            .try_boolean(*key)
            .during(|| format!("read the setting `{key}`, which must be `true`, `false` or `only`"))?;
        if let Some(is_allowed) = switch {
            return Ok(if is_allowed { Forward::Allow } else { Forward::Never });
        }
    }
    Ok(Forward::Allow)
}
