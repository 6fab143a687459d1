//! The laws of the index: what is searched from memory, what is folded in and what is built anew are one and the same.

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;

use super::*;
use brv_base::fs::WriteGuard;
use brv_base::path::TreePath;
use brv_base::progress::Silent;

pub(super) type IndexedTree = BTreeMap<TreePath, Vec<u8>>;

fn path(text: &str) -> TreePath {
    TreePath::parse(text.as_bytes()).unwrap()
}

pub(super) fn tree(files: &[(&str, &str)]) -> IndexedTree {
    files.iter().map(|(name, text)| (path(name), text.as_bytes().to_vec())).collect()
}

fn guard(folder: &Path) -> WriteGuard {
    lock(folder, std::time::Duration::from_secs(60)).unwrap()
}

pub(super) fn build(folder: &Path, tree: &IndexedTree) -> Index {
    let paths: Vec<TreePath> = tree.keys().cloned().collect();
    Index::build(folder, &paths, &|path| tree.get(path).cloned(), &Silent, &guard(folder)).unwrap()
}

fn changes(old: &IndexedTree, new: &IndexedTree) -> Changes {
    Changes {
        gone: old.keys().filter(|path| !new.contains_key(*path)).cloned().collect(),
        now: new
            .iter()
            .filter(|(path, bytes)| old.get(*path) != Some(*bytes))
            .map(|(path, bytes)| (path.clone(), bytes.clone()))
            .collect(),
    }
}

pub(super) fn search(index: &Index, pending: &Changes, tree: &IndexedTree, text: &str) -> SearchResults {
    let pending = Pending::of(pending);
    let request = SearchQuery {
        text,
        limit: 50,
        scope: None,
        only: None,
        folders: true,
        each: Each::Highlight,
        standing: &|path, _| {
            Some(EntryStanding { importance: (path.len() * 7 % 100) as f64, recency: 0.5, boost: 1.0 })
        },
        read: &|path| tree.get(path).cloned(),
    };
    index.snapshot(&pending).search(&request).unwrap()
}

fn assert_same(a: &SearchResults, b: &SearchResults) {
    let key = |hit: &Hit| (hit.path.clone(), hit.kind, hit.passage, hit.words.clone());
    assert_eq!(a.hits.iter().map(key).collect::<Vec<_>>(), b.hits.iter().map(key).collect::<Vec<_>>());
    assert_eq!((a.total, &a.best, &a.unmatched), (b.total, &b.best, &b.unmatched));
    for (a, b) in a.hits.iter().zip(&b.hits) {
        assert!((a.score - b.score).abs() < 1e-6 && (a.relevance - b.relevance).abs() < 1e-6, "{a:?} {b:?}");
    }
    assert!((a.relevance - b.relevance).abs() < 1e-6 && (a.gap - b.gap).abs() < 1e-6);
}

const QUESTIONS: [&str; 12] = [
    "token",
    "refresh tokens of Anna",
    "tokne lifetime",
    "Laufzeit",
    "die Laufzeit der Tokens",
    "the",
    "nothing here",
    "\"access token\"",
    "tag:jwt token",
    "lifeti",
    "観測",
    "auth tokens in May 2024",
];

fn any_tree() -> impl Strategy<Value = IndexedTree> {
    let folder = prop::sample::select(vec!["", "auth/", "auth/jwt/", "auth-x/", "db/", "_archived/db/"]);
    let name = prop::sample::select(vec!["a", "b", "token", "refresh_token", "context"]);
    let text = prop::sample::select(vec![
        "---\ntitle: Access tokens\ntags: [jwt]\ncreatedAt: 2024-05-03\n---\n## Facts\n- **lifetime**: access token 15 minutes\n- Anna likes tokens\n",
        "The access token is refreshed by Anna.\n\n## More\nA lifetime of a day.\n",
        "Die Laufzeit der Tokens wird in der Datei gesetzt und ist nicht fest.\n",
        "観測計画のトークン\n",
        "",
        "## Facts\n- token token token\n- refresh\n",
        "---\ntitle: Anna\nkeywords: [token]\n---\n## Narrative\n### Highlights\n- **Access token**: lifetime of a day (2024-05)\n- **Refresh**: reverted 2024-06-01: tokens of Anna\n- plain token\n",
    ]);
    prop::collection::btree_map((folder, name), text, 0..12).prop_map(|files| {
        let files = files.into_iter().map(|((folder, name), text)| {
            let ending = if folder.starts_with("_archived") { ".stub.md" } else { ".md" };
            (path(&format!("{folder}{name}{ending}")), text.as_bytes().to_vec())
        });
        files.collect()
    })
}

