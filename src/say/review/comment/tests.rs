use super::*;
use crate::say::review::samples::{Sampled as _, check, commit, finding, warning};
use brv_commands::vc::check::{Finding, Flagged};

#[test]
fn the_comment_begins_with_its_marker_and_the_result() {
    let check = check(&[("auth/a.md", None, Some("# A\n\n## Facts\n\n- **x**: one\n"))])
        .finding(vec![finding("BRV006", "auth/a.md"), warning("BRV007", "auth/a.md")]);
    let text = comment(&check);
    let expected = "<!-- brv:review -->\n## ❌ Knowledge check failed: 1 error, 1 warning\n\n**+1 fact · 1 secret · +7 tokens**\n\n1 entry: 1 new · `main (1111111)` → `HEAD (2222222)`\n\n### Findings\n";
    assert!(text.starts_with(expected), "{text}");
    assert_eq!(text.strip_prefix("<!-- brv:review -->\n"), Some(summary(&check).as_str()));
}

#[test]
fn nothing_is_said_of_what_is_not_there() {
    let text = comment(&check(&[]));
    assert_eq!(
        text,
        "<!-- brv:review -->\n## ✅ Knowledge check passed\n\n**+0 facts · 0 secrets**\n\nNo entry changed · `main (1111111)` → `HEAD (2222222)`\n\n---\n\n**Next:** `brv vc check 111111111111..222222222222` shows this on your machine.\n"
    );
}

#[test]
fn it_is_said_if_something_else_than_an_error_decides() {
    let mut warned = check(&[]).finding(vec![warning("BRV004", "a.md")]);
    warned.fails = true;
    assert!(comment(&warned).contains(" · warnings fail this check\n"));
    let mut free = check(&[]).finding(vec![finding("BRV001", "a.md")]);
    free.fails = false;
    assert!(comment(&free).contains("## ⚠️ Knowledge check passed: 1 error\n"));
    assert!(comment(&free).contains(" · nothing fails this check\n"));
}

#[test]
fn changed_facts_are_no_markup_in_the_verdict_line() {
    let before = "# T\n\n## Facts\n\n- **ttl**: tokens live 24 hours\n";
    let text = comment(&check(&[("a.md", Some(before), Some(&before.replace("24", "12")))]));
    assert!(text.contains("**+0 facts \\~1 changed · 0 secrets**"), "{text}");
}

#[test]
fn repairs_are_the_next_step_and_the_baseline_is_counted() {
    let fixed = Finding { fix: Some("taken out".into()), ..finding("BRV008", "a.md") };
    let mut check = check(&[]).finding(vec![fixed]);
    check.baselined = 3;
    let text = comment(&check);
    assert!(text.contains(" · 3 known findings in the baseline\n"), "{text}");
    assert!(text.ends_with("**Next:** on the branch of this change, `brv vc check --fix` fixes 1 finding, and shows what it changes.\n"));
}

/// A change set that needs many times the room that there is.
fn huge(entries: usize) -> Check {
    let long = "令牌 👩\u{200d}👧 words ".repeat(100);
    let files: Vec<(String, String)> = (0..entries)
        .map(|number| {
            (
                format!("domain{}/entry{number}.md", number % 7),
                format!("# Entry {number}\n\n{long}{number}\n"),
            )
        })
        .collect();
    let versions: Vec<_> =
        files.iter().map(|(path, text)| (path.as_str(), None, Some(text.as_str()))).collect();
    let findings = files.iter().map(|(path, _)| Finding { message: long.clone(), ..finding("BRV008", path) });
    let mut check = check(&versions).finding(findings.collect());
    check.cut = 5;
    check.commits = (0..300).map(|_| commit("4", &long)).collect();
    let flag = |(path, _): &(String, String)| Flagged {
        operation: String::new(),
        path: path.clone(),
        why: long.clone(),
        reason: Some(long.clone()),
    };
    check.flagged = files.iter().map(flag).collect();
    check
}

#[test]
fn the_comment_never_gets_too_long_and_says_what_was_cut() {
    for (entries, words) in [(30, " entries without their changes, "), (400, " entries, ")] {
        let text = comment(&huge(entries));
        let length = length(&text);
        assert!((MAX_LENGTH * 9 / 10..=MAX_LENGTH).contains(&length), "the room is used: {length}");
        assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
        let (_, end) = text.rsplit_once("\n---\n\n").unwrap();
        assert!(end.contains(words) && end.contains(" other lines. "), "{end}");
        assert!(end.contains("`brv vc check 111111111111..222222222222` lists the findings, "), "{end}");
        let shown = text.matches("**hidden character** `").count();
        assert!(
            end.starts_with(&format!("✂️ Cut to fit: {} findings, ", entries + 5 - shown)),
            "{shown}: {end}"
        );
    }
}

#[test]
fn a_comment_made_from_json_is_the_same() {
    let unnamed = |mut check: Check| {
        (check.before.name, check.after.name) = (None, None);
        check
    };
    let before = "---\ntitle: T\n---\n# T\n\nA word.\n\n## Facts\n\n- **ttl**: 24 hours\n";
    let files = [
        (
            "a.md",
            Some(before),
            Some(before.replace("24", "12").replace("title: T", "title: U").replace("A word", "One word")),
        ),
        ("b.md", Some(before), None),
        ("c.txt", Some("x\ny\n"), Some("x\nz".to_owned())),
    ];
    let files: Vec<_> =
        files.iter().map(|(path, before, after)| (*path, *before, after.as_deref())).collect();
    let makes: [&dyn Fn() -> Check; 2] = [&|| huge(30), &|| check(&files)];
    for make in makes {
        let made = || {
            let mut check = unnamed(make());
            check.cut = 0;
            check
        };
        let mut direct = made();
        direct.verdict = made().printed().verdict;
        assert_eq!(comment(&made().printed()), comment(&direct));
    }
}
