//! Classify a file of the tree by its path alone.
//!
//! Does not look at content: `brv_engine::derive` checks whether a file with a derived name carries brv's stamp.

/// The kind of a file, by its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PathKind {
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

impl PathKind {
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
pub fn kind_of(path: &str) -> PathKind {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    if path.starts_with(".github/") || (folder.is_empty() && is_root_support(name)) {
        return PathKind::Support;
    }
    if path.starts_with("_archived/") {
        return archived(name);
    }
    if name == "_index.md" {
        return PathKind::Derived(Derived::Index);
    }
    if path == "_manifest.json" {
        return PathKind::Derived(Derived::Manifest);
    }
    match name.strip_suffix(".md") {
        Some("" | ".") | None => PathKind::Foreign,
        Some(stem) if has_stem(stem, ".abstract") => PathKind::Derived(Derived::Abstract),
        Some(stem) if has_stem(stem, ".overview") => PathKind::Derived(Derived::Overview),
        Some("context") => PathKind::NodeOverview,
        Some(_) => PathKind::Entry,
    }
}

fn is_root_support(name: &str) -> bool {
    name.starts_with("LICENSE") || ROOT_SUPPORT.contains(&name)
}

fn archived(name: &str) -> PathKind {
    match name.strip_suffix(".md") {
        Some(stem) if has_stem(stem, ".stub") => PathKind::Derived(Derived::Stub),
        Some(stem) if has_stem(stem, ".full") => PathKind::Derived(Derived::FullArchive),
        _ => PathKind::Foreign,
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
            ("auth/jwt/token.md", PathKind::Entry),
            ("note.md", PathKind::Entry),
            ("auth/context.md", PathKind::NodeOverview),
            ("context.md", PathKind::NodeOverview),
            ("_index.md", PathKind::Derived(Derived::Index)),
            ("auth/_index.md", PathKind::Derived(Derived::Index)),
            ("_manifest.json", PathKind::Derived(Derived::Manifest)),
            ("auth/_manifest.json", PathKind::Foreign),
            ("auth/a.abstract.md", PathKind::Derived(Derived::Abstract)),
            ("auth/a.overview.md", PathKind::Derived(Derived::Overview)),
            ("auth/.abstract.md", PathKind::Entry),
            ("_archived/auth/a.stub.md", PathKind::Derived(Derived::Stub)),
            ("_archived/auth/a.full.md", PathKind::Derived(Derived::FullArchive)),
            ("_archived/auth/a.md", PathKind::Foreign),
            ("auth/a.stub.md", PathKind::Entry),
            ("README.md", PathKind::Support),
            ("auth/README.md", PathKind::Entry),
            ("LICENSE-MIT", PathKind::Support),
            (".github/workflows/ci.yml", PathKind::Support),
            (".github/notes.md", PathKind::Support),
            ("brv.yaml", PathKind::Support),
            ("auth/brv.yaml", PathKind::Foreign),
            ("tool.exe", PathKind::Foreign),
            (".md", PathKind::Foreign),
        ] {
            assert_eq!(kind_of(path), kind, "{path}");
        }
    }
}
