//! Who an address is: git's mailmap (gitmailmap(5)), that of the user apart from that of the repository.

use crate::Scope;
use crate::signature::Signature;
use brv_base::fs;
use bstr::{BString, ByteSlice as _};
use gix::mailmap::Snapshot;
use std::path::Path;

/// The largest mailmap that is read, in bytes.
const MOST: u64 = 4 << 20;

/// Joins the names and addresses of one person.
pub struct Mailmap {
    all: Snapshot,
    personal: Snapshot,
    /// `user.email` of the settings, else the committer's address in the environment.
    own: Option<BString>,
}

impl Mailmap {
    /// The mailmap of a repository with a work tree: `.mailmap`, and the file of the setting `mailmap.file`, which
    /// wins. What cannot be read joins nobody.
    pub fn of(scope: &Scope) -> Self {
        let repo = &scope.repo;
        let config = repo.config_snapshot();
        let named = config.trusted_path("mailmap.file").ok().flatten();
        let personal = named.as_deref().map(read).unwrap_or_default();
        let mut all = read(&scope.work_tree().join(".mailmap"));
        all.merge(personal.entries());
        let named = || scope.environment().get_filled("GIT_COMMITTER_EMAIL").map(BString::from);
        let own = config.string("user.email").map(|email| email.trim().into()).or_else(named);
        Self { all, personal, own }
    }

    /// The name of who made a commit.
    pub fn name(&self, of: &Signature) -> BString {
        let resolved = self.all.try_resolve_ref(plain(of));
        let name = resolved.and_then(|new| new.name).map_or_else(|| of.name.clone(), Into::into);
        name.trim().into()
    }

    /// The address of who made a commit, in the form in which addresses are compared: lower-case.
    pub fn address(&self, of: &Signature) -> String {
        address(&self.all, of)
    }

    /// Whether an address is the user's, by the user's own settings alone: what a repository brings makes nobody the user.
    pub fn is_own(&self, of: &Signature) -> bool {
        let Some(own) = &self.own else { return false };
        let own = Signature { name: BString::default(), email: own.clone(), ..of.clone() };
        address(&self.personal, of) == address(&self.personal, &own)
    }
}

fn address(map: &Snapshot, of: &Signature) -> String {
    let resolved = map.try_resolve_ref(plain(of));
    let email = resolved.and_then(|new| new.email).map_or_else(|| of.email.clone(), Into::into);
    email.to_str_lossy().trim().to_lowercase()
}

fn plain(of: &Signature) -> gix::actor::SignatureRef<'_> {
    gix::actor::SignatureRef { name: of.name.as_bstr(), email: of.email.as_bstr(), time: "0 +0000" }
}

fn read(file: &Path) -> Snapshot {
    let is_file =
        fs::stat(file).is_ok_and(|stat| stat.is_some_and(|stat| stat.kind == fs::FileKind::Regular));
    let bytes = is_file.then(|| fs::read_start(file, MOST).ok()).flatten().unwrap_or_default();
    Snapshot::from_bytes(&bytes)
}