proptest! {
    #![proptest_config(crate::cases::held_to(24))]

    #[test]
    fn changes_in_memory_and_folded_in_are_as_built_anew(trees in prop::collection::vec(any_tree(), 2..6)) {
        let folder = tempfile::tempdir().unwrap();
        let mut index = build(folder.path(), &trees[0]);
        for step in trees.windows(2) {
            let (old, new) = (&step[0], &step[1]);
            let anew = tempfile::tempdir().unwrap();
            let expected = build(anew.path(), new);
            let changes = changes(old, new);
            let found: Vec<SearchResults> = QUESTIONS.iter().map(|text| search(&index, &changes, new, text)).collect();
            let read = |path: &TreePath| new.get(path).cloned();
            index.fold(folder.path(), &changes, &read, &Silent, &guard(folder.path())).unwrap();
            index = Index::open(folder.path()).unwrap();
            prop_assert!(index.files().eq(expected.files()));
            for (text, found) in QUESTIONS.iter().zip(&found) {
                let expected = search(&expected, &Changes::default(), new, text);
                assert_same(found, &expected);
                assert_same(&search(&index, &Changes::default(), new, text), &expected);
            }
        }
    }
}

#[test]
fn a_fact_is_found_in_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let tree = tree(&[
        (
            "auth/jwt/tokens.md",
            "---\ntitle: JWT tokens\n---\nAbout them.\n\n## Facts\n- **lifetime**: access tokens live 15 minutes\n- **algorithm**: RS256\n",
        ),
        ("auth/login.md", "---\ntitle: Login\n---\nThe login page asks for a password.\n"),
        ("db/pool.md", "---\ntitle: Connection pool\n---\nThe pool has 20 connections.\n"),
    ]);
    let index = build(folder.path(), &tree);
    let found = search(&index, &Changes::default(), &tree, "How long do access tokens live?");
    assert_eq!(found.best, Some(path("auth/jwt/tokens.md")));
    let hit = found.hits.iter().find(|hit| Some(&hit.path) == found.best.as_ref()).unwrap();
    assert_eq!(hit.passage, Some(Passage { line: 7, lines: 1, is_fact: true, is_highlight: false }));
    assert_eq!(hit.words, ["access", "tokens", "live"]);
    let typo = search(&index, &Changes::default(), &tree, "conection pool");
    assert_eq!(typo.best, Some(path("db/pool.md")));
    let none = search(&index, &Changes::default(), &tree, "GraphQL schema federation");
    assert!(!none.is_covered() && none.hits.is_empty() && none.unmatched.len() == 3);
}

#[test]
fn what_no_entry_has_is_named_as_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let tree = tree(&[
        (
            "net/timeouts.md",
            "The client waits for a ping. Each timeout of a request counts, and max_age is a day.",
        ),
        ("net/quick.md", "Quick break: connections close. Set `idle_ping` or the Idle-Width header."),
    ]);
    let index = build(folder.path(), &tree);
    let missing = |text: &str| search(&index, &Changes::default(), &tree, text).missing;
    for (question, expected) in [
        ("Does the client support SFTP or QUIC?", ["SFTP", "QUIC"].as_slice()),
        ("What is the timeout of a client with a bread?", &["bread"]),
        // a typing error in a longer word, and one that is only begun
        ("conections of the request, and the conn", &[]),
        ("pingTimeout of a request", &["pingTimeout"]),
        ("timeout of sftpClient", &["sftpClient"]),
        ("max_age and ping_timeout, --request-timeout or --idle-width", &["ping_timeout", "request-timeout"]),
        // numbers, words of everyday speech, and words that ask for a measure
        ("How often do 404 things happen to the client?", &[]),
    ] {
        assert_eq!(missing(question), expected, "{question}");
    }
}

