//! Property tests for all derived files of all trees.

use std::collections::BTreeMap;

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};

use super::stamp::Stamp;
use super::*;

/// The indices of all folders of a tree, by path.
fn indices(tree: &[(&str, String)]) -> BTreeMap<String, Index> {
    let digests: Vec<Digest> = tree.iter().map(|(path, text)| digest::tests::digest(path, text)).collect();
    let mut folders: Vec<String> = vec![String::new()];
    for (path, _) in tree {
        folders.extend(path.match_indices('/').map(|(at, _)| path[..at].to_owned()));
    }
    folders.sort_by_key(|folder| {
        std::cmp::Reverse((folder.matches('/').count(), !folder.is_empty(), folder.clone()))
    });
    folders.sort_by_key(|folder| folder.is_empty());
    folders.dedup();
    let mut made: BTreeMap<String, Index> = BTreeMap::new();
    for path in folders {
        let inside =
            |child: &str| child.rsplit_once('/').unwrap_or(("", child)).0 == path && !child.is_empty();
        let children: Vec<(String, Condensate)> = made
            .iter()
            .filter(|(child, _)| inside(child))
            .map(|(child, index)| {
                (child.rsplit('/').next().unwrap_or_default().to_owned(), index.condensate.clone())
            })
            .collect();
        let files = tree.iter().zip(&digests).filter(|((file, _), _)| inside(file));
        let folder = Folder {
            path: &path,
            files: files
                .map(|((file, _), digest)| (file.rsplit('/').next().unwrap_or_default(), digest))
                .collect(),
            folders: children.iter().map(|(name, child)| (name.as_str(), child)).collect(),
        };
        let index = index_of(&folder);
        made.insert(path, index);
    }
    made
}

fn frontmatter(text: &str) -> (serde_yaml::Value, &str) {
    let (fields, body) =
        text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).expect("frontmatter");
    (serde_yaml::from_str(fields).expect("YAML"), body)
}

/// The links in a body: the structure that a hostile entry could add to.
fn links(body: &str) -> Vec<String> {
    let mut links = Vec::new();
    for event in Parser::new_ext(body, Options::all() - Options::ENABLE_MATH) {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => links.push(dest_url.to_string()),
            Event::Start(
                tag @ (Tag::Image { .. }
                | Tag::CodeBlock(_)
                | Tag::HtmlBlock
                | Tag::Table(_)
                | Tag::BlockQuote(_)),
            ) => {
                panic!("{tag:?} in {body}")
            }
            Event::Html(html) | Event::InlineHtml(html) => panic!("{html} in {body}"),
            Event::Rule => panic!("a rule in {body}"),
            _ => {}
        }
    }
    links
}

fn check(tree: &[(&str, String)]) -> BTreeMap<String, Index> {
    let made = indices(tree);
    for (folder, index) in &made {
        let (fields, body) = frontmatter(&index.file.text);
        let covered = fields["covers_token_total"].as_u64().expect("a number");
        assert!(
            index.file.tokens <= covered.max(300) && index.file.tokens <= 1500,
            "{folder}: {} of {covered}",
            index.file.tokens
        );
        assert_eq!(tokens_of(body.strip_prefix('\n').unwrap_or(body)), index.file.tokens);
        assert_eq!(fields["token_count"].as_u64(), Some(index.file.tokens));
        let within =
            |path: &str| if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") };
        let exists = |path: &str| {
            let path = within(path);
            tree.iter().any(|(file, _)| *file == path)
                || path
                    .strip_suffix("_index.md")
                    .is_some_and(|child| made.contains_key(child.trim_end_matches('/')))
        };
        for path in fields["covers"].as_sequence().expect("a list") {
            assert!(exists(path.as_str().expect("a path")), "{path:?} in {folder}");
        }
        for link in links(body) {
            assert!(exists(&link), "{link} in {folder}");
        }
        assert_eq!(stamp::read(index.file.text.as_bytes()), Stamp::Ours { key: index.file.key });
        assert_eq!(index.file.key, index_key(folder, index.condensate.children_hash));
    }
    made
}

fn entry(title: &str, rules: &[&str]) -> String {
    let rules: String = rules.iter().map(|rule| format!("- {rule}\n")).collect();
    format!(
        "---\ntitle: {title}\nsummary: All about {title} and its many parts\ntags: []\n---\n\n## Narrative\n\n### Rules\n{rules}"
    )
}

#[test]
fn a_change_changes_the_indices_above_it_and_no_other() {
    let mut tree = vec![
        (
            "auth/jwt/refresh/rotation.md",
            entry("rotation", &["Refresh tokens must rotate on every single use"]),
        ),
        ("auth/jwt/token.md", entry("token", &["Access tokens must expire after 24 hours"])),
        ("auth/context.md", "# Domain: auth\n\n## Purpose\nCovers who may do what.\n".to_owned()),
        ("data/models/user.md", entry("user", &["Users are never deleted, only marked"])),
    ];
    let before = check(&tree);
    tree[0].1.push_str("- Old tokens must be refused for ever and ever\n");
    let after = check(&tree);
    for (folder, index) in &before {
        let above = "auth/jwt/refresh".starts_with(folder.as_str());
        assert_eq!(index.file.key != after[folder].file.key, above, "{folder}");
        assert_eq!(index.file.text != after[folder].file.text, above, "{folder}");
    }
    let orders: Vec<u64> = ["", "auth", "auth/jwt", "auth/jwt/refresh"]
        .iter()
        .map(|folder| {
            frontmatter(&before[*folder].file.text).0["condensation_order"].as_u64().expect("a number")
        })
        .collect();
    assert_eq!(orders, [3, 2, 1, 0]);
}

