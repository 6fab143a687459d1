//! Prints what `brv vc check` found, for a terminal: the findings as a compiler prints them, what the change does to the
//! entries around it, the entries in a line each, and the result.
//!
//! The files for pull requests and other programs are made in [`crate::say::review`]; words and order are those of it.

use super::knowledge;
use super::ui::{Screen, Style};
use crate::say::review::verdict::{self, Ending, standing};
use crate::say::review::{findings, is_error, is_of_tree, title};
use crate::say::words::many;
use brv_base::escape::quote_path;
use brv_commands::vc::check::{BrokenLink, Cited, Finding, Outcome as Check};

pub fn baseline(screen: &mut Screen, check: &Check) {
    let count = check.findings.len() + check.cut + check.baselined;
    let what = many(count, "finding", "findings");
    match check.fixed.as_ref().is_some_and(|fixed| !fixed.files.is_empty()) {
        true => screen.line(format!("Wrote brv.baseline.json: {what}")),
        false => screen.line(format!("brv.baseline.json is up to date: {what}")),
    };
}

/// Print the check, after what it wrote.
pub fn text(screen: &mut Screen, check: &Check) {
    if let Some(fixed) = &check.fixed {
        knowledge::text(screen, &fixed.told.entries, &fixed.told.files);
        for file in &fixed.files {
            let what = match file.rules.as_slice() {
                [] => "Wrote".to_owned(),
                rules => format!("Fixed {} in", rules.join(", ")),
            };
            screen.text(Style::Good, what).plain(" ");
            path(screen, Style::Plain, &file.path).end();
        }
        if !fixed.files.is_empty() {
            screen.end();
        }
    }
    for finding in findings(check) {
        self::finding(screen, finding);
    }
    if check.cut > 0 {
        screen.line(format!("and {}", many(check.cut, "more finding", "more findings")));
    }
    if !check.findings.is_empty() {
        screen.end();
    }
    let bad = (Style::Notable, "!");
    part(screen, "Flagged for review:", bad, &check.flagged, |screen, flagged| {
        path(screen, Style::Plain, &flagged.path).plain(": ").word(Style::Plain, &flagged.why);
        if let Some(reason) = &flagged.reason {
            screen.plain(" — ").word(Style::Plain, reason);
        }
    });
    let around = &check.consequences;
    part(screen, "Links that break:", bad, &around.broken, link);
    part(screen, "Links that work now:", (Style::Good, "+"), &around.mended, link);
    part(screen, "Changed under entries that cite them:", (Style::Notable, "~"), &around.cited, cited);
    if !check.told.entries.is_empty() {
        screen.text(Style::Strong, "Entries:").end();
        knowledge::account(screen, &check.told.entries, &check.told.files);
        screen.end();
    }
    result(screen, check);
}

/// `error[BRV006] auth/x.md:12:5 secret: AWS access key **** (4f0a11c29d3e5b77)`
fn finding(screen: &mut Screen, finding: &Finding) {
    let style = if is_error(finding) { Style::Bad } else { Style::Notable };
    screen.text(style, format!("{}[{}]", finding.severity, finding.rule)).plain(" ");
    if is_of_tree(finding) {
        screen.text(Style::Strong, "tree");
    } else {
        path(screen, Style::Strong, &finding.path);
        screen.text(Style::Strong, format!(":{}:{}", finding.line, finding.column));
    }
    screen.plain(" ").plain(title(finding)).plain(": ").word(Style::Plain, &finding.message);
    screen.plain(" ").word(Style::Dim, format!("({})", finding.fingerprint)).end();
    if let Some(standing) = standing(finding) {
        screen.plain("    ").word(Style::Plain, standing).end();
    }
    if let Some(fix) = &finding.fix {
        screen.plain("    --fix: ").word(Style::Plain, fix).end();
    }
}

/// A heading, a line for each row after its sign, and an empty line; nothing without rows. A line never begins with text
/// from the tree: a CI server would take `::error` there for its own command.
fn part<T>(
    screen: &mut Screen,
    heading: &str,
    (style, sign): (Style, &str),
    rows: &[T],
    draw: impl Fn(&mut Screen, &T),
) {
    if rows.is_empty() {
        return;
    }
    screen.text(Style::Strong, heading).end();
    for row in rows {
        draw(screen.plain(" ").text(style, sign).plain(" "), row);
        screen.end();
    }
    screen.end();
}

fn link(screen: &mut Screen, link: &BrokenLink) {
    path(screen, Style::Plain, &link.path).plain(" -> ");
    path(screen, Style::Plain, &link.target);
}

fn path<'s>(screen: &'s mut Screen, style: Style, path: &str) -> &'s mut Screen {
    screen.text(style, quote_path(path.as_bytes()).as_bytes())
}

