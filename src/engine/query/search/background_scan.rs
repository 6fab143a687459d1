//! Look at all files while an answer is worked out from what was seen last. Mostly nothing has changed, and it holds.

use super::{ScanFreshness, SearchSession, walk};
use crate::Stop;
use crate::open::context::Opened;
use crate::query::search::change_cache::{Moment, ScanResult};
use brv_base::progress::Progress;
use brv_git::status::StatusError;
use brv_search::Index;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

pub(super) enum BackgroundScan {
    Going(JoinHandle<Result<ScanResult, StatusError>>),
    /// It is over: no thread could be started.
    Over(Result<ScanResult, StatusError>),
}

impl BackgroundScan {
    /// Begin to compare the files with the index.
    pub fn begin(opened: &Opened, index: &Arc<Index>, moment: Moment) -> Self {
        let (theirs, compared, began) = (opened.clone(), Arc::clone(index), moment.clone());
        let looking = thread::Builder::new().spawn(move || walk::changes(&theirs, &compared, began));
        looking.map_or_else(|_| Self::Over(walk::changes(opened, index, moment)), Self::Going)
    }

    /// What it found, once it has ended.
    pub fn end(self) -> Result<ScanResult, StatusError> {
        match self {
            Self::Going(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Self::Over(found) => found,
        }
    }
}

/// Work out an answer by the tree as it is now. If a look at all files is due, `work` runs while it goes on, and once more
/// if it finds the tree to be different from what was seen last. So `work` may change nothing.
///
/// # Errors
/// Those of the look, and those of `work`.
pub fn answered<'a, T>(
    opened: &'a Opened,
    freshness: ScanFreshness,
    progress: &'a dyn Progress,
    work: impl Fn(&mut SearchSession<'a>) -> Result<T, Stop>,
) -> Result<(SearchSession<'a>, T), Stop> {
    let mut sought = SearchSession::guessed(opened, freshness, progress)?;
    let mut worked = work(&mut sought);
    if !sought.confirm()? {
        worked = work(&mut sought);
    }
    Ok((sought, worked?))
}