#[test]
fn what_no_entry_has_makes_a_question_less_relevant() {
    let folder = tempfile::tempdir().unwrap();
    let tree = tree(&[
        ("net/proxy.md", "The proxy asks for authentication with a token."),
        ("net/pool.md", "The pool has 20 connections."),
    ]);
    let index = build(folder.path(), &tree);
    let relevance = |text: &str| search(&index, &Changes::default(), &tree, text).relevance;
    let (known, typo) = ("authentication with the proxy", "authenticaton with the proxy");
    assert!(relevance(known) > relevance(typo), "a neighbour counts half");
    assert!(relevance(typo) > relevance("kerberos with the proxy"));
    assert!(relevance(known) > relevance("authentication with the proxy by proxyTicket"));
}

#[test]
fn what_has_the_question_in_one_passage_is_before_what_has_its_words_more_often() {
    let rest = "The gateway of the house waits for its guests, and every one of them is told where to sit, what to eat \
        and when to leave again. "
        .repeat(3);
    let spread = format!(
        "---\ntitle: Pools\n---\n## One\nA pool of retries: retries, retries. {rest}\n\n## Two\nThe pool and its timeout, a \
        timeout, any timeout. {rest}\n\n## Three\nProxies, proxies, proxies and proxies in the pool. A proxy. {rest}\n"
    );
    let whole = format!(
        "---\ntitle: Calls\n---\n## One\n{rest}\n\n## Two\nRetries behind a proxy end with the timeout of the pool. {rest}\n"
    );
    let mut tree = tree(&[("net/spread.md", &spread), ("net/whole.md", &whole)]);
    for number in 0..8 {
        let word = if number % 2 == 0 { "timeout" } else { "pool" };
        let text = format!("---\ntitle: Other {number}\n---\nA {word}, number {number}.\n");
        tree.insert(path(&format!("net/z{number}.md")), text.into_bytes());
    }
    let folder = tempfile::tempdir().unwrap();
    let index = build(folder.path(), &tree);
    let found = search(&index, &Changes::default(), &tree, "retries of a pool, timeout and proxy");
    assert_eq!(found.best, Some(path("net/whole.md")));
}

#[test]
fn a_phrase_restricts_unless_nothing_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let tree =
        tree(&[("a.md", "The access token lives."), ("b.md", "A token grants access."), ("c.md", "-")]);
    let index = build(folder.path(), &tree);
    let found = |text: &str| search(&index, &Changes::default(), &tree, text);
    let exact = found("\"access token\"");
    assert_eq!((exact.hits.len(), exact.without_phrases), (1, false));
    let none = found("\"token access\"");
    assert_eq!((none.hits.len(), none.without_phrases), (2, true));
}

#[test]
fn tags_alone_are_a_question() {
    let folder = tempfile::tempdir().unwrap();
    let tagged = |tags: &str| format!("---\ntitle: Some\ntags: [{tags}]\n---\ntext\n");
    let (both, one) = (tagged("jwt, \"two words\""), tagged("jwt"));
    let tree = tree(&[("a/a.md", &both), ("a/b.md", &one), ("c.md", "jwt")]);
    let index = build(folder.path(), &tree);
    let paths = |text: &str| {
        let found = search(&index, &Changes::default(), &tree, text);
        assert!(found.is_covered() && !found.is_direct(), "{text}");
        let mut paths: Vec<String> = found.hits.iter().map(|hit| hit.path.to_string()).collect();
        paths.sort_unstable();
        paths
    };
    assert_eq!(paths("tag:jwt"), ["a/a.md", "a/b.md"]);
    assert_eq!(paths("tag:jwt tag:\"Two Words\""), ["a/a.md"]);
    assert!(!search(&index, &Changes::default(), &tree, "tag:none").is_covered());
}

