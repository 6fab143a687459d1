//! Broken refs: files that name no object, refs to missing objects, names that git does not allow. Sync programs and
//! file managers put such files there, crashes leave them behind.
//!
//! As in git, a listing passes over them, and a look-up by name finds nothing. The scope collects them, so that the
//! command can warn.

use crate::Scope;
use crate::repository::broken_refs::RefFault;
use brv_base::fs;
use bstr::{BStr, BString, ByteSlice as _};
use gix::ObjectId;
use gix::refs::file::find::{NotFound, ReferenceDecode};

/// The ref whose content is broken, if that is the error.
pub(crate) fn undecodable(error: &gix::Error) -> Option<BString> {
    let decode = error.downcast_any_ref::<ReferenceDecode>()?;
    let name = gix::path::into_bstr(decode.relative_path.as_path()).ok()?;
    Some(gix::path::to_unix_separators_on_windows(name).into_owned())
}

/// Whether the error is that a symbolic ref names a ref that does not exist. That is not a fault: the branch may be
/// still to come.
pub(super) fn is_dangling(error: &gix::Error) -> bool {
    error.downcast_any_ref::<NotFound>().is_some()
}

/// Whether the object of a ref exists.
pub(super) fn has_object(scope: &Scope, name: &BStr, id: ObjectId) -> bool {
    let exists = scope.repo.has_object(id);
    if !exists {
        scope.broken_refs().note(name, RefFault::Missing);
    }
    exists
}

/// Notes files below a prefix (`refs/heads/`) that gitoxide leaves out because of their names.
pub(super) fn note_names(scope: &Scope, prefix: &str) {
    // a folder that is removed meanwhile has no refs
    let files = fs::inside(&scope.common_dir().join(prefix)).unwrap_or_default();
    for file in files {
        let is_hidden = |part: &[u8]| part.starts_with(b".") || part.ends_with(b".lock");
        let mut name = BString::from(prefix);
        name.extend_from_slice(&file.path);
        // git leaves hidden files and locks out without a word
        if !name.split(|byte| *byte == b'/').any(is_hidden)
            && gix::validate::reference::name(name.as_bstr()).is_err()
        {
            scope.broken_refs().note(name.as_bstr(), RefFault::Name);
        }
    }
}