#[test]
fn a_rule_deep_below_reaches_the_root_with_a_link_to_its_source() {
    let tree = [(
        "auth/jwt/refresh/rotation.md",
        entry("rotation", &["Refresh tokens must rotate on every single use"]),
    )]
    .into_iter()
    .chain(["a", "b", "c"].map(|name| {
        (
            ["data/models/a.md", "data/models/b.md", "data/models/c.md"][name.as_bytes()[0] as usize - 97],
            entry(
                name,
                &["Something is always kept here in order", "Another thing must never be stored there"],
            ),
        )
    }))
    .collect::<Vec<_>>();
    let made = check(&tree);
    let root = &made[""].file.text;
    assert!(root.contains("## [auth](auth/_index.md)") && root.contains("4 entries in 2 domains"), "{root}");
    assert!(root.contains("(auth/jwt/refresh/rotation.md)"), "{root}");
}

#[test]
fn a_root_of_sixty_domains_and_a_folder_of_two_thousand_entries_fit() {
    let paths: Vec<String> = (0..60).map(|at| format!("domain_{at:02}/topic/entry.md")).collect();
    let tree: Vec<(&str, String)> = paths
        .iter()
        .map(|path| (path.as_str(), entry(&path[..9], &["A rule that must hold in this domain"])))
        .collect();
    let made = check(&tree);
    assert!(
        (0..60).all(|at| made[""].file.text.contains(&format!("[domain_{at:02}]"))),
        "{}",
        made[""].file.text
    );
    let paths: Vec<String> = (0..2000).map(|at| format!("d/t/entry_{at}.md")).collect();
    let tree: Vec<(&str, String)> = paths
        .iter()
        .map(|path| (path.as_str(), entry(&path[4..], &["A rule that must hold in this entry"])))
        .collect();
    let made = check(&tree);
    assert!(made["d/t"].file.text.contains("- and 19"), "{}", made["d/t"].file.text);
}

#[test]
fn the_root_of_a_middling_tree_names_every_entry() {
    let paths: Vec<String> =
        (0..48).map(|at| format!("domain_{}/topic_{}/entry_{at:02}.md", at % 7, at % 3)).collect();
    let tree: Vec<(&str, String)> = paths
        .iter()
        .map(|path| {
            let words = path.replace(['/', '_'], " ");
            let rules =
                [format!("Whoever reads {words} must know why"), "Padding that says nothing ".repeat(9)];
            (
                path.as_str(),
                entry(&format!("What {} is", &path[17..25]), &rules.each_ref().map(String::as_str)),
            )
        })
        .collect();
    let root = &check(&tree)[""].file.text;
    for path in &paths {
        let (topic, title) = (&path[9..16], format!("What {} is", &path[17..25]));
        let named =
            root.lines().any(|line| line.starts_with(&format!("- {topic}: ")) && line.contains(&title));
        assert!(named, "{title} in {root}");
    }
}

#[test]
fn a_tiny_tree_has_heading_count_and_links() {
    let root = |tree: &[(&str, String)]| check(tree)[""].file.text.clone();
    assert!(root(&[("ok.md", "ok".to_owned())]).ends_with("\n# Context tree\n\n1 entry.\n\n- [ok](ok.md)\n"));
    let many: Vec<String> = (0..40).map(|at| format!("note_{at:02}.md")).collect();
    let tree: Vec<(&str, String)> = many.iter().map(|path| (path.as_str(), format!("x{path}"))).collect();
    let text = root(&tree);
    assert!(
        many.iter().all(|path| text.contains(&format!("]({path})"))) && text.contains("\n40 entries.\n"),
        "{text}"
    );
}

#[test]
fn of_alike_entries_the_first_are_told() {
    let paths: Vec<String> = (10..70).map(|at| format!("stations/all/station_{at}.md")).collect();
    let tree: Vec<(&str, String)> = paths
        .iter()
        .map(|path| {
            (path.as_str(), entry(&path[13..23], &[&format!("The {} must report every hour", &path[13..23])]))
        })
        .collect();
    let made = check(&tree);
    for folder in ["", "stations"] {
        let text = &made[folder].file.text;
        assert!(text.contains("station_10.md)") && !text.contains("station_69.md)"), "{text}");
    }
}

