//! What was probably meant by a name that leads nowhere.

use crate::ops::context::Context;
pub use crate::ops::steps::sought::Sought;
use crate::ops::steps::sought::near;

/// The name that was probably meant, in the form in which it is typed; nothing where nothing is near.
#[must_use]
pub fn run(cx: &Context<'_>, sought: &Sought) -> Option<String> {
    let opened = cx.open().ok()?;
    near(&opened.scope, &cx.cwd, sought)
}
