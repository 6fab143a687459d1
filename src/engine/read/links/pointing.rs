//! Find the documents that link to an entry or folder: read all curated files, parse only those that contain the name.

use super::references::LinkTarget;
use crate::Stop;
use crate::read::history::source::Reading;
use brv_base::fs;
use brv_base::parallel;
use brv_base::path::TreePath;
use bstr::{ByteSlice as _, Finder};
use std::borrow::Borrow;

/// Run `find` on every curated file, on all cores; results are in the order of the paths.
pub fn each<T: Send, P: Borrow<TreePath> + Sync>(
    reading: &Reading,
    curated: &[P],
    find: impl Fn(&TreePath, &[u8]) -> Result<Vec<T>, fs::Error> + Sync,
) -> Result<Vec<T>, Stop> {
    let folders: Vec<&[P]> =
        curated.chunk_by(|one, other| one.borrow().folder() == other.borrow().folder()).collect();
    let found = parallel::try_map(&folders, Vec::new, |buffer, paths| {
        let mut found = Vec::new();
        if reading.commit().is_some() {
            for path in paths.iter().map(P::borrow) {
                found.extend(find(path, &reading.read(path)?.unwrap_or_default())?);
            }
            return Ok(found);
        }
        let root = reading.root();
        let Some(first) = paths.first().map(|path| path.borrow().on_disk(root)) else { return Ok(found) };
        let is_reached = fs::is_reached_by_folders(root, &first)?;
        for path in paths.iter().map(P::borrow) {
            if let Some(change) = reading.change(path) {
                found.extend(change.map(|bytes| find(path, bytes)).transpose()?.unwrap_or_default());
            } else if is_reached && fs::read_into(&path.on_disk(root), buffer)? {
                found.extend(find(path, buffer)?);
            }
        }
        Ok::<_, Stop>(found)
    })?;
    Ok(found.into_iter().flatten().collect())
}

/// Other spellings of the characters of a plain name in a link: escaped, as some formatters write them, or
/// percent-encoded.
const DISGUISES: [&str; 5] = ["\\_", "\\-", "\\.", "%5", "%2"];

/// Search terms for the files that may link to an entry or folder: such a file contains at least one of them.
#[derive(Debug)]
pub struct LinkPattern {
    any_of: Vec<Finder<'static>>,
    /// Whether the name has only letters, digits and `_-./`, so that [`DISGUISES`] covers its other spellings.
    is_plain: bool,
}

impl LinkPattern {
    /// Matches documents that link to this target.
    pub fn of(subject: &LinkTarget) -> Self {
        let path = subject.path().unwrap_or_default();
        let path = path.strip_suffix(".md").unwrap_or(path);
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let above = folder.rsplit('/').next().unwrap_or_default();
        let mut any_of = match (subject, above) {
            // relations have the whole path; links from within the folder have the file name with its extension
            (_, "") => vec![name.to_owned()],
            _ => ["/", "\\", "\\\\"].map(|between| format!("{above}{between}{name}")).into(),
        };
        match subject {
            LinkTarget::Folder(_) => any_of.extend(["context.".to_owned(), "_index.".to_owned()]),
            // a file that is not markdown has its extension in its name
            LinkTarget::Other(file) if !file.ends_with(".md") => any_of.push(name.to_owned()),
            _ => any_of.push(format!("{name}.")),
        }
        any_of.extend(DISGUISES.map(str::to_owned));
        let is_plain = path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte));
        Self { any_of: any_of.iter().map(|text| Finder::new(text).into_owned()).collect(), is_plain }
    }

    /// Whether these bytes may contain a link to the target; `false` is certain.
    pub fn may_be_in(&self, bytes: &[u8]) -> bool {
        self.any_of.iter().any(|sought| sought.find(bytes).is_some())
            || (!self.is_plain && bytes.find_byteset(b"%\\").is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::links::references::Places;
    use brv_text::doc::Document;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn no_link_is_passed_over(
            at in 0..6_usize,
            parts in prop::collection::vec(prop::sample::select(vec![
                "a", "b", "my note", "my_note", "my\\_note", "my%20note", "c", "/", "../", "./", "\\", "@", ".md", ".abstract.md",
                "context.md", "_index.md", "context", "a/b", "a/b/my_note", "a/b/my note.md",
            ]), 1..5),
            form in 0..4_usize,
        ) {
            let curated = ["a/b/c.md", "a/b/my note.md", "a/b/my_note.md", "a/context.md", "b.md", "a/b.md"];
            let curated = curated.map(|path| TreePath::parse(path.as_bytes()).unwrap());
            let target = parts.concat();
            let text = match form {
                0 => format!("---\nrelated: [{target}]\n---\n"),
                1 => format!("---\nrelated: [\"{}\"]\n---\n", target.replace('\\', "\\\\")),
                2 => format!("## Relations\n@{target}\n"),
                _ => format!("[t](<{target}>)\n"),
            };
            let root = tempfile::tempdir().unwrap();
            let places = Places::of(root.path(), &curated);
            for reference in places.references(&curated[at], &Document::parse(text.clone())).unwrap() {
                let subject = reference.target.subject();
                if !subject.is_broken() {
                    prop_assert!(LinkPattern::of(subject).may_be_in(text.as_bytes()), "{:?} {:?}", subject, text);
                }
                prop_assert!(brv_text::doc::may_link(text.as_bytes()), "{:?}", text);
            }
        }
    }

    #[test]
    fn whoever_points_to_an_entry_holds_the_bytes_that_are_sought() {
        let entry = LinkPattern::of(&LinkTarget::Entry("auth/jwt/token.md".into()));
        for text in
            ["related: [auth/jwt/token]", "@auth\\jwt\\token.md", "[t](token.md)", "[t](../jwt/token.md)"]
        {
            assert!(entry.may_be_in(text.as_bytes()), "{text}");
        }
        assert!(!entry.may_be_in(b"related: [auth/jwt/tokens_of_others]") || entry.is_plain);
        assert!(!entry.may_be_in(b"a token of thanks"));
        let spaced = LinkPattern::of(&LinkTarget::Entry("a/my note.md".into()));
        assert!(spaced.may_be_in(b"[t](my%20note.md)"));
        let folder = LinkPattern::of(&LinkTarget::Folder("auth/jwt".into()));
        for text in ["related: [auth/jwt]", "[t](context.md)", "[t](../jwt/_index.md)"] {
            assert!(folder.may_be_in(text.as_bytes()), "{text}");
        }
        assert!(LinkPattern::of(&LinkTarget::Folder(String::new())).may_be_in(b""));
    }
}
