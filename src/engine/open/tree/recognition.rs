//! Tells a tree from any other repository by the paths of its files.

use brv_base::path::{PathKind, TreePath, kind_of};

/// Folders in which repositories of other kinds keep their markdown.
const OF_OTHERS: [&str; 8] = ["book", "content", "doc", "docs", "documentation", "man", "site", "src"];

/// Whether a repository with these files is a tree: its root has `brv.yaml`; or a domain has a `context.md`, and most
/// files are knowledge; or there are entries two levels deep, and all files are knowledge. Support files, derived files
/// and hidden files count for neither. Folders where documentation is usual are not domains.
pub fn is_tree<'a>(paths: impl IntoIterator<Item = &'a [u8]>) -> bool {
    let (mut knowledge, mut others) = (0_usize, 0_usize);
    let (mut has_domain, mut has_topic) = (false, false);
    for path in paths {
        if path == b"brv.yaml" {
            return true;
        }
        let path = TreePath::parse(path).ok();
        let Some(path) = path.as_ref().map(TreePath::as_str) else {
            others += 1;
            continue;
        };
        let folders: Vec<&str> = path.split('/').rev().skip(1).collect();
        let Some(domain) = folders.last() else {
            others += usize::from(kind_of(path) == PathKind::Foreign && !path.starts_with('.'));
            continue;
        };
        let kind = kind_of(path);
        if domain.starts_with('.') || matches!(kind, PathKind::Support | PathKind::Derived(_)) {
            continue;
        }
        if !kind.is_curated() || domain.starts_with('_') || OF_OTHERS.contains(domain) {
            others += 1;
            continue;
        }
        knowledge += 1;
        has_domain |= kind == PathKind::NodeOverview && folders.len() == 1;
        has_topic |= kind == PathKind::Entry && folders.len() > 1;
    }
    has_domain && knowledge >= others || has_topic && others == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(paths: &[&str]) -> bool {
        is_tree(paths.iter().map(|path| path.as_bytes()))
    }

    #[test]
    fn a_tree_is_told_by_its_policy_a_domain_or_two_levels_of_entries() {
        for tree in [
            &["brv.yaml", "a.md"][..],
            &["brv.yaml", "Cargo.toml", "src/main.rs"],
            &["auth/context.md", "auth/token.md", "README.md"],
            &["auth/context.md", "auth/flow.png"],
            &["auth/jwt/token.md"],
            &["auth/jwt/token.md", "auth/plain.md", "LICENSE", "README.md", ".editorconfig", ".github/x.yml"],
            &["auth/context.md", "_index.md", "_manifest.json", "auth/a.abstract.md"],
        ] {
            assert!(told(tree), "{tree:?}");
        }
    }

    #[test]
    fn any_other_repository_is_none() {
        for other in [
            &[][..],
            &["README.md", "LICENSE"],
            &["notes.md", "auth/token.md"],
            &["Cargo.toml", "src/main.rs", "docs/guide/start.md"],
            &["README.md", "LICENSE", "docs/guide/start.md", "docs/guide/more.md"],
            &["docs/context.md", "docs/guide/a.md", "docs/guide/b.md", "docs/guide/c.md", "main.go"],
            &["mkdocs.yml", "guide/start/first.md"],
            &["core/context.md", "core/a.rs", "core/b.rs"],
            &["_posts/2024/hello.md"],
            &["a\\b/c/d.md"],
        ] {
            assert!(!told(other), "{other:?}");
        }
    }
}