#[test]
fn a_sentence_that_needs_its_neighbours_stays_below_and_a_title_helps_one_without_a_subject() {
    let mut tree = vec![(
        "auth/jwt/rotation.md",
        entry("rotation", &["It must be done on every use", "Nobody may keep old keys in the drawer"]),
    )];
    tree[0].1.push_str("\n## Decision\nWe tried a single key first and it was lost within a week.\n");
    let made = check(&tree);
    assert!(made["auth/jwt"].file.text.contains("Nobody may keep"));
    for folder in ["", "auth"] {
        let text = &made[folder].file.text;
        assert!(text.contains("drawer [rotation →]("), "{text}");
        assert!(!text.contains("It must be done") && !text.contains("We tried"), "{text}");
    }
}

#[test]
fn a_retired_entry_is_marked_and_its_rules_are_not_repeated() {
    let old = entry("oldway", &["Everything must be signed with HMAC keys"])
        .replace("tags: []", "status: superseded");
    let tree = [
        ("auth/jwt/old.md", old),
        ("auth/jwt/new.md", entry("newway", &["Everything must be signed with RS256 keys"])),
    ];
    let made = check(&tree);
    assert!(made["auth/jwt"].file.text.contains("[oldway](old.md) (superseded)"));
    assert!(made.values().all(|index| !index.file.text.contains("HMAC")));
    // it is counted, so it must be listed
    let root = &made[""].file.text;
    assert!(
        root.contains("\n2 entries in 1 domain.") && root.contains("- jwt: newway · oldway (superseded)"),
        "{root}"
    );
}

#[test]
fn one_small_note_gives_small_indices_in_every_folder_above() {
    for text in ["", "x", "Hi.", "A note.", "# Title\n", "```\ncode\n```\n", "観測する。"] {
        check(&[("a/b/c.md", text.to_owned())]);
        check(&[("note.md", text.to_owned())]);
    }
}

/// One tree in several scripts, made on any machine: if this changes, either the form of derived files changed and
/// [`FORMAT`] must be increased, or an operation differs between machines.
#[test]
fn the_bytes_are_the_same_on_every_machine() {
    let scripts = "# 観測\n\n観測者は必ず記録する。雨の日は休む。Ночью нужно записывать время. Los datos nunca se borran.\n";
    let tree = [
        ("auth/context.md", "# Domain: auth\n\n## Purpose\nCovers who may do what. And how.\n".to_owned()),
        ("auth/jwt/token.md", digest::tests::ENTRY.to_owned()),
        (
            "auth/jwt/refresh/rotation.md",
            entry("rotation", &["Refresh tokens must rotate on every single use"]),
        ),
        (
            "data/models/user.md",
            entry("user", &["Users are never deleted, only marked", "Names may be of any script"]),
        ),
        ("data/観測.md", scripts.to_owned()),
    ];
    let mut all = String::new();
    for (path, text) in &tree {
        let digest = digest::tests::digest(path, text);
        all.push_str(&abstract_of(&digest).text);
        all.push_str(&overview_of(&digest).text);
    }
    check(&tree).values().for_each(|index| all.push_str(&index.file.text));
    assert_eq!(ContentId::of(all.as_bytes()).short(), "ba2346013cb5dfaf", "{all}");
}

fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("---\n".to_owned()),
        Just("\n\n## Rules\n- ".to_owned()),
        Just("\n## Facts\n- **s**: ".to_owned()),
        Just("\n- [ ] ".to_owned()),
        Just("\n- [x] must ".to_owned()),
        Just("<!-- ".to_owned()),
        Just("\n```\n".to_owned()),
        Just("| a | b |\n|---|---|\n| ".to_owned()),
        Just("[x](http://evil) ![y](http://evil)".to_owned()),
        Just("title: \"a]b\" #c\n".to_owned()),
        Just("must never be done. Always so! ".to_owned()),
        Just("\u{202e}\u{200b}\u{1b}[31m".to_owned()),
        "[-#>*_`~<|\\[\\]()!a-z観測。 \n]{0,30}",
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(crate::cases::held_to(96))]

    #[test]
    fn any_tree_gives_sound_indices_whatever_the_order(texts in prop::collection::vec(hostile(), 5)) {
        let paths = ["context.md", "a/x y.md", "a/t/context.md", "a/t/観測.md", "b/t/s/(1) [z].md"];
        let mut tree: Vec<(&str, String)> = paths.into_iter().zip(texts).collect();
        let made = check(&tree);
        tree.reverse();
        prop_assert_eq!(made, indices(&tree));
    }

    #[test]
    fn companions_are_sound_and_shorter_than_their_source(text in hostile()) {
        let digest = digest::tests::digest("a/b.md", &text);
        for (made, most) in [(abstract_of(&digest), 80), (overview_of(&digest), 1500)] {
            let (_, body) = frontmatter(&made.text);
            prop_assert_eq!(links(body), Vec::<String>::new());
            prop_assert!(made.tokens <= most && made.tokens <= digest.tokens);
            prop_assert_eq!(stamp::read(made.text.as_bytes()), Stamp::Ours { key: made.key });
            prop_assert!(!made.text.chars().any(|c| c != '\n' && inline::is_hidden(c)), "hidden");
        }
        let json = serde_json::to_string(&digest).expect("JSON");
        prop_assert_eq!(serde_json::from_str::<Digest>(&json).expect("a digest"), digest);
    }
}
