//! Tests of whole messages.

use super::*;

const RULE: &str = "The pool must never grow beyond twelve connections, because the database of the small plan refuses \
    the thirteenth.";

fn told<'a>(subject: &'a str, body: &'a str, files: &'a [&'a str]) -> CommitDescription<'a> {
    CommitDescription {
        subject,
        body,
        author: "Ann",
        address: "ann@a.b",
        files,
        parents: 1,
        in_repo_tree: None,
    }
}

fn said(told: &CommitDescription<'_>) -> Result<Lesson, String> {
    match read(told) {
        Reading::Lesson(lesson) => Ok(lesson),
        Reading::Declined(reason) => Err(reason.to_string()),
    }
}

fn reading(subject: &str, body: &str) -> Result<Lesson, String> {
    said(&told(subject, body, &["src/pool.rs"]))
}

fn lesson(body: &str) -> Lesson {
    reading("pool: hold twelve", body).unwrap()
}

fn facts(lesson: &Lesson) -> Vec<(&str, &str, bool)> {
    lesson
        .facts
        .iter()
        .map(|one| (one.subject.as_deref().unwrap(), one.statement.as_str(), one.settles))
        .collect()
}

fn notes(lesson: &Lesson) -> Vec<(Option<Prefix>, &str)> {
    lesson.notes.iter().map(|note| (note.prefix, note.text.as_str())).collect()
}

const NO_TEXT: &str = "no text";

#[test]
fn trailers_are_facts_exactly_and_the_body_counts_as_well() {
    let trailers = "Fact: pool size: twelve\nRejected: growing pool | the plan\n  refuses it\nTested: yes";
    let read = lesson(trailers);
    let expected = [("pool size", "twelve", false), ("growing pool", "rejected: the plan refuses it", false)];
    assert_eq!((facts(&read).as_slice(), notes(&read).len()), (&expected[..], 0));
    let read = lesson(&format!("{RULE}\n\n{trailers}\n\nSigned-off-by: A <a@b>"));
    assert_eq!((facts(&read).as_slice(), notes(&read)), (&expected[..], vec![(None, RULE)]));
    assert_eq!(lesson("Short text.\n\nFact: pool size: twelve").notes, []);
    assert_eq!(reading("Fact: a: b", ""), Err(NO_TEXT.into()));
}

#[test]
fn a_trailer_without_a_subject_is_a_note_before_that_of_the_prose() {
    let read = lesson(&format!("{RULE}\n\nWarn: slow\nFact: builds are offline\nWarning: slow"));
    let expected = [(Some(Prefix::Warning), "slow"), (None, "builds are offline"), (None, RULE)];
    assert_eq!((facts(&read).len(), notes(&read)), (0, expected.to_vec()));
    assert_eq!(read.notes[0].kind, NoteKind::Warning);
    assert_eq!([false, false, true], [0, 1, 2].map(|at| read.notes[at].is_prose));
    assert_eq!((read.notes[0].lead.as_str(), read.notes[2].lead.as_str()), ("slow", RULE));
    assert!(read.notes[2].weight >= TAKEN && read.notes[2].lead_weight >= TAKEN);
}

#[test]
fn supersedes_settles_the_statement_of_its_subject_only() {
    let read = lesson("Fact: pool size: twelve\nFact: wait: 2 s\nSupersedes: Pool  size\nSupersedes: colour");
    assert_eq!(facts(&read), [("pool size", "twelve", true), ("wait", "2 s", false)]);
    assert_eq!(read.supersedes, ["Pool size", "colour"]);
    assert_eq!(reading("a", "Supersedes: pool size"), Err(NO_TEXT.into()));
}

#[test]
fn the_same_is_stated_once() {
    assert_eq!(lesson("Fact: a: b\nLearned: a: b\nFact: a: c").facts.len(), 2);
}

#[test]
fn what_never_teaches_is_declined_whatever_it_states() {
    let stated = "Fact: pool size: twelve";
    let files = ["docs/brain/a/b.md", "docs/brain/c.md"];
    let base = told("a", stated, &files);
    let reason = |told: &CommitDescription<'_>| said(told).map_or_else(|why| why, |_| "lesson".to_owned());
    assert_eq!(reason(&base), "lesson");
    assert_eq!(reason(&CommitDescription { parents: 2, ..base }), "merge");
    assert_eq!(reason(&CommitDescription { in_repo_tree: Some("docs/brain"), ..base }), "knowledge only");
    assert_eq!(reason(&CommitDescription { in_repo_tree: Some("docs/br"), ..base }), "lesson");
    assert_eq!(reason(&CommitDescription { in_repo_tree: Some("docs/brain"), files: &[], ..base }), "lesson");
    let moved = ["docs/brain/a.md", "src/a.md"];
    assert_eq!(
        reason(&CommitDescription { in_repo_tree: Some("docs/brain/"), files: &moved, ..base }),
        "lesson"
    );
    for subject in ["fixup! pool", "squash! pool", "amend! pool"] {
        assert_eq!(reason(&CommitDescription { subject, ..base }), "fixup", "{subject}");
    }
    for skipped in [format!("{stated}\nbrv-skip: TRUE"), format!("* a\n\nBrv-Skip: true\n\n* b\n\n{stated}")]
    {
        assert_eq!(reason(&CommitDescription { body: &skipped, ..base }), "`Brv-Skip`");
    }
    let not_skipped = format!("{stated}\nBrv-Skip: false");
    assert_eq!(reason(&CommitDescription { body: &not_skipped, ..base }), "lesson");
}

#[test]
fn releases_and_spelling_teach_nothing_but_by_their_trailers() {
    for (subject, reason) in [
        ("release 1.2.3", "release"),
        ("v1.2.3", "release"),
        ("chore: prepare to release the store 2.1.0 (#12)", "release"),
        ("1.2.3 release", "release"),
        ("Fix typos", "typo"),
        ("docs: spelling of the pool", "typo"),
    ] {
        let body = if subject == "v1.2.3" { "" } else { RULE };
        assert_eq!(reading(subject, body), Err(reason.into()), "{subject}");
        assert!(reading(subject, "Fact: a: b").is_ok(), "{subject}");
    }
    for subject in [
        "release: keep notes",
        "Release the lock before waiting for the child",
        "typos in user input no longer crash the parser",
        "parser: extend the grammar",
        "search: add spelling correction",
        "pool: bump the limit to 3.2",
        "cargo fmt",
        "v1.2.3",
    ] {
        assert!(reading(subject, RULE).is_ok(), "{subject}");
    }
}

#[test]
fn updaters_and_generated_text_teach_nothing() {
    let by = |author: &str, address: &str, subject: &str, body: &str| {
        let files = ["a"];
        said(&CommitDescription { author, address, ..told(subject, body, &files) })
    };
    for (author, address, name) in [
        ("dependabot[bot]", "x@y", "dependabot"),
        ("A", "49699333+dependabot[bot]@users.noreply.github.com", "dependabot"),
        ("Renovate Bot", "x@y", "renovate"),
        ("Hosted Weblate", "x@y", "hosted weblate"),
        ("bors", "x@y", "bors"),
    ] {
        assert_eq!(by(author, address, "a", RULE), Err(format!("generated: {name}")));
        assert_eq!(by(author, address, "a", &format!("{RULE}\n\nFact: a: b")).unwrap().notes, []);
    }
    for (author, address) in [("Mendel", "mendel@x"), ("Copilot", "copilot@x"), ("borso", "x+bors@y")] {
        assert!(by(author, address, "a", RULE).is_ok(), "{author}");
    }
    for (body, name) in [
        ("Bumps [a](https://x) from 1 to 2.\n- [Commits](https://x)", "dependabot"),
        ("Bumps the npm group with 2 updates: [a](https://x).", "dependabot"),
        ("a\n\n---\nupdated-dependencies:\n- dependency-name: a", "dependabot"),
        ("This PR contains the following updates:\n\n| a |", "renovate"),
        ("updates:\n- [github.com/a/b: 1 \u{2192} 2](https://x)", "pre-commit-ci"),
        ("a\n\nSigned-off-by: renovate[bot] <x@y>", "renovate"),
        ("Currently translated at 12%", "weblate"),
    ] {
        let body = format!("{RULE}\n\n{body}");
        assert_eq!(reading("a", &body), Err(format!("generated: {name}")), "{body}");
        assert!(reading("a", &format!("{body}\n\nFact: a: b")).is_ok());
    }
    for subject in ["chore(deps): update a to 2", "ci: bump a/b from 3 to 4", "build: bump a from 3 to 4"] {
        let is_made = !subject.starts_with("ci");
        assert_eq!(reading(subject, "It is new.").unwrap_err() == "generated: update", is_made, "{subject}");
        assert!(reading(subject, RULE).is_ok(), "{subject}");
    }
}

#[test]
fn a_body_is_filed_if_its_sentences_give_reasons_or_rules() {
    assert_eq!(notes(&lesson(RULE)), [(None, RULE)]);
    let why = |best: i32| Err(format!("no sentence gives a reason, rule or limit (best {best} of 4)"));
    assert_eq!(reading("a", "This adds a pool and a test of the pool to the server."), why(-2));
    assert_eq!(reading("a", "```\nmust because\n```"), Err(NO_TEXT.into()));
    assert_eq!(reading("a", "Closes #12"), Err(NO_TEXT.into()));
    let read = lesson(&format!("- pool size: twelve at most\n- {RULE}"));
    assert_eq!((facts(&read), notes(&read)), (vec![], vec![(None, RULE)]));
    // only trailers of another language are read
    let japanese = "\u{5fc5}\u{305a}\u{518d}\u{8a66}\u{884c}\u{3059}\u{308b}\u{3002}".repeat(30);
    assert!(reading("a", &japanese).is_err());
    let fact = lesson(&format!("{japanese}\n\nFact: \u{518d}\u{8a66}\u{884c}: \u{4e8c}\u{56de}"));
    assert_eq!(
        (facts(&fact), fact.notes.len()),
        (vec![("\u{518d}\u{8a66}\u{884c}", "\u{4e8c}\u{56de}", false)], 0)
    );
}

#[test]
fn squashed_messages_are_read_one_by_one() {
    let read = lesson(&format!(
        "* pool limits\n\n{RULE}\nFact: no: trailer\n\nWarn: slow\n\n* only names\n\nFact: a: b"
    ));
    assert_eq!(facts(&read), [("a", "b", false)]);
    assert_eq!(read.notes[0].text, "slow");
    assert!(read.notes[1].text.starts_with(RULE));
    let generated = format!("* a\n\nBumps x from 1 to 2.\n\n* b\n\n{RULE}");
    assert_eq!(notes(&lesson(&generated)), [(None, RULE)]);
    let git = format!(
        "commit 0123456789abcdef0123456789abcdef01234567\nAuthor: A <a@b>\n\n    pool: one\n\n    {RULE}\n"
    );
    let read = reading("Squashed commit of the following:", &git).unwrap();
    assert_eq!((notes(&read), read.title.as_deref()), (vec![(None, RULE)], Some("one")));
    assert_eq!(reading("a", "* fix the lock\n\n* tests: must be so because"), Err(NO_TEXT.into()));
}

#[test]
fn a_text_that_begins_as_a_prefix_does_has_that_prefix() {
    let read = lesson(&format!("Rule: {RULE}"));
    assert_eq!((notes(&read), read.notes[0].kind), (vec![(Some(Prefix::Rule), RULE)], NoteKind::Rule));
    let read = lesson(&format!("reverted 2026-01-01: {RULE} {RULE}"));
    assert_eq!((read.notes[0].prefix, read.notes[0].text.starts_with(RULE)), (None, true));
}

#[test]
fn the_title_is_missing_where_the_subject_says_nothing() {
    let title = |subject: &str| reading(subject, RULE).unwrap().title;
    assert_eq!(title("feat(pool)!: hold\ntwelve (#12)").as_deref(), Some("hold twelve"));
    assert_eq!((title("\u{1f389}"), title("")), (None, None));
    assert_eq!(reading("pool: a  b", RULE).unwrap().task, "pool: a b");
    assert_eq!(Lesson::of_facts("\u{1f389}", Vec::new()).title, None);
}

#[test]
fn prose_is_what_stands_outside_trailers() {
    assert_eq!(text_of("a\nb\n\nFact: c: d\n\n- e\n\nSigned-off-by: f"), "a b\ne");
}

/// What takes time by the square of its length would take minutes.
#[test]
fn long_bodies_and_lines_are_read_in_linear_time() {
    let line = format!("{RULE} ").repeat(1_000);
    for body in [
        format!("{RULE}\n\n").repeat(9_000),
        format!("{line}\n").repeat(8),
        "<!-- a\n".repeat(50_000),
        "a <!-- <details> `".repeat(60_000),
        "</details <details> ".repeat(50_000),
        "Key: a\n# b\n".repeat(20_000),
        "Fact: a\n".repeat(30_000),
        "* a\n\n".repeat(50_000),
        "[".repeat(1_000_000),
        "[a](b ".repeat(50_000),
        "reverts ".repeat(30_000),
        "#1 ".repeat(60_000),
        "a. ".repeat(60_000),
        "`a\n".repeat(60_000),
        "x".repeat(1_000_000),
        "\u{0}\u{202e}\u{1f389} ".repeat(100_000),
    ] {
        let start = std::time::Instant::now();
        let _ = reading("pool", &body);
        let _ = reverts("pool", &body);
        let took = start.elapsed();
        assert!(took.as_secs() < 20, "{took:?}: {}", body.chars().take(40).collect::<String>());
    }
    // a sentence of more than 2,000 characters is dropped
    let long = format!("It must be so because {}.", "x ".repeat(1_000));
    assert_eq!(reading("a", &long), Err(NO_TEXT.into()));
}
