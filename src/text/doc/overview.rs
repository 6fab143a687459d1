//! Write a new `context.md`: the overview of a domain, topic or subtopic.
//!
//! The headings are those of the context tree's format. What stands below them is only what is known when the first entry
//! is filed; the rest is left to people and agents.

/// The level of a folder in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderLevel {
    Domain,
    Topic,
    Subtopic,
}

impl FolderLevel {
    /// The level of a folder, by its path; `None` for the root and below a subtopic.
    pub fn of(folder: &str) -> Option<Self> {
        match folder.split('/').filter(|part| !part.is_empty()).count() {
            1 => Some(Self::Domain),
            2 => Some(Self::Topic),
            3 => Some(Self::Subtopic),
            _ => None,
        }
    }
}

/// The overview of `folder`, in which `first` is the first thing filed: an entry's title, or the name of a folder.
/// `None` if folders at this depth have no overview.
pub fn overview(folder: &str, first: &str) -> Option<String> {
    let mut parts = folder.rsplit('/');
    let (name, parent) = (parts.next()?, parts.next().unwrap_or_default());
    let first = super::single_spaced(first);
    let item = if first.is_empty() { String::new() } else { format!("- {first}\n") };
    Some(match FolderLevel::of(folder)? {
        FolderLevel::Domain => format!(
            "# Domain: {name}\n\n## Purpose\n\n## Scope\nIncluded in this domain:\n{item}\nExcluded from this domain:\n\n## Ownership\n\n## Usage\n"
        ),
        FolderLevel::Topic => {
            format!("# Topic: {name}\n\n## Overview\n\n## Key Concepts\n{item}\n## Related Topics\n")
        }
        FolderLevel::Subtopic => {
            let focus = if first.is_empty() { String::new() } else { format!("{first}\n") };
            format!("# Subtopic: {name}\n\n## Focus\n{focus}\n## Parent Relation\nPart of {parent}.\n")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::Document;

    fn headings(folder: &str) -> Vec<String> {
        let document = Document::parse(overview(folder, "Token lifetime").unwrap());
        document.sections().iter().skip(1).map(|section| section.title.clone()).collect()
    }

    #[test]
    fn each_level_has_its_headings() {
        assert_eq!(headings("auth"), ["Domain: auth", "Purpose", "Scope", "Ownership", "Usage"]);
        assert_eq!(headings("auth/jwt"), ["Topic: jwt", "Overview", "Key Concepts", "Related Topics"]);
        assert_eq!(headings("auth/jwt/keys"), ["Subtopic: keys", "Focus", "Parent Relation"]);
        assert_eq!(overview("", "x"), None);
        assert_eq!(overview("a/b/c/d", "x"), None);
    }

    #[test]
    fn what_is_filed_first_is_named() {
        assert!(overview("auth", "jwt").unwrap().contains("Included in this domain:\n- jwt\n\nExcluded"));
        assert!(
            overview("a/b/c", "Keys\nrotate")
                .unwrap()
                .ends_with("Keys rotate\n\n## Parent Relation\nPart of b.\n")
        );
    }
}
