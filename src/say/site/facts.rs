//! What an entry states: its facts with who stated each, what is disputed, and the forms that change them.

use super::form::{self, SiteAct, SiteForms};
use super::frame::PageFrame;
use super::past::by;
use super::view::EntryView;
use crate::say::sheet::Sheet;
use brv_commands::vc::blame::{BlamedCommit, Outcome as Blame};
use brv_text::doc::{self, Dispute, Document, Fact};
use brv_text::lint::secrets;
use std::borrow::Cow;

/// The claims of what is disputed, and a choice between them.
pub(super) fn disputes(sheet: &mut Sheet, frame: &PageFrame<'_>, view: &EntryView<'_>, document: &Document) {
    for dispute in doc::disputes(document) {
        sheet.own("<div class=\"note\"><p><strong>Disputed:</strong> ").value(&dispute.subject).own("</p>\n");
        match view.seen().filter(|_| frame.forms.may(SiteAct::Settle) && is_plain(&dispute.subject)) {
            Some(seen) => settling(sheet, &frame.forms, (&view.piece.path, &seen), &dispute),
            None => {
                sheet.own("<ol>\n");
                for claim in &dispute.claims {
                    sheet.own("<li dir=\"auto\">").value(&claim.statement).own("</li>\n");
                }
                sheet.own("</ol>");
            }
        }
        sheet.own("</div>\n");
    }
}

fn settling(sheet: &mut Sheet, forms: &SiteForms<'_>, (path, seen): (&str, &str), dispute: &Dispute) {
    let about = [("path", path), ("seen", seen), ("fact", &dispute.subject)];
    forms.write(sheet, SiteAct::Settle, &about, |sheet| {
        sheet.own("<fieldset><legend class=\"sr\">What holds</legend>\n");
        for (number, claim) in dispute.claims.iter().enumerate() {
            sheet.own("<label class=\"choice\"><input type=\"radio\" name=\"keep\" value=\"").number(number + 1);
            sheet.own("\" required> <span dir=\"auto\">").value(&claim.statement).own("</span></label>\n");
        }
        sheet.own("<label class=\"choice\"><input type=\"radio\" name=\"keep\" value=\"all\"> both hold</label>\n");
        sheet.own("<label class=\"choice\"><input type=\"radio\" name=\"keep\" value=\"text\"> something else:</label>\n");
        form::field(sheet, "text", "Statement", &format!("settle {path} {}", dispute.subject), "");
        sheet.own("</fieldset>");
        form::button(sheet, SiteAct::Settle.label());
    });
}

/// The facts, of which `blame` says who stated each.
pub(super) fn facts(
    sheet: &mut Sheet,
    frame: &PageFrame<'_>,
    view: &EntryView<'_>,
    document: &Document,
    blame: Option<&Blame>,
) {
    let facts = document.facts();
    if facts.is_empty() {
        return;
    }
    let original = Document::parse(view.piece.text.clone()).facts();
    let disputed: Vec<String> = doc::disputes(document).into_iter().map(|dispute| dispute.subject).collect();
    sheet.own("<section aria-labelledby=\"facts\">\n<h2 id=\"facts\">Facts</h2>\n<dl class=\"facts\">\n");
    for (number, fact) in facts.iter().enumerate() {
        let subject = fact.subject.as_deref();
        sheet.own("<div><dt dir=\"auto\">").value(subject.unwrap_or("–")).own("</dt><dd dir=\"auto\">");
        sheet.value(&fact.statement);
        if let Some(category) = fact.category {
            sheet.own(" <span class=\"cat\">").own(category.as_str()).own("</span>");
        }
        sheet.own("</dd>");
        let commit = blame.and_then(|blame| stated(blame, document.line_of_body(fact.span.start)));
        // a form replaces all facts of a subject
        let is_one = facts.iter().filter(|other| other.subject.as_deref() == subject).count() == 1;
        let may = is_one && subject.is_some_and(|subject| !disputed.iter().any(|known| known == subject));
        // what is masked cannot be sent back
        let is_whole = original.get(number).is_some_and(|known| is_same(known, fact));
        let fixes = may && is_whole && frame.forms.may(SiteAct::Fix);
        if commit.is_some() || fixes {
            sheet.own("<dd class=\"by\">");
            if let Some(commit) = commit {
                by(sheet, frame.addresses, commit);
                if let Some(subject) = subject.filter(|_| view.at.is_none()) {
                    let before = frame.addresses.stated(&view.piece.path, subject);
                    sheet
                        .own(" · <a href=\"")
                        .bare(before)
                        .own("\">before<span class=\"sr\"> of ")
                        .value(subject);
                    sheet.own("</span></a>");
                }
            }
            if let Some(seen) = view.seen().filter(|_| fixes) {
                fixing(sheet, &frame.forms, (&view.piece.path, &seen), fact);
            }
            sheet.own("</dd>");
        }
        sheet.own("</div>\n");
    }
    sheet.own("</dl>\n</section>\n");
}

