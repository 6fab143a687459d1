//! `brv vc status`: show what differs between `HEAD`, the index and the disk.

use crate::ops::Stop;
use crate::ops::context::Context;
use crate::ops::steps::refresh;
use crate::ops::steps::work_tree::state;
use brv_git as git;

pub use crate::ops::steps::merging::disputes::Disputed;
pub use crate::ops::steps::work_tree::state::{
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
