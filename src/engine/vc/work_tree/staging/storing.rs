//! Read files of the work tree, judge their content, and store it: the slow part of staging, with one read of each file.

use super::Refused;
use crate::Mode;
use crate::open::tree;
use crate::outcome::stop::Stop;
use crate::vc::check::{self, CheckFinding, CheckedContent, Reported, gate, names};
use crate::write::overriding::Allowed;
use brv_base::fs::{self, FileStat};
use brv_base::parallel;
use brv_base::path::{PathKind, kind_of};
use brv_base::progress::{Progress, Stage};
use brv_git as git;
use brv_git::{BlobId, FileMode, Scope, store};
use brv_text::lint::Rule;
use bstr::{BString, ByteSlice as _};
use std::borrow::Cow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

pub(super) struct Read {
    pub(super) path: BString,
    pub(super) kind: PathKind,
    pub(super) mode: FileMode,
    pub(super) is_new: bool,
}

impl Read {
    pub(super) fn new(path: BString) -> Self {
        Self { kind: kind_of(&path.to_str_lossy()), path, mode: FileMode::Regular, is_new: true }
    }
}

/// A file whose content may be staged.
pub(super) struct StoredFile {
    pub(super) id: BlobId,
    /// Taken before the file was read: a later change must not go unnoticed.
    pub(super) stat: FileStat,
    /// What would block a push.
    pub(super) found: Vec<CheckFinding>,
}

/// Store the files. Content that may not be staged is not stored.
pub(super) fn store(
    scope: &Scope,
    reads: &[Read],
    (mode, allowed): (Mode, &Allowed),
    progress: &dyn Progress,
) -> Result<Vec<Result<StoredFile, Refused>>, Stop> {
    let root = scope.root();
    let judged = Mutex::new((0..reads.len()).map(|_| None).collect::<Vec<_>>());
    let (done, read_bytes) = (AtomicU64::new(0), AtomicU64::new(0));
    let converter = git::Converter::of(scope);
    let read = |at: usize| -> Result<Cow<'_, [u8]>, Stop> {
        let file: &Read = &reads[at];
        let path = fs::below(&root, file.path.as_bstr())?;
        let stat = fs::stat(&path)?;
        let bytes = fs::read(&path)?;
        let total_bytes = read_bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        let count = done.fetch_add(1, Ordering::Relaxed);
        if count.is_multiple_of(256) {
            progress.update(Stage::Add, count, Some(reads.len() as u64));
            progress.bytes(Stage::Add, total_bytes);
        }
        let (bytes, judgement) = match tree::check_content(file.kind, &bytes) {
            Ok(()) => judge(file, converter.to_git(file.path.as_bstr(), bytes.into())?.into_owned(), allowed),
            Err(unfit) => (Vec::new(), Err(Refused::new(file.path.clone(), unfit.to_string()))),
        };
        judged.lock().expect("no reader panics while it holds the lock")[at] = Some((judgement, stat));
        Ok(bytes.into())
    };
    let ids = match mode {
        Mode::Write => store::write_blobs_from(scope, reads.len(), read)?,
        Mode::DryRun => {
            let all: Vec<usize> = (0..reads.len()).collect();
            parallel::try_map(&all, || (), |(), at| Ok::<_, Stop>(BlobId::of(&read(*at)?)))?
        }
    };
    let judged = judged.into_inner().expect("no reader panics while it holds the lock");
    ids.into_iter()
        .zip(judged)
        .zip(reads)
        .map(|((id, judged), file)| match judged {
            Some((Err(refused), _)) => Ok(Err(refused)),
            Some((Ok(found), Some(stat))) => Ok(Ok(StoredFile { id, stat, found })),
            _ => Err(fs::Error::during("read", root.join(file.path.to_str_lossy().as_ref()))(
                std::io::ErrorKind::NotFound.into(),
            )
            .into()),
        })
        .collect()
}

/// The bytes to store, and what would block a push in them or in the path. With a secret that is not allowed there are
/// no bytes.
fn judge(file: &Read, bytes: Vec<u8>, allowed: &Allowed) -> (Vec<u8>, Result<Vec<CheckFinding>, Refused>) {
    let path = file.path.as_bstr();
    let (bytes, faults) = check::judged(CheckedContent::at(path), bytes);
    let faults = names::path(path).into_iter().chain(faults);
    let found: Vec<CheckFinding> = faults.map(|fault| CheckFinding::present(fault.at(path))).collect();
    let is_closed = |found: &&CheckFinding| gate::guard(found).is_some_and(|guard| !allowed.lets(guard));
    let closed: Vec<CheckFinding> = found.iter().filter(is_closed).cloned().collect();
    match closed.is_empty() {
        true => (bytes, Ok(found)),
        false => (Vec::new(), Err(secret(file, &closed))),
    }
}

/// `BRV006 aws-access-key **** at line 3, fingerprint 0123456789abcdef; …`
fn secret(file: &Read, found: &[CheckFinding]) -> Refused {
    let one = |found: &CheckFinding| {
        let finding = &found.finding;
        format!("{} at line {}, fingerprint {}", finding.message, finding.line, finding.fingerprint)
    };
    let reason = format!("{} {}", Rule::Secret, found.iter().map(one).collect::<Vec<_>>().join("; "));
    let findings = found.iter().map(Reported::from).collect();
    Refused { findings, ..Refused::new(file.path.clone(), reason) }
}