#[test]
fn folders_are_found_by_name_and_scope_restricts() {
    let folder = tempfile::tempdir().unwrap();
    let text = "---\ntitle: Tokens\n---\nrefresh token\n";
    let tree = tree(&[
        ("auth/jwt/a.md", text),
        ("auth/b.md", text),
        ("authx/c.md", text),
        ("_archived/auth/d.stub.md", text),
    ]);
    let index = build(folder.path(), &tree);
    let found = search(&index, &Changes::default(), &tree, "jwt");
    assert!(found.hits.iter().any(|hit| hit.kind == HitKind::Folder && hit.path == path("auth/jwt")));
    let pending = Pending::of(&Changes::default());
    let snapshot = index.snapshot(&pending);
    let request = SearchQuery {
        text: "token",
        limit: 9,
        scope: Some("auth"),
        only: None,
        folders: false,
        each: Each::File,
        standing: &|_, _| None,
        read: &|_| None,
    };
    let found = snapshot.search(&request).unwrap();
    let mut paths: Vec<&str> = found.hits.iter().map(|hit| hit.path.as_str()).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["_archived/auth/d.stub.md", "auth/b.md", "auth/jwt/a.md"]);
    let has = |folder: &str| snapshot.folders().any(|path| path == folder);
    assert!(has("auth/jwt") && !has("aut"));
}

#[test]
fn for_a_task_what_an_entry_is_called_counts_and_what_stands_beside_it_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let named = |title: &str, text: &str| format!("---\ntitle: {title}\n---\n{text}");
    let talk = "the gate has a retry for each port and is here among many other words about nothing at all";
    let tree = tree(&[
        ("a/1.md", &named("Gates", "gate gate retry retry port port")),
        ("a/2.md", &named("Something else", "a gate and other words")),
        ("a/3.md", &named("Ports", "gate gate retry retry port port")),
        ("b/1.md", &named("Retry of a gate", talk)),
        ("c/1.md", &named("Colours of the walls of the house", talk)),
    ]);
    let index = build(folder.path(), &tree);
    let snapshot = index.snapshot(&Pending::of(&Changes::default()));
    let ratio = |each: Each, path: &str| {
        let standing = |_: &str, _: Option<i64>| None;
        let text = "make the gate open after a retry, whatever the port";
        let request = SearchQuery {
            text,
            limit: 9,
            scope: None,
            only: None,
            folders: false,
            each,
            standing: &standing,
            read: &|_| None,
        };
        let hits = snapshot.search(&request).unwrap().hits;
        hits.iter().find(|hit| hit.path.as_str() == path).map(|hit| hit.ratio).unwrap()
    };
    let gap = |each, one, other| ratio(each, one) - ratio(each, other);
    let named_more = |each| gap(each, "b/1.md", "c/1.md");
    assert!(named_more(Each::ForTask) > 2.0 * named_more(Each::Highlight).abs());
    let beside = |each| gap(each, "a/2.md", "c/1.md");
    assert!(beside(Each::Highlight) > beside(Each::ForTask) && beside(Each::ForTask) < 0.0);
}

#[test]
fn damage_reads_as_no_index() {
    let folder = tempfile::tempdir().unwrap();
    assert!(Index::open(folder.path()).is_none());
    let tree = tree(&[("a.md", "one two"), ("b.md", "two three")]);
    build(folder.path(), &tree);
    let names = brv_base::fs::names(folder.path()).unwrap();
    let part = folder.path().join(names.iter().find(|name| name.ends_with(".part")).unwrap());
    let bytes = std::fs::read(&part).unwrap();
    for at in (0..bytes.len()).step_by(97) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x55;
        brv_base::fs::replace(&part, &damaged, brv_base::fs::Durability::Later).unwrap();
        assert!(Index::open(folder.path()).is_none(), "{at}");
    }
    // the same bytes in another file are checked, and good
    brv_base::fs::replace(&part, &bytes, brv_base::fs::Durability::Later).unwrap();
    assert_eq!(Index::open(folder.path()).unwrap().len(), 2);
    brv_base::fs::remove_file(&part).unwrap();
    assert!(Index::open(folder.path()).is_none());
}

