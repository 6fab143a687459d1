//! Tests of whole messages.

use super::*;

const RULE: &str = "The pool must never grow beyond twelve connections, because the database of the small plan refuses \
    the thirteenth. A worker that gets none waits for two seconds and fails, otherwise the queue behind it would stall and \
    every request of that minute would be lost.";

fn file(path: &str) -> File<'_> {
    File { path, status: 'M', new_path: None }
}

fn told<'a>(subject: &'a str, body: &'a str, files: &'a [File<'a>]) -> Told<'a> {
    Told { subject, body, files, parents: 1, in_repo_tree: None }
}

fn reading(subject: &str, body: &str) -> Result<Lesson, String> {
    let files = [file("src/pool.rs")];
    match read(&told(subject, body, &files)) {
        Reading::Lesson(lesson) => Ok(lesson),
        Reading::Declined(reason) => Err(reason.to_string()),
    }
}

fn lesson(body: &str) -> Lesson {
    reading("pool: hold twelve", body).unwrap()
}

fn facts(lesson: &Lesson) -> Vec<(Option<&str>, &str, bool)> {
    lesson.facts.iter().map(|one| (one.subject.as_deref(), one.statement.as_str(), one.settles)).collect()
}

const NO_TEXT: &str = "states nothing: no text besides subject and trailers";
const NO_WORDS: &str = "states nothing: fewer than 40 words, and no list";
const NO_PROSE: &str = "states nothing: only code, quotes, logs or addresses";

#[test]
fn trailers_are_facts_exactly_and_the_body_counts_as_well() {
    let trailers = "Fact: pool size: twelve\nRejected: growing pool | the plan\n  refuses it\nTested: yes";
    let read = lesson(trailers);
    let expected = vec![
        (Some("pool size"), "twelve", false),
        (Some("growing pool"), "rejected: the plan refuses it", false),
    ];
    assert_eq!((facts(&read), read.prose.as_deref()), (expected.clone(), None));
    let read = lesson(&format!("{RULE}\n\n{trailers}\n\nSigned-off-by: A <a@b>"));
    assert_eq!((facts(&read), read.prose.as_deref()), (expected, Some(RULE)));
    assert_eq!(lesson("Short text.\n\nFact: pool size: twelve").prose, None);
    assert_eq!(reading("Fact: a: b", ""), Err(NO_TEXT.into()));
}

#[test]
fn supersedes_settles_the_statement_of_its_subject_only() {
    let read = lesson("Fact: pool size: twelve\nFact: wait: 2 s\nSupersedes: Pool  size\nSupersedes: colour");
    assert_eq!(facts(&read), [(Some("pool size"), "twelve", true), (Some("wait"), "2 s", false)]);
    assert_eq!(read.supersedes, ["Pool size", "colour"]);
    assert_eq!(reading("a", "Supersedes: pool size"), Err(NO_TEXT.into()));
}

#[test]
fn the_same_fact_is_stated_once() {
    assert_eq!(lesson("Fact: a: b\nLearned: a: b\nFact: a: c").facts.len(), 2);
}

#[test]
fn what_never_teaches_is_declined_whatever_it_states() {
    let stated = "Fact: pool size: twelve";
    let files =
        [file("docs/brain/a/b.md"), File { new_path: Some("docs/brain/c.md"), ..file("docs/brain/a.md") }];
    let base = told("a", stated, &files);
    let reason = |told: &Told<'_>| match read(told) {
        Reading::Lesson(_) => "lesson".to_owned(),
        Reading::Declined(reason) => reason.to_string(),
    };
    assert_eq!(reason(&base), "lesson");
    assert_eq!(reason(&Told { parents: 2, ..base }), "merge");
    assert_eq!(reason(&Told { in_repo_tree: Some("docs/brain"), ..base }), "knowledge only");
    assert_eq!(reason(&Told { in_repo_tree: Some("docs/br"), ..base }), "lesson");
    assert_eq!(reason(&Told { in_repo_tree: Some("docs/brain"), files: &[], ..base }), "lesson");
    let moved = [File { new_path: Some("src/a.md"), ..file("docs/brain/a.md") }];
    assert_eq!(reason(&Told { in_repo_tree: Some("docs/brain/"), files: &moved, ..base }), "lesson");
    for subject in ["fixup! pool", "squash! pool", "amend! pool"] {
        assert_eq!(reason(&Told { subject, ..base }), "fixup", "{subject}");
    }
    let skipped = format!("{stated}\nbrv-skip: TRUE");
    assert_eq!(reason(&Told { body: &skipped, ..base }), "`Brv-Skip`");
    let not_skipped = format!("{stated}\nBrv-Skip: false");
    assert_eq!(reason(&Told { body: &not_skipped, ..base }), "lesson");
}

