//! Whether a program is brv.

use std::path::Path;

/// Whether a program, as a host names it, is called `brv`.
pub(super) fn is_brv(program: &str) -> bool {
    // a path of another system, too
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    Path::new(name).file_stem().is_some_and(|stem| stem == "brv")
}
