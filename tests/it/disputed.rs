//! Disputed facts: where they are listed, and how one is settled.

use crate::env::Env;
use crate::init::{commit, json, project};

const ENTRY: &str = "---\ntitle: Tokens\nsummary: s\ndisputed: [access token]\nupdatedAt: '2023-01-01T00:00:00Z' # when\n---\n\n## Facts\n- **access token**: lives 15 minutes [convention]\n- **logout**: ends all\n- **access token**: lives 10 minutes [convention]\n";

fn disputed() -> Env {
    let env = project(&[
        ("auth/tokens.md", ENTRY),
        ("auth/other.md", "# Other\n\nThe disputed facts stand elsewhere.\n"),
    ]);
    commit(&env, "first");
    env
}

fn read(env: &Env) -> String {
    std::fs::read_to_string(env.path(".brv/context-tree/auth/tokens.md")).unwrap()
}

/// The entry after the dispute is settled.
fn settled(facts: &str) -> String {
    let head = ENTRY.split("## Facts\n").next().unwrap();
    format!("{head}## Facts\n{facts}")
        .replace("disputed: [access token]\n", "")
        .replace("2023-01-01T00:00:00Z", "2023-11-14T22:13:20Z")
}

#[test]
fn one_claim_stays_and_nothing_else_changes() {
    let env = disputed();
    let ran = env.brv(&["vc", "resolve", "auth/tokens", "--fact", "access token", "--keep", "2"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.stdout, "auth/tokens.md: `access token` is settled; the change is not staged yet\n");
    assert!(ran.stderr.contains("next: brv vc commit -a"), "{}", ran.stderr);
    assert_eq!(
        read(&env),
        settled("- **logout**: ends all\n- **access token**: lives 10 minutes [convention]\n")
    );
    let tree = env.path(".brv/context-tree");
    assert_eq!(env.git(&tree, &["status", "--porcelain"]), " M auth/tokens.md");
    assert!(
        env.git(&tree, &["for-each-ref", "--format=%(contents:subject)", "refs/brv/ops"])
            .contains("resolve: ")
    );
    assert_eq!(env.brv(&["derive", "--check"]).code, 0, "derived files are updated");
}

#[test]
fn a_new_statement_takes_the_place_of_all() {
    let env = disputed();
    let words =
        ["vc", "resolve", "auth/tokens.md", "--fact", "access token", "--text", "lives 12 minutes", "--json"];
    let answer = json(&env.brv(&words).stdout);
    assert_eq!(answer["data"]["settled"]["subject"], "access token");
    assert_eq!(
        read(&env),
        settled("- **access token**: lives 12 minutes [convention]\n- **logout**: ends all\n")
    );
}

#[test]
fn what_makes_no_sense_is_refused_and_nothing_changes() {
    let env = disputed();
    let cases: [(&[&str], &str); 6] = [
        (&["auth/tokens.md", "--fact", "access token"], "choose a claim"),
        (&["auth/tokens.md", "--fact", "access token", "--keep", "3"], "no claim 3"),
        (&["auth/tokens.md", "--fact", "access token", "--keep", "one"], "`one` is neither"),
        (&["auth/tokens.md", "--fact", "refresh token", "--keep", "1"], "`refresh token` is not in dispute"),
        (&["auth/other.md", "--fact", "access token", "--keep", "1"], "is not in dispute"),
        (&["--fact", "access token", "--keep", "1"], "the path of one file"),
    ];
    for (words, said) in cases {
        let ran = env.brv(&[&["vc", "resolve"], words].concat());
        assert_eq!(ran.code, 2, "{words:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(said), "{words:?}: {}", ran.stderr);
    }
    assert_eq!(read(&env), ENTRY);
}

#[test]
fn what_is_disputed_is_shown_wherever_it_is_read() {
    let env = disputed();
    let ran = env.brv(&["read", "auth/tokens"]);
    let marks = "\n> [disputed] access token\n>   1. lives 15 minutes [convention]\n>   2. lives 10 minutes [convention]\n> `brv vc resolve PATH --fact SUBJECT --keep N` settles it\n";
    assert_eq!(ran.stdout, format!("{ENTRY}{marks}"));
    assert!(env.brv(&["read", "auth/tokens", "--level", "l0"]).stdout.ends_with(marks));
    assert!(!env.brv(&["read", "auth/other"]).stdout.contains("> ["));
    let source =
        json(&env.brv(&["read", "auth/tokens", "--json"]).stdout)["data"]["pieces"][0]["source"].take();
    assert_eq!(source["disputed"][0]["claims"][1]["statement"], "lives 10 minutes");
    assert_eq!(source["disputed"][0]["claims"][1]["number"], 2);

    let status = env.brv(&["vc", "status"]).stdout;
    assert!(status.contains("\tauth/tokens.md: access token (2 claims)\n"), "{status}");
    assert!(env.brv(&["status"]).stdout.contains("disputed    1 subject in 1 entry\n"));
    let links = env.brv(&["links", "auth/tokens"]).stdout;
    assert!(links.lines().next().unwrap().ends_with("disputed: access token"), "{links}");
}

/// The note about the last look must not outlive its content.
#[test]
fn status_knows_of_disputes_that_come_and_go() {
    let env = disputed();
    let count = || {
        let data = json(&env.brv(&["vc", "status", "--json"]).stdout)["data"].take();
        data["disputed"].as_array().unwrap().len()
    };
    assert_eq!(count(), 1);
    crate::init::write(&env, &[("auth/new.md", ENTRY)]);
    assert_eq!(count(), 2, "not recorded yet");
    commit(&env, "new");
    assert_eq!(count(), 2, "committed");
    crate::init::write(&env, &[("auth/tokens.md", "# Gone\n")]);
    assert_eq!(count(), 1, "settled on disk");
    let tree = env.path(".brv/context-tree");
    env.git(&tree, &["checkout", "-q", "auth/tokens.md"]);
    assert_eq!(count(), 2, "and back");
    env.git(&tree, &["rm", "-q", "auth/new.md"]);
    env.git(&tree, &["commit", "-q", "-m", "gone"]);
    assert_eq!(count(), 1, "deleted by git");
    std::fs::write(env.path(".brv/cache/disputed"), "rubbish\n").unwrap();
    assert_eq!(count(), 1, "an unreadable note is rewritten");
}
