//! Names of entries and folders that every file system can hold, and the topic in words.

use crate::curate::slug;

/// The longest name, in bytes: two of them and `.md` stay far below the limit of a path.
const LONGEST: usize = 64;

/// A name without meaning for a file system or for the tree: `con_` for the device `con`, `context_` for the overview.
pub(super) fn portable(name: &str) -> String {
    let mut end = name.len().min(LONGEST);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    let name = name[..end].trim_end_matches('_');
    if name == "context" || brv_base::path::check(name.as_bytes()).is_err() {
        return format!("{name}_");
    }
    name.to_owned()
}

/// The path of an entry of these names.
pub(super) fn entry(folder: &str, name: &str) -> String {
    format!("{}/{}.md", portable(folder), portable(name))
}

/// The topic of an entry in words, from its path: `ignore walk` for `ignore/walk.md`, `args` for `code/args.md`.
pub fn title(path: &str) -> String {
    let bare = path.strip_suffix(".md").unwrap_or(path);
    let (folders, name) = bare.rsplit_once('/').unwrap_or(("", bare));
    let folder = slug(folders.rsplit('/').next().unwrap_or_default()).unwrap_or_default();
    let name = slug(name).unwrap_or_default();
    let is_told = folder.is_empty()
        || folder == super::area::CODE
        || name == folder
        || name.strip_prefix(&folder).is_some_and(|rest| rest.starts_with('_'));
    let words = if is_told { name } else { format!("{folder}_{name}") };
    words.replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn devices_and_overviews_are_not_named_by_accident() {
        assert_eq!(entry("con", "aux"), "con_/aux_.md");
        assert_eq!(entry("ignore", "context"), "ignore/context_.md");
        assert_eq!(entry("認証", "トークン"), "認証/トークン.md");
        assert_eq!(portable(&"あ".repeat(30)), "あ".repeat(21));
    }

    #[test]
    fn a_title_has_the_words_of_the_path() {
        for (path, words) in [
            ("ignore/walk.md", "ignore walk"),
            ("code/flags_defs.md", "flags defs"),
            ("globset/globset.md", "globset"),
            ("globset/globset_glob.md", "globset glob"),
            ("project/misc.md", "project misc"),
            ("con_/aux_.md", "con aux"),
            ("a.md", "a"),
        ] {
            assert_eq!(title(path), words, "{path}");
        }
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn every_entry_has_a_portable_path(folder in ".{1,80}", name in ".{1,80}") {
            if let (Some(folder), Some(name)) = (slug(&folder), slug(&name)) {
                let path = entry(&folder, &name);
                prop_assert!(brv_base::path::TreePath::parse(path.as_bytes()).is_ok(), "{path:?}");
                prop_assert_eq!(brv_base::path::kind_of(&path), brv_base::path::PathKind::Entry);
            }
        }
    }
}