#[test]
fn the_subject_declines_what_has_no_fact_trailer() {
    for (subject, reason) in [
        ("release 1.2.3", "version bump"),
        ("v1.2.3", "version bump"),
        ("Release v2.0", "version bump"),
        ("brv-core 0.4.1", "version bump"),
        ("chore(deps): bump serde from 1.0.1 to 1.0.2", "version bump"),
        ("build(deps-dev): update eslint", "version bump"),
        ("ci: bump actions/cache from 3 to 4", "version bump"),
        ("chore: prepare to release the store 2.1.0 (#12)", "version bump"),
        ("deps: update everything", "version bump"),
        ("Update dependencies", "version bump"),
        ("pool: upgrade the driver to 3.2", "version bump"),
    ] {
        assert_eq!(reading(subject, RULE), Err(reason.into()), "{subject}");
        assert!(reading(subject, "Fact: a: b").is_ok(), "{subject}");
    }
    for subject in ["cargo fmt", "chore: run prettier", "style: align", "Reformat", "pool: rustfmt"] {
        assert_eq!(reading(subject, "Only blanks."), Err("formatting".into()), "{subject}");
        assert!(reading(subject, RULE).is_ok(), "{subject}");
    }
    for subject in [
        "pool: update limits",
        "Use version 2 of the protocol",
        "release the lock early",
        "Add fmt::Display",
        "drop 3.7",
        "update the wait to 1.5 s",
    ] {
        assert!(reading(subject, RULE).is_ok(), "{subject}");
        assert_eq!(reading(subject, ""), Err(NO_TEXT.into()), "{subject}");
    }
}

#[test]
fn files_that_others_wrote_teach_nothing() {
    let reason = |paths: &[&str]| {
        let files: Vec<File<'_>> = paths.iter().map(|path| file(path)).collect();
        matches!(read(&told("a", RULE, &files)), Reading::Declined(Reason::Vendored))
    };
    assert!(reason(&["vendor/x/a.c", "web/node_modules/b.js", "third_party/c"]));
    assert!(reason(&["Cargo.lock", "web/yarn.lock"]));
    assert!(!reason(&["vendor/x/a.c", "src/a.rs"]));
    assert!(!reason(&["src/vendor"]) && !reason(&["src/vendors/a.rs"]) && !reason(&[]));
}

#[test]
fn a_body_is_filed_if_it_is_long_enough_and_gives_reasons_or_rules() {
    assert_eq!(lesson(RULE).prose.as_deref(), Some(RULE));
    assert_eq!(reading("a", "It must be so, because it never was."), Err(NO_WORDS.into()));
    let steps = "This adds a pool and a test of the pool. ".repeat(6);
    assert_eq!(reading("a", &steps), Err("tells steps, no rule or reason".into()));
    let read = lesson("- pool size: twelve at most\n- waits two seconds\n\nMore is refused.");
    assert_eq!(facts(&read), [(Some("pool size"), "twelve at most", false)]);
    assert_eq!(read.prose.as_deref(), Some("- waits two seconds\n\nMore is refused."));
    assert_eq!(reading("a", "- faster\n- smaller"), Err("tells steps, no rule or reason".into()));
}

#[test]
fn what_programs_and_forms_write_is_no_body() {
    let long = "one two three four five six seven eight nine ten because it must ".repeat(5);
    for body in [
        format!("Squashed commit of the following:\n\ncommit 0123\n\n    {long}"),
        format!("Bumps [x](https://x) from 1 to 2.\n- [Release notes](https://x)\n\n{long}"),
        format!("# 1.2.3 (May 4)\n\n{long}"),
        "* fix the lock\n\n* tests: add one more\n\n* Renamed the pool".to_owned(),
        "* pool limits\n\n* review: only names".to_owned(),
        "## Description\n\n<!-- Say what and why, because reviewers must know. -->\n\n## Checklist\n\n- [x] tests\n- [ ] docs"
            .to_owned(),
        "# Please enter the commit message for your changes.".to_owned(),
    ] {
        assert_eq!(reading("a", &body), Err("template".into()), "{body}");
    }
    assert_eq!(lesson("* pool size: twelve").facts.len(), 1);
    let squash = format!("* pool limits\n\n{RULE}\n\n* only names");
    assert_eq!(lesson(&squash).prose, Some(squash));
    // a form that is filled in
    let read = lesson(&format!("## Motivation\n\n<!-- why -->\n{RULE}\n\n## Checklist\n\n- [x] tests"));
    assert_eq!(read.prose.unwrap(), format!("Motivation\n\n{RULE}\n\nChecklist"));
}

