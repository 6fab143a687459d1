//! The rules: stable ids, what each is about, and how much it weighs.

use std::fmt;

/// What a finding is about. Sorts by id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// BRV001: a complete conflict-marker triple outside a code block.
    ConflictMarker,
    /// BRV002: a derived file that is committed.
    DerivedFile,
    /// BRV003: frontmatter that is not valid, or sets a key twice.
    Frontmatter,
    /// BRV004: a link to an entry that is not there.
    BrokenLink,
    /// BRV005: two entries of a domain that say different things about one subject, or a listed dispute.
    Contradiction,
    /// BRV006: a secret.
    Secret,
    /// BRV007: text that reads like an instruction to an agent.
    Instruction,
    /// BRV008: a hidden, bidirectional, zero-width or tag character.
    Hidden,
    /// BRV009: more than 30 % of at least 10 entries deleted or emptied.
    MassDeletion,
    /// BRV010: a pinned entry changed.
    Pinned,
    /// BRV011: an entry that has most of another's text.
    Duplicate,
    /// BRV012: a cited source file that is gone.
    StaleSource,
    /// BRV013: a path that not every file system can hold.
    Path,
    /// BRV014: an entry over 1 MiB.
    Oversize,
    /// BRV015: `brv.yaml` that cannot be read, or has an unknown key.
    Policy,
    /// BRV016: a name in the code that an entry relies on is gone or was changed; found by `brv stale`, placed in the code.
    StaleFact,
}

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// A reader should look.
    Warning,
    /// It must not be shared as it is.
    Error,
}

impl Rule {
    /// All, by id.
    pub const ALL: [Self; 16] = [
        Self::ConflictMarker,
        Self::DerivedFile,
        Self::Frontmatter,
        Self::BrokenLink,
        Self::Contradiction,
        Self::Secret,
        Self::Instruction,
        Self::Hidden,
        Self::MassDeletion,
        Self::Pinned,
        Self::Duplicate,
        Self::StaleSource,
        Self::Path,
        Self::Oversize,
        Self::Policy,
        Self::StaleFact,
    ];

    pub const fn id(self) -> &'static str {
        match self {
            Self::ConflictMarker => "BRV001",
            Self::DerivedFile => "BRV002",
            Self::Frontmatter => "BRV003",
            Self::BrokenLink => "BRV004",
            Self::Contradiction => "BRV005",
            Self::Secret => "BRV006",
            Self::Instruction => "BRV007",
            Self::Hidden => "BRV008",
            Self::MassDeletion => "BRV009",
            Self::Pinned => "BRV010",
            Self::Duplicate => "BRV011",
            Self::StaleSource => "BRV012",
            Self::Path => "BRV013",
            Self::Oversize => "BRV014",
            Self::Policy => "BRV015",
            Self::StaleFact => "BRV016",
        }
    }

    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.id() == id)
    }

    /// What it is about, in a few words.
    pub const fn title(self) -> &'static str {
        match self {
            Self::ConflictMarker => "conflict markers",
            Self::DerivedFile => "derived file committed",
            Self::Frontmatter => "invalid frontmatter",
            Self::BrokenLink => "broken link",
            Self::Contradiction => "contradicting facts",
            Self::Secret => "secret",
            Self::Instruction => "instruction-like text",
            Self::Hidden => "hidden character",
            Self::MassDeletion => "mass deletion",
            Self::Pinned => "pinned entry changed",
            Self::Duplicate => "near-duplicate",
            Self::StaleSource => "cited file is gone",
            Self::Path => "path is not portable",
            Self::Oversize => "entry too large",
            Self::Policy => "policy file",
            Self::StaleFact => "the code moved on",
        }
    }

    /// How much it weighs unless a policy raises it.
    pub const fn severity(self) -> Severity {
        match self {
            Self::ConflictMarker
            | Self::DerivedFile
            | Self::Frontmatter
            | Self::Secret
            | Self::Hidden
            | Self::MassDeletion
            | Self::Path
            | Self::Oversize
            | Self::Policy => Severity::Error,
            Self::BrokenLink
            | Self::Contradiction
            | Self::Instruction
            | Self::Pinned
            | Self::Duplicate
            | Self::StaleSource
            | Self::StaleFact => Severity::Warning,
        }
    }
}

impl Severity {
    /// `error` or `warning`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_is_found_by_its_id_and_they_sort_by_it() {
        assert!(Rule::ALL.is_sorted_by_key(|rule| rule.id()) && Rule::ALL.is_sorted());
        for rule in Rule::ALL {
            assert_eq!(Rule::from_id(rule.id()), Some(rule));
        }
        assert_eq!(Rule::from_id("BRV000"), None);
    }
}
