//! What was said about an entry or a change, and the forms to say more.

use super::form::{self, SiteAct};
use super::frame::PageFrame;
use crate::say::sheet::Sheet;
use brv_base::clock::format_utc;
use brv_commands::review::comment::{Comment, CommentState};

/// Comments, and the form for another one: on all of it, or on one of these facts. `about` names what it is on.
pub(super) fn comments(
    sheet: &mut Sheet,
    frame: &PageFrame<'_>,
    found: &[&Comment],
    (about, facts): (&[(&str, &str)], &[&str]),
) {
    let may = frame.forms.may(SiteAct::Comment);
    if found.is_empty() && !may {
        return;
    }
    sheet.own("<section class=\"comments\" aria-label=\"Comments\">\n<h3>Comments");
    if !found.is_empty() {
        sheet.own(" <span class=\"soft\">· ").number(found.len()).own("</span>");
    }
    sheet.own("</h3>\n");
    for comment in found {
        one(sheet, frame, comment);
    }
    if may {
        another(sheet, frame, about, facts);
    }
    sheet.own("</section>\n");
}

/// The comments that wait for an answer, wherever they are.
pub(super) fn listed(sheet: &mut Sheet, frame: &PageFrame<'_>, comments: &[Comment]) {
    let open: Vec<&Comment> = comments.iter().filter(|one| one.state == CommentState::Open).collect();
    if open.is_empty() {
        return;
    }
    sheet.own("<h2>Comments without an answer</h2>\n<ul class=\"rows\">\n");
    for comment in open {
        let address = match &comment.change {
            Some(change) => frame.addresses.reviewed(change),
            None => frame.addresses.entry(&comment.path),
        };
        sheet
            .own("<li><a href=\"")
            .bare(address)
            .own("\" dir=\"auto\">")
            .value(&comment.path)
            .own("</a><p dir=\"auto\">");
        sheet.value(&comment.text).own(" · <bdi>").value(named(&comment.actor)).own("</bdi></p></li>\n");
    }
    sheet.own("</ul>\n");
}

fn one(sheet: &mut Sheet, frame: &PageFrame<'_>, comment: &Comment) {
    sheet.own("<div class=\"comment\">\n<p><bdi>").value(named(&comment.actor)).own("</bdi> · <time>");
    sheet.value(format_utc(comment.time)).own("</time> ");
    sheet.own(match comment.state {
        CommentState::Open => "<span class=\"mark warn\">? open</span>",
        CommentState::Answered => "<span class=\"mark\">answered</span>",
        CommentState::Outdated => "<span class=\"mark\">outdated</span>",
        CommentState::Closed => "<span class=\"mark\">closed</span>",
    });
    sheet.own("</p>\n");
    if !comment.quote.is_empty() {
        sheet.own("<blockquote dir=\"auto\">");
        if let Some(subject) = &comment.fact {
            sheet.own("<strong>").value(subject).own("</strong>: ");
        }
        sheet.value(&comment.quote).own("</blockquote>\n");
    }
    sheet.own("<p class=\"said\" dir=\"auto\">").value(&comment.text).own("</p>\n");
    if let Some(answer) = &comment.answer {
        sheet.own("<div class=\"comment\"><p><bdi>").value(named(&answer.actor)).own("</bdi> · <time>");
        sheet.value(format_utc(answer.time)).own("</time></p>\n<p class=\"said\" dir=\"auto\">");
        sheet.value(&answer.text).own("</p></div>\n");
    } else if frame.forms.may(SiteAct::Answer) && comment.state == CommentState::Open {
        sheet.own("<details><summary>Answer</summary>\n");
        frame.forms.write(sheet, SiteAct::Answer, &[("id", &comment.id)], |sheet| {
            form::field(sheet, "text", "Answer", &format!("answer {}", comment.id), "");
            form::button(sheet, SiteAct::Answer.label());
        });
        sheet.own("</details>\n");
    }
    sheet.own("</div>\n");
}

/// Who it is, without the address of their mail.
pub(super) fn named(actor: &str) -> &str {
    actor.split_once(" <").map_or(actor, |(name, _)| name)
}

fn another(sheet: &mut Sheet, frame: &PageFrame<'_>, about: &[(&str, &str)], facts: &[&str]) {
    let id = about.iter().find(|(name, _)| *name == "id").map_or("", |(_, id)| *id);
    frame.forms.write(sheet, SiteAct::Comment, about, |sheet| {
        if !facts.is_empty() {
            sheet.own("<label>On <select name=\"fact\"><option value=\"\">all of it</option>");
            for subject in facts {
                sheet.own("<option value=\"").exact(subject).own("\">").value(subject).own("</option>");
            }
            sheet.own("</select></label>\n");
        }
        form::field(sheet, "text", "Comment", &format!("comment {id}"), "");
        form::button(sheet, SiteAct::Comment.label());
    });
}
