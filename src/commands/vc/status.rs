//! `brv vc status`: show what differs between `HEAD`, the index and the disk.

use brv_engine::Stop;
use brv_engine::derive;
use brv_engine::open::context::Context;
use brv_engine::vc::work_tree::state;
use brv_git as git;

pub use brv_engine::merge::disputes::Disputed;
pub use brv_engine::vc::work_tree::state::{
    Conflicted, SetUp, Unfinished, UnmanagedFile, WorkTreeStatus as Outcome,
};

#[derive(Debug, Clone, Default)]
pub struct Options {}

/// Look at the tree. Writes nothing except refreshed stat data in the index.
pub fn run(cx: &Context<'_>, _options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let survey = derive::quick_survey(&opened, git::index::read(&opened.scope)?)?;
    state::of(&opened, &survey)
}