#[test]
fn code_logs_and_addresses_are_no_words_and_a_patch_is_no_text() {
    let line = "let one = two + three; // must never be changed because four is not five";
    for lines in [
        format!("```\n{}```", format!("{line}\n").repeat(9)),
        format!("    {line}\n").repeat(9),
        format!("2024-01-02T03:04:05 {line}\n").repeat(9),
        format!("> {line}\n").repeat(9),
        "https://a.b/because/must/never\n".repeat(60),
    ] {
        // lines that begin with a time are read as trailers
        let why = reading("a", &lines).unwrap_err();
        assert!([NO_PROSE, NO_TEXT].contains(&why.as_str()), "{why}: {lines}");
    }
    let patch = "diff --git a/x b/x\nindex 12..34 100644\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@ fn x\n same\n-old\n+new\n \n";
    assert_eq!(lesson(&format!("{patch}\n{RULE}")).prose.as_deref(), Some(RULE));
    let indented = patch.replace('\n', "\n    ");
    assert_eq!(lesson(&format!("{RULE}\n\n    {indented}")).prose.as_deref(), Some(RULE));
    assert_eq!(lesson(&format!("{RULE}\n\n```diff\n-a\n+b\n```")).prose.as_deref(), Some(RULE));
    let conflict = "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs";
    assert_eq!(lesson(&format!("{RULE}\n\n{conflict}")).prose.unwrap(), format!("{RULE}\n\na\nb"));
}

#[test]
fn markup_that_would_break_an_entry_is_made_text() {
    let read = |text: &str| {
        lesson(&format!("{RULE}\n\n{text}")).prose.unwrap().split_off(RULE.len()).trim().to_owned()
    };
    assert_eq!(read("## Facts\n\n- a"), "Facts\n\n- a");
    assert_eq!(read("Title\n====="), "Title");
    assert_eq!(read("---\nx"), "x");
    assert_eq!(read("<div>\nx"), "\\<div>\nx");
    assert_eq!(read("<!-- open"), "\\<!-- open");
    assert_eq!(read("a <!-- gone --> b"), "a  b");
    assert_eq!(read("Closes #12, fixes #13\n[1]: https://a.b\nThis reverts commit 0123456789abcdef."), "");
    assert_eq!(read("a\0b\r\nc"), "ab\nc");
    assert_eq!(read("```\nopen"), "```\nopen\n```");
}

#[test]
fn prose_is_cut_at_a_line_end_within_two_thousand_characters() {
    let line = "漢字 must be kept because é is not ascii, and this line is one of very many\n";
    let prose = lesson(&line.repeat(60)).prose.unwrap();
    assert!(prose.chars().count() <= 2_000 && prose.chars().count() > 1_900);
    assert_eq!(prose.replace(line, ""), "…");
    let one = format!("must because {}", "漢 ".repeat(3_000));
    let text = one.clone() + RULE;
    let prose = lesson(&text).prose.unwrap();
    assert!(prose.ends_with("\n…") && prose.chars().count() <= 2_000, "{}", prose.len());
    let fenced = format!("{RULE}\n\n```\n{}```", "code\n".repeat(600));
    let prose = lesson(&fenced).prose.unwrap();
    assert!(prose.ends_with("code\n```\n…") && prose.chars().count() <= 2_000);
    let fits = format!("{RULE}\n{}", "x".repeat(1_999 - RULE.len()));
    assert_eq!(lesson(&fits).prose.as_deref(), Some(&*fits));
}

#[test]
fn the_title_is_the_subject_without_type_and_numbers() {
    for (subject, title) in [
        ("feat(pool)!: hold twelve (#12)", "hold twelve"),
        ("fix: a (b) (#1) (!23)", "a (b)"),
        ("pool: hold twelve", "pool: hold twelve"),
        ("Fix: x", "x"),
        ("fix(#12): ", "fix(#12):"),
        ("(#12)", "(#12)"),
        ("two\nlines", "two lines"),
        ("", "Commit without a subject"),
    ] {
        let read = reading(subject, RULE).unwrap();
        assert_eq!(read.title, title, "{subject}");
    }
    let long = "words and ".repeat(40);
    let read = reading(&long, RULE).unwrap();
    assert!(read.title.len() <= 100 && read.title.ends_with("and"), "{}", read.title);
    assert_eq!(read.task, long.trim());
}

#[test]
fn what_git_writes_above_squashed_commits_is_a_template() {
    let told = Told {
        subject: "Squashed commit of the following:",
        body: "commit 1\n\n    one\n",
        files: &[],
        parents: 1,
        in_repo_tree: None,
    };
    assert_eq!(read(&told), Reading::Declined(Reason::Template));
}