fn cited(screen: &mut Screen, cited: &Cited) {
    path(screen, Style::Plain, &cited.path);
    screen.text(Style::Dim, format!(" (by {})", many(cited.by.len(), "entry", "entries")));
}

/// The change in numbers, and how the check ends.
fn result(screen: &mut Screen, check: &Check) {
    if check.baselined > 0 {
        let findings = many(check.baselined, "finding is", "findings are");
        screen.line(format!("{findings} in the baseline and not listed."));
    }
    screen.plain(verdict::entries(check.verdict.entries)).plain(" · ").line(verdict::line(&check.verdict));
    let style = match Ending::of(check) {
        Ending::Clean => Style::Good,
        Ending::Passed => Style::Notable,
        Ending::Failed => Style::Bad,
    };
    screen.text(style, verdict::headline(check)).end();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::ui::{Colour, ScreenKind, drawn};
    use crate::say::review::nasty;
    use crate::say::review::samples::{Sampled as _, check, finding as error, warning};
    use brv_base::escape::is_harmless;
    use brv_commands::vc::check::{Consequences, Flagged};

    fn shown(check: &Check) -> String {
        drawn(ScreenKind::Terminal, Colour::Off, |screen| text(screen, check))
    }

    #[test]
    fn findings_read_as_those_of_a_compiler() {
        let secret = Finding {
            line: 12,
            column: 5,
            message: "AWS access key ****".into(),
            standing: "corrected",
            commit: Some("3".repeat(40)),
            ..error("BRV006", "auth/x.md")
        };
        let link = Finding { fix: Some("link to b.md".into()), ..warning("BRV004", "a b\n.md") };
        let mut check = check(&[]).finding(vec![link, error("BRV009", "."), secret]);
        (check.cut, check.baselined) = (2, 1);
        assert_eq!(
            shown(&check),
            concat!(
                "error[BRV006] auth/x.md:12:5 secret: AWS access key **** (00112233445566ff)\n",
                "    corrected later, but still in commit 3333333\n",
                "error[BRV009] tree mass deletion: something is wrong (00112233445566ff)\n",
                "warning[BRV004] \"a b\\n.md\":1:1 broken link: something is wrong (00112233445566ff)\n",
                "    --fix: link to b.md\n",
                "and 2 more findings\n\n",
                "1 finding is in the baseline and not listed.\n",
                "No entry changed · +0 facts · 1 secret\n",
                "Knowledge check failed: 2 errors, 1 warning\n",
            )
        );
    }

    #[test]
    fn the_entries_and_what_is_around_them_follow() {
        let before = "# T\n\n## Facts\n\n- **ttl**: tokens live 24 hours\n";
        let mut check = check(&[("auth/t.md", Some(before), Some(&before.replace("24", "12")))]);
        let link = |path: &str, target: &str| BrokenLink { path: path.into(), target: target.into() };
        check.consequences = Consequences {
            broken: vec![link("a.md", "gone.md")],
            mended: vec![link("b.md", "new.md")],
            cited: vec![Cited { path: "auth/t.md".into(), by: vec!["c.md".into(), "d.md".into()] }],
        };
        let why = "two sources disagree".to_owned();
        check.flagged =
            vec![Flagged { operation: String::new(), path: "auth/t.md".into(), why, reason: None }];
        assert_eq!(
            shown(&check),
            concat!(
                "Flagged for review:\n ! auth/t.md: two sources disagree\n\n",
                "Links that break:\n ! a.md -> gone.md\n\n",
                "Links that work now:\n + b.md -> new.md\n\n",
                "Changed under entries that cite them:\n ~ auth/t.md (by 2 entries)\n\n",
                "Entries:\n ~ auth/t  1 fact changed (ttl)\n\n",
                "1 entry: 1 changed · +0 facts ~1 changed · 0 secrets\n",
                "Knowledge check passed\n",
            )
        );
    }

    #[test]
    fn no_value_leaves_its_line_or_acts_on_a_terminal() {
        let lines = shown(&nasty::check("word")).lines().count();
        for value in nasty::values() {
            let text = shown(&nasty::check(&value));
            assert!(text.split('\n').all(is_harmless), "{text:?}");
            assert_eq!(text.lines().count(), lines, "{text}");
            assert!(!text.lines().any(|line| line.trim_start().starts_with("::")), "{text}");
        }
    }

    #[test]
    fn an_error_is_red_and_a_warning_is_not() {
        let check = check(&[]).finding(vec![error("BRV001", "a.md"), warning("BRV004", "a.md")]);
        let text = drawn(ScreenKind::Terminal, Colour::On, |screen| text(screen, &check));
        assert!(
            text.contains("\u{1b}[31merror[BRV001]\u{1b}[m")
                && text.contains("\u{1b}[33mwarning[BRV004]\u{1b}[m")
        );
    }
}
