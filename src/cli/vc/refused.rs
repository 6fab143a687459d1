//! The failure for files that were not staged.

use crate::say::blocked;
use brv_commands::vc::add::Refused;
use brv_engine::{FailureKind, Stop};

/// A failure with this message. If secrets are among the reasons, it begins with their rule, and the details name each.
pub(super) fn stop(kind: FailureKind, message: String, refused: &[Refused]) -> Stop {
    let found: Vec<String> = refused.iter().flat_map(|file| &file.findings).map(blocked::line).collect();
    let message = match found.is_empty() {
        true => message,
        false => format!("BRV006: a secret was found; {message}"),
    };
    let hint = (!found.is_empty()).then_some(
        "remove the secret from the file; or allow it with `--allow secret:FINGERPRINT` and a `--reason`",
    );
    Stop::new(kind, message).detailing(found).hinting(hint)
}