/// The subjects that can be named in a form.
pub(super) fn subjects(document: &Document) -> Vec<String> {
    let mut subjects: Vec<String> = document.facts().into_iter().filter_map(|fact| fact.subject).collect();
    subjects.retain(|subject| is_plain(subject));
    subjects.dedup();
    subjects
}

/// The text without a section that has nothing but facts: they stand above it.
pub(super) fn without<'t>(body: &'t str, facts: &[Fact]) -> Cow<'t, str> {
    let (mut text, mut at) = (String::new(), 0);
    let mut sections: Vec<(usize, usize)> = Vec::new();
    let (mut begun, mut is_told) = (None, false);
    for line in body.split_inclusive('\n') {
        let is_fact = facts.iter().any(|fact| fact.span.contains(&at));
        let is_heading = line.starts_with('#') && !is_fact;
        if is_heading || !(is_fact || line.trim().is_empty()) {
            let whole = begun.take().filter(|_| is_told && is_heading);
            sections.extend(whole.map(|from| (from, at)));
            let name = line.trim_start_matches('#').trim();
            begun = (is_heading && name.eq_ignore_ascii_case("facts")).then_some(at);
            is_told = false;
        }
        is_told |= is_fact;
        at += line.len();
    }
    sections.extend(begun.filter(|_| is_told).map(|from| (from, at)));
    if sections.is_empty() {
        return Cow::Borrowed(body);
    }
    let mut from = 0;
    for (start, end) in sections {
        text.push_str(&body[from..start]);
        from = end;
    }
    text.push_str(&body[from..]);
    Cow::Owned(text)
}

fn fixing(sheet: &mut Sheet, forms: &SiteForms<'_>, (path, seen): (&str, &str), fact: &Fact) {
    let Some(subject) = fact.subject.as_deref() else { return };
    let category = fact.category.map(|category| ("category", category.as_str()));
    let about: Vec<(&str, &str)> =
        [("path", path), ("seen", seen), ("fact", subject)].into_iter().chain(category).collect();
    sheet.own("<details><summary>Fix<span class=\"sr\"> ").value(subject).own("</span></summary>\n");
    forms.write(sheet, SiteAct::Fix, &about, |sheet| {
        form::field(sheet, "text", "Statement", &format!("fix {path} {subject}"), &fact.statement);
        form::button(sheet, SiteAct::Fix.label());
    });
    sheet.own("</details>");
}

fn is_same(one: &Fact, other: &Fact) -> bool {
    (&one.subject, &one.statement) == (&other.subject, &other.statement)
}

fn is_plain(text: &str) -> bool {
    secrets::masked(text) == text
}

/// The commit of a line.
fn stated(blame: &Blame, line: usize) -> Option<&BlamedCommit> {
    let lines = blame.lines.as_ref()?;
    let id = lines.iter().find(|found| found.line == line)?.commit.as_ref()?;
    blame.commits.iter().find(|commit| commit.commit.id == *id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_of_facts_alone_is_not_said_twice() {
        for (body, left) in [
            ("Text.\n\n## Facts\n\n- **a**: 1\n- **b**: 2\n", "Text.\n\n"),
            ("## Facts\n\n- **a**: 1\n\n## Why\n\nSo.\n", "## Why\n\nSo.\n"),
            ("## Facts\n\nMeasured:\n\n- **a**: 1\n", "## Facts\n\nMeasured:\n\n- **a**: 1\n"),
            ("## Facts\n\n- **a**: 1\n\nSince May.\n", "## Facts\n\n- **a**: 1\n\nSince May.\n"),
            ("## Facts\n", "## Facts\n"),
            ("Text.\n", "Text.\n"),
        ] {
            let document = Document::parse(body);
            assert_eq!(without(document.body(), &document.facts()), left, "{body}");
        }
    }
}
