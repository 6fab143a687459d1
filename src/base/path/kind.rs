//! Classify a file of the tree by its path alone.
//!
//! Does not look at content: `brv_engine::derive` checks whether a file with a derived name carries brv's stamp.

/// The kind of a file, by its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A curated knowledge file.
    Entry,
    /// `context.md`: the curated overview of a domain, topic or subtopic.
    NodeOverview,
    /// A derived file by its name. Without brv's stamp the file is foreign.
    Derived(Derived),
    /// Versioned, but not knowledge: CI, owners, licence, policy.
    Support,
    /// Anything else: shown, but only touched on request.
    Foreign,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Derived {
    /// `_index.md` of a folder.
    Index,
    /// `_manifest.json` in the root.
    Manifest,
    /// `<name>.abstract.md`.
    Abstract,
    /// `<name>.overview.md`.
    Overview,
    /// `_archived/**/<name>.stub.md`.
    Stub,
    /// `_archived/**/<name>.full.md`.
    FullArchive,
}

impl Kind {
    /// Whether people or agents write it and search covers it.
    pub const fn is_curated(self) -> bool {
        matches!(self, Self::Entry | Self::NodeOverview)
    }
}

/// The names of support files that count in the root only.
const ROOT_SUPPORT: [&str; 8] = [
    ".gitlab-ci.yml",
    "CODEOWNERS",
    "README.md",
    ".gitignore",
    ".gitattributes",
    "golden.jsonl",
    "brv.yaml",
    "brv.baseline.json",
];

/// The kind of the file at `path` (portable, relative to the tree's root).
pub fn kind_of(path: &str) -> Kind {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    if path.starts_with(".github/") || (folder.is_empty() && is_root_support(name)) {
        return Kind::Support;
    }
    if path.starts_with("_archived/") {
        return archived(name);
    }
    if name == "_index.md" {
        return Kind::Derived(Derived::Index);
    }
    if path == "_manifest.json" {
        return Kind::Derived(Derived::Manifest);
    }
    match name.strip_suffix(".md") {
        Some("" | ".") | None => Kind::Foreign,
        Some(stem) if has_stem(stem, ".abstract") => Kind::Derived(Derived::Abstract),
        Some(stem) if has_stem(stem, ".overview") => Kind::Derived(Derived::Overview),
        Some("context") => Kind::NodeOverview,
        Some(_) => Kind::Entry,
    }
}

fn is_root_support(name: &str) -> bool {
    name.starts_with("LICENSE") || ROOT_SUPPORT.contains(&name)
}

fn archived(name: &str) -> Kind {
    match name.strip_suffix(".md") {
        Some(stem) if has_stem(stem, ".stub") => Kind::Derived(Derived::Stub),
        Some(stem) if has_stem(stem, ".full") => Kind::Derived(Derived::FullArchive),
        _ => Kind::Foreign,
    }
}

/// `a.abstract` is a companion of `a`; `.abstract` alone belongs to no entry.
fn has_stem(name: &str, suffix: &str) -> bool {
    name.strip_suffix(suffix).is_some_and(|stem| !stem.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_has_the_kind_of_the_contract() {
        for (path, kind) in [
            ("auth/jwt/token.md", Kind::Entry),
            ("note.md", Kind::Entry),
            ("auth/context.md", Kind::NodeOverview),
            ("context.md", Kind::NodeOverview),
            ("_index.md", Kind::Derived(Derived::Index)),
            ("auth/_index.md", Kind::Derived(Derived::Index)),
            ("_manifest.json", Kind::Derived(Derived::Manifest)),
            ("auth/_manifest.json", Kind::Foreign),
            ("auth/a.abstract.md", Kind::Derived(Derived::Abstract)),
            ("auth/a.overview.md", Kind::Derived(Derived::Overview)),
            ("auth/.abstract.md", Kind::Entry),
            ("_archived/auth/a.stub.md", Kind::Derived(Derived::Stub)),
            ("_archived/auth/a.full.md", Kind::Derived(Derived::FullArchive)),
            ("_archived/auth/a.md", Kind::Foreign),
            ("auth/a.stub.md", Kind::Entry),
            ("README.md", Kind::Support),
            ("auth/README.md", Kind::Entry),
            ("LICENSE-MIT", Kind::Support),
            (".github/workflows/ci.yml", Kind::Support),
            (".github/notes.md", Kind::Support),
            ("brv.yaml", Kind::Support),
            ("auth/brv.yaml", Kind::Foreign),
            ("tool.exe", Kind::Foreign),
            (".md", Kind::Foreign),
        ] {
            assert_eq!(kind_of(path), kind, "{path}");
        }
    }
}
