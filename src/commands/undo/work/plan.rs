//! Plan an undo before anything is written.

use super::forward::Foreign;
use super::planned::{UndoPlan, UndoSubject, Wanted};
use super::sequence::UndoSequence;
use super::task::{self, Company, Task};
use super::{Error, Refused, not_now, of, refuse};
use brv_engine::journal::{OperationId, Record, Waiting};
use brv_engine::open::survey::Survey;
use brv_git::Scope;
use brv_git::switch;

/// Plan an undo.
///
/// # Errors
/// [`Error`]; conflicts are part of the plan. If nothing would change, [`Refused::NothingLeft`], unless something had to
/// be settled.
pub fn plan(scope: &Scope, survey: &Survey, wanted: &Wanted<'_>) -> Result<UndoPlan, Error> {
    let planned = planned(scope, survey, wanted)?;
    let changes_nothing = planned.is_empty() && planned.conflicts.is_empty();
    if changes_nothing && planned.waiting == Waiting::read(scope)? {
        // if logged, it would count as undone, with nothing to redo
        return Err(match planned.settled.is_empty() {
            true => Refused::NothingLeft.into(),
            false => not_now(
                "nothing to undo: the current version is kept everywhere",
                "to restore the versions from before it, use `--on-conflict theirs`",
            ),
        });
    }
    let found = switch::in_the_way(scope, &planned.files, &*planned.admits)?;
    refuse(&found, "other files are in the way", "move them away, then try again")?;
    Ok(planned)
}

fn planned(scope: &Scope, survey: &Survey, wanted: &Wanted<'_>) -> Result<UndoPlan, Error> {
    let tasks = tasks(scope, survey, wanted)?;
    let Some((_, first)) = tasks.first() else { return Err(Refused::NothingLeft.into()) };
    let paths = tasks.iter().flat_map(|(_, task)| &task.effect.files).map(|change| &change.path);
    let mut sequence = UndoSequence::new(scope, survey, wanted, (first, paths))?;
    for (one, task) in tasks {
        sequence.undo(task).map_err(|error| of(error, one))?;
        if sequence.has_conflicts() {
            break;
        }
    }
    sequence.planned()
}

/// A task for each operation, with the operation if it is one of several.
fn tasks<'a>(
    scope: &Scope,
    survey: &Survey,
    wanted: &Wanted<'a>,
) -> Result<Vec<(Option<&'a Record>, Task)>, Error> {
    let recorded = |record, company| task::recorded(scope, survey, (record, company), wanted.paths);
    Ok(match wanted.what {
        UndoSubject::Recorded(record) => vec![(None, recorded(record, Company::Alone)?)],
        UndoSubject::Commits(commits) => vec![(None, task::foreign(scope, survey, commits, wanted.paths)?)],
        UndoSubject::Foreign(all) => {
            let one = |(_, commits): &(OperationId, Vec<Foreign>)| {
                Ok::<_, Error>((None, task::foreign(scope, survey, commits, wanted.paths)?))
            };
            all.iter().map(one).collect::<Result<_, _>>()?
        }
        UndoSubject::Together(records) => {
            let one = |record: &&'a Record| {
                let task = recorded(record, Company::Others).map_err(|error| of(error, Some(record)))?;
                Ok::<_, Error>((Some(*record), task))
            };
            records.iter().map(one).collect::<Result<_, _>>()?
        }
    })
}