#[test]
fn parts_stay_few_and_left_overs_are_swept() {
    let folder = tempfile::tempdir().unwrap();
    let mut tree = IndexedTree::new();
    for number in 0..40 {
        tree.insert(path(&format!("d/e{number}.md")), format!("word{number} common").into_bytes());
    }
    let mut index = build(folder.path(), &tree);
    for number in 0..30 {
        let old = tree.clone();
        tree.insert(path(&format!("d/e{number}.md")), format!("new{number} common").into_bytes());
        let read = |path: &TreePath| tree.get(path).cloned();
        std::fs::File::create_new(folder.path().join(format!("left{number}.part"))).unwrap();
        index =
            index.fold(folder.path(), &changes(&old, &tree), &read, &Silent, &guard(folder.path())).unwrap();
        let parts =
            brv_base::fs::names(folder.path()).unwrap().iter().filter(|name| name.ends_with(".part")).count();
        assert!(parts <= 6, "{parts}");
    }
    assert_eq!(index.len(), 40);
    assert_eq!(index.id_of(&path("d/e3.md")), Some(brv_base::content::ContentId::of(b"new3 common")));
    assert_eq!(index.id_of(&path("d/none.md")), None);
}

#[test]
fn any_question_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let tree = tree(&[("a.md", "the and of"), ("b.md", "\u{7}x \u{202e}y")]);
    let index = build(folder.path(), &tree);
    let long = "a \"quoted\" word\u{0} AND (x OR y* tag:".repeat(3000);
    for text in ["", " ", "\u{0}\u{7}", "the of", "\"", "\"\"", "tag:", "tag:x", "(((", "a:b^2~", &long] {
        search(&index, &Changes::default(), &tree, text);
    }
    let empty = tempfile::tempdir().unwrap();
    let none = build(empty.path(), &IndexedTree::new());
    assert!(search(&none, &Changes::default(), &tree, "x").hits.is_empty());
    assert!(Index::open(empty.path()).unwrap().is_empty());
}

#[test]
fn highlights_are_found_singly_and_marked_ones_last() {
    let folder = tempfile::tempdir().unwrap();
    let net = "---\ntitle: Net\n---\n## Raw Concept\n**Files:**\n- `src/queue.rs`\n\n## Narrative\n### Highlights\n- **Retry twice**: one attempt is too few (2026-02)\n- **Bounded queue**: the queue drops the oldest request (2026-01)\n- **Queue without bound**: reverted 2026-03-01: the queue of requests grows (2025-12)\n";
    let tree = tree(&[("lib/net.md", net), ("lib/other.md", "---\ntitle: Other\n---\nNothing of that.\n")]);
    let index = build(folder.path(), &tree);
    let lines = |text: &str| -> Vec<usize> {
        let found = search(&index, &Changes::default(), &tree, text);
        found.hits.iter().filter_map(|hit| Some(hit.passage?.line)).collect()
    };
    assert_eq!(lines("which request does the queue drop"), [11, 12]);
    assert_eq!(lines("Queue without bound").last(), Some(&12));
    assert_eq!(lines("how many attempts does a retry have"), [10]);
    let found = search(&index, &Changes::default(), &tree, "queue that drops the oldest request");
    assert!(
        found.is_direct()
            && found.hits[0].is_best
            && found.hits[0].passage.is_some_and(|own| own.is_highlight)
    );
    let marked = found.hits.last().unwrap();
    assert!(marked.relevance < NEAR && marked.score < found.hits[0].score, "{marked:?}");
}
