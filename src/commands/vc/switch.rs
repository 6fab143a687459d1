//! `brv vc switch`: switch to another branch, create one, or detach `HEAD` at a commit.

use brv_engine::Stop;
pub use brv_engine::merge::integrate::Derive;
use brv_engine::open::context::Context;
use brv_engine::vc::work_tree::switching;
use brv_engine::write::operation::{self, Writing};

pub use brv_engine::open::naming::branches::{Existing, Track};
pub use brv_engine::open::naming::upstream::Upstream;
pub use brv_engine::vc::work_tree::switching::{Guess, Local, Switched, To};

/// What to switch to, and how.
#[derive(Debug, Clone)]
pub struct Options {
    pub to: To,
    pub local: Local,
    /// Whether to regenerate the derived files.
    pub derive: Derive,
}

pub fn run(cx: &Context<'_>, options: &Options) -> Result<Switched, Stop> {
    operation::settle(Stop::kind, |_| once(cx, options))
}

fn once(cx: &Context<'_>, options: &Options) -> Result<Switched, Stop> {
    let opened = cx.open_whole("switch")?;
    let writing = Writing::begin(cx.parts(&opened))?;
    let way = switching::way(&opened.scope, &opened.scope.head()?, &options.to)?;
    switching::switch(writing, &way, options.local, options.derive)
}
