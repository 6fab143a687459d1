//! What an agent would be given now, and why; and what agents were given.

use super::frame::PageFrame;
use crate::say::sheet::Sheet;
use crate::say::words::many;
use brv_base::clock::format_utc;
use brv_commands::brain::Outcome as Brain;
use brv_commands::brain::for_files::Outcome as Files;
use brv_commands::query::Outcome as Query;
use brv_commands::served::Outcome as Served;

/// What is asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct WhyAsked<'a> {
    /// A question.
    pub question: &'a str,
    /// A file of the code.
    pub file: &'a str,
    /// A task.
    pub task: &'a str,
}

/// What would be given.
#[derive(Debug)]
pub enum WhyFound<'a> {
    /// Nothing was asked.
    Nothing,
    Query(&'a Query),
    Files(&'a Files),
    Task(&'a Brain),
}

/// What would be given now for a question, a file or a task.
pub fn page(frame: &PageFrame<'_>, asked: WhyAsked<'_>, found: &WhyFound<'_>) -> String {
    frame.page(|sheet| {
        sheet.own("<h1>Why</h1>\n<p class=\"lead\">What an agent would be given now, and why.</p>\n");
        sheet.own("<div class=\"asking\">\n");
        for (name, label, value) in [
            ("q", "A question", asked.question),
            ("file", "A file of the code", asked.file),
            ("task", "A task", asked.task),
        ] {
            sheet.own("<form action=\"").bare(frame.addresses.why()).own("\"><label>").own(label);
            sheet.own(" <input name=\"").own(name).own("\" value=\"").bare(value);
            sheet.own("\" autocomplete=\"off\"></label> <button>Ask</button></form>\n");
        }
        sheet
            .own("</div>\n<p><a href=\"")
            .bare(frame.addresses.given(""))
            .own("\">What agents were given</a></p>\n");
        match found {
            WhyFound::Nothing => {}
            WhyFound::Query(found) => query(sheet, frame, found),
            WhyFound::Files(found) => files(sheet, frame, found),
            WhyFound::Task(found) => task(sheet, frame, found),
        }
    })
}

fn query(sheet: &mut Sheet, frame: &PageFrame<'_>, found: &Query) {
    sheet
        .own("<h2>Answer</h2>\n<p><span class=\"mark\">tier ")
        .number(found.tier.into())
        .own("</span> <span class=\"mark\">");
    sheet.own(found.by.word()).own("</span> score ").value(format!("{:.2}", found.score)).own("</p>\n");
    match (&found.answer, &found.message) {
        (Some(answer), _) => {
            sheet.own("<blockquote class=\"said\" dir=\"auto\">").value(answer).own("</blockquote>\n")
        }
        (None, Some(message)) => sheet.own("<p class=\"note\">").value(message).own("</p>\n"),
        (None, None) => sheet.own("<p>Passages for the caller's own model.</p>\n"),
    };
    if !found.missing.is_empty() {
        sheet.own("<p class=\"soft\">").value(found.missing_line()).own("</p>\n");
    }
    if let Some(explain) = &found.explain {
        let limits = &explain.thresholds;
        let line = format!(
            "relevance {:.2} (covered from {:.2}, an answer from {:.2} with a lead of {:.2}, or from {:.2}); lead {:.2}; \
             {:.0} % of the question's weight",
            explain.relevance,
            limits.covered,
            limits.direct,
            limits.gap,
            limits.sure,
            explain.gap,
            100.0 * explain.coverage
        );
        sheet.own("<p class=\"soft\">").value(line).own("</p>\n");
    }
    withheld(sheet, found.withheld);
    if found.sources.is_empty() {
        return;
    }
    sheet.own("<h2>Sources</h2>\n<ul class=\"rows\">\n");
    for source in &found.sources {
        sheet.own("<li><a href=\"").bare(frame.addresses.entry(&source.path)).own("\" dir=\"auto\">");
        sheet
            .value(if source.title.is_empty() { &source.path } else { &source.title })
            .own("</a> <span class=\"name\">");
        sheet.value(format!(
            "score {:.2} · relevance {:.2} · line {}",
            source.score, source.relevance, source.line
        ));
        sheet.own("</span>");
        for (is_so, mark) in [
            (source.disputed, " <span class=\"mark warn\">! disputed</span>"),
            (!source.pending.is_empty(), " <span class=\"mark warn\">? pending</span>"),
            (!source.flagged.is_empty(), " <span class=\"mark bad\">! flagged</span>"),
        ] {
            sheet.own(if is_so { mark } else { "" });
        }
        sheet.own("<p dir=\"auto\">").value(&source.excerpt).own("</p></li>\n");
    }
    sheet.own("</ul>\n");
}

fn files(sheet: &mut Sheet, frame: &PageFrame<'_>, found: &Files) {
    sheet.own("<h2>Given for ").value(found.paths.join(", ")).own("</h2>\n");
    if !found.absent.is_empty() {
        sheet.own("<p class=\"note\">There is no such file in the code.</p>\n");
    }
    withheld(sheet, found.withheld);
    if found.items.is_empty() {
        sheet.own("<p class=\"nothing\">Nothing is known about it.</p>\n");
        return;
    }
    sheet.own("<ul class=\"rows\">\n");
    for item in &found.items {
        sheet.own("<li><a href=\"").bare(frame.addresses.entry(item.path.as_str())).own("\" dir=\"auto\">");
        sheet
            .value(item.path.as_str())
            .own("</a> <span class=\"name\">")
            .value(item.why.word())
            .own("</span></li>\n");
    }
    sheet.own("</ul>\n");
    text(sheet, &found.document);
}

fn task(sheet: &mut Sheet, frame: &PageFrame<'_>, found: &Brain) {
    sheet.own("<h2>Given at the start of a session</h2>\n<p class=\"soft\">");
    sheet.value(format!("{} tokens", found.token_estimate)).own("</p>\n");
    withheld(sheet, found.withheld);
    if let Some(passages) = found.passages.as_ref().filter(|passages| !passages.is_empty()) {
        sheet.own("<h3>For the task</h3>\n<ul class=\"rows\">\n");
        for needed in passages {
            sheet.own("<li><a href=\"").bare(frame.addresses.entry(&needed.path)).own("\" dir=\"auto\">");
            sheet.value(&needed.path).own("</a></li>\n");
        }
        sheet.own("</ul>\n");
    }
    text(sheet, &found.document);
    let Some(rows) = &found.explain else { return };
    /// More than a page holds.
    const ROWS: usize = 200;
    sheet.own("<h3>Each entry</h3>\n<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr><th scope=\"col\">Entry</th>");
    sheet.own("<th scope=\"col\">State</th><th scope=\"col\">Layer</th><th scope=\"col\">Why</th></tr></thead>\n<tbody>\n");
    for row in rows.iter().take(ROWS) {
        sheet
            .own("<tr><th scope=\"row\" dir=\"auto\"><a href=\"")
            .bare(frame.addresses.entry(&row.path))
            .own("\">");
        sheet
            .value(&row.path)
            .own("</a></th><td>")
            .value(&row.state)
            .own("</td><td>")
            .number(row.layer.into());
        sheet.own("</td><td dir=\"auto\">").value(&row.why).own("</td></tr>\n");
    }
    sheet.own("</tbody></table></div>\n");
    if rows.len() > ROWS {
        sheet.own("<p class=\"soft\">").number(rows.len() - ROWS).own(" more are not listed.</p>\n");
    }
}

fn withheld(sheet: &mut Sheet, count: usize) {
    if count > 0 {
        sheet
            .own("<p class=\"note\">")
            .value(many(count, "entry is", "entries are"))
            .own(" withheld: nobody here has accepted ");
        sheet.own(if count == 1 { "it" } else { "them" }).own(".</p>\n");
    }
}

/// The text itself, as it is given.
fn text(sheet: &mut Sheet, text: &str) {
    sheet.own("<details open><summary>The text</summary><pre tabindex=\"0\" dir=\"auto\"><code>").value(text);
    sheet.own("</code></pre></details>\n");
}

/// What agents were given, of one entry or all.
pub fn served(frame: &PageFrame<'_>, found: &Served, path: Option<&str>) -> String {
    frame.page(|sheet| {
        sheet.own("<h1>What agents were given</h1>\n");
        if let Some(path) = path {
            sheet.own("<p>Of <a href=\"").bare(frame.addresses.entry(path)).own("\" dir=\"auto\">").value(path);
            sheet.own("</a>. <a href=\"").bare(frame.addresses.given("")).own("\">Of all entries</a></p>\n");
        }
        if found.served.is_empty() {
            sheet.own("<p class=\"nothing\">Nothing is remembered. What an agent is given is, for 90 days, on this clone alone; ");
            sheet.own("<code>brv help agents</code> says more.</p>\n");
            return;
        }
        sheet.own("<div class=\"wide\" tabindex=\"0\"><table class=\"given\">\n<thead><tr><th scope=\"col\">When</th>");
        sheet.own("<th scope=\"col\">To</th><th scope=\"col\">For</th><th scope=\"col\">Entry</th><th scope=\"col\">Why</th></tr></thead>\n<tbody>\n");
        for one in &found.served {
            sheet.own("<tr><td><time>").value(format_utc(one.time)).own("</time></td><td><bdi>");
            let who = [one.actor.as_deref(), one.session.as_deref()];
            sheet.value(who.into_iter().flatten().collect::<Vec<_>>().join(" · ")).own("</bdi> ").value(&one.door);
            sheet.own("</td><td dir=\"auto\"><code>").value(&one.command).own("</code> ").value(one.asked.as_deref().unwrap_or_default());
            sheet.own("</td><th scope=\"row\" dir=\"auto\"><a href=\"").bare(frame.addresses.entry(&one.path)).own("\">");
            sheet.value(&one.path).own("</a>");
            if one.changed_since {
                sheet.own(" <span class=\"mark warn\">! changed since</span>");
            }
            sheet.own("</th><td dir=\"auto\">").value(&one.why).own("</td></tr>\n");
        }
        sheet.own("</tbody></table></div>\n");
    })
}
