//! Who stated what an entry says about a subject: the author of the commit of the code that it was learned from, else the
//! author of the commit of the tree.

use super::Intake;
use super::covering::Covering;
use brv_engine::Stop;
use brv_engine::journal::{self, SourceCommit};
use brv_engine::read::history::curations;
use brv_engine::read::history::fact_history::{self, FactStart};
use brv_engine::read::history::provenance::Provenance;
use brv_git as git;
use brv_git::blame;
use bstr::{BString, ByteSlice as _};
use std::collections::HashMap;

/// The address of the author of each statement about `subject` in an entry, where it is known.
pub(super) fn of_statements(
    intake: &Intake<'_>,
    entry: &Covering,
    subject: &str,
) -> Result<HashMap<String, String>, Stop> {
    let scope = intake.parts.scope();
    let mut authors = HashMap::new();
    let Some(head) = scope.head()?.commit() else { return Ok(authors) };
    let path: BString = entry.path.as_str().into();
    let index = git::index::read(scope)?;
    let version = blame::on_disk(scope, &[head], &index, path.as_bstr(), entry.bytes.clone())?;
    let Some(version) = version else { return Ok(authors) };
    let statements = fact_history::statements(entry.bytes.clone(), subject);
    let statements = statements.into_iter().map(|(_, statement)| statement).collect();
    let start = FactStart::Disk(path, statements, version.versions_before().to_vec());
    let listed = journal::list(scope)?;
    let curations = curations::standing(scope, &listed);
    for stated in fact_history::trace(scope, subject, start)? {
        let made = stated.commit.map(|commit| git::commit::read(scope, commit)).transpose()?;
        let named = made.as_ref().and_then(|made| {
            SourceCommit::parse(&Provenance::of(made, Some(entry.path.as_str())).source_commit?)
        });
        let until = made.as_ref().map(|made| made.committer.seconds);
        let source = match named {
            Some(source) => Some(source),
            None => {
                curations::stating(scope, &curations, (subject, &stated), until)?.map(|(_, source)| source)
            }
        };
        let author = source.and_then(|source| of_source(intake, source));
        if let Some(author) = author.or_else(|| made.map(|made| intake.authors.address(&made.author))) {
            authors.entry(stated.statement).or_insert(author);
        }
    }
    Ok(authors)
}

/// The author of a commit of the host, if it is here.
fn of_source(intake: &Intake<'_>, source: SourceCommit) -> Option<String> {
    let commit = git::commit::read(&intake.host.scope, source.commit).ok()?;
    Some(intake.authors.address(&commit.author))
}
