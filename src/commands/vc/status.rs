//! `brv vc status`: show what differs between `HEAD`, the index and the disk.

use brv_engine::Stop;
use brv_engine::context::Context;
use brv_engine::refresh;
use brv_engine::work_tree::state;
use brv_git as git;

pub use brv_engine::merging::disputes::Disputed;
pub use brv_engine::work_tree::state::{
    ChangeKind, Conflicted, Entry, Foreign, SetUp, State as Outcome, Unfinished,
};

#[derive(Debug, Clone, Default)]
pub struct Options {}

/// Look at the tree. Writes nothing except refreshed stat data in the index.
pub fn run(cx: &Context<'_>, _options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let survey = refresh::quick_survey(&opened, git::index::read(&opened.scope)?)?;
    Ok(state::of(&opened, &survey)?)
}
