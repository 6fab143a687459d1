//! The first page: what waits, the last days, the domains; and the parts that take longer.

use super::SiteAddresses;
use super::changes::row;
use super::comments;
use super::frame::PageFrame;
use super::tree::nothing;
use crate::say::sheet::Sheet;
use crate::say::words::many;
use brv_commands::links::Link;
use brv_commands::review::ReviewRow;
use brv_commands::review::comment::Comment;
use brv_commands::stale::list::{Outcome as Stale, StaleEntry};
use brv_commands::tree::{Outcome as Tree, TreeRow};
use brv_commands::vc::log::{LoggedCommit, Outcome as Log};
use brv_commands::vc::status::Outcome as Status;
use std::collections::BTreeMap;

/// How many of each list are shown.
const SHOWN: usize = 8;

/// How many commits of a day are shown.
const OF_A_DAY: usize = 5;

/// What the first page is made of.
#[derive(Debug)]
pub struct HomeView<'a> {
    pub status: &'a Status,
    pub waiting: &'a [ReviewRow],
    /// What was said and is not closed.
    pub comments: &'a [Comment],
    /// The last seven days, with the names of changed files.
    pub week: &'a Log,
    /// The first level of the tree.
    pub domains: &'a Tree,
}

/// The first page.
pub fn page(frame: &PageFrame<'_>, view: &HomeView<'_>) -> String {
    frame.page(|sheet| {
        sheet.own("<h1>").value(frame.project).own("</h1>\n<p class=\"soft\">");
        let (entries, domains) = (view.domains.entries, view.domains.folders);
        sheet.value(format!(
            "{} in {}",
            many(entries, "entry", "entries"),
            many(domains, "domain", "domains")
        ));
        if let Some(branch) = &view.status.branch {
            sheet.own(" · branch <code>").value(branch).own("</code>");
        }
        sheet.own("</p>\n");
        if entries == 0 {
            nothing(sheet);
            return;
        }
        sheet.own("<div class=\"beside\">\n<div>\n");
        waits(sheet, frame, view);
        comments::listed(sheet, frame, view.comments);
        part(sheet, frame, "stale", "Code that has changed");
        week(sheet, frame.addresses, view.week);
        sheet.own("</div>\n<aside>\n");
        list(sheet, frame.addresses, view);
        part(sheet, frame, "broken", "Broken links");
        sheet.own("</aside>\n</div>\n");
    })
}

fn waits(sheet: &mut Sheet, frame: &PageFrame<'_>, view: &HomeView<'_>) {
    sheet.own("<section aria-labelledby=\"waits\">\n<h2 id=\"waits\">Waits for you</h2>\n");
    let disputed = &view.status.disputed;
    if view.waiting.is_empty() && disputed.is_empty() {
        sheet.own("<p class=\"nothing\">Nothing waits for you.</p>\n</section>\n");
        return;
    }
    sheet.own("<ul class=\"rows\">\n");
    for row in view.waiting.iter().take(SHOWN) {
        sheet.own("<li><a href=\"").bare(frame.addresses.reviewed(&row.id)).own("\" dir=\"auto\">");
        sheet
            .value(&row.action)
            .own(" ")
            .value(&row.path)
            .own("</a> <span class=\"mark warn\">? pending</span>");
        sheet
            .own("<p dir=\"auto\">")
            .value(&row.reason)
            .own(" · <bdi>")
            .value(comments::named(&row.actor))
            .own("</bdi></p></li>\n");
    }
    for one in disputed.iter().take(SHOWN) {
        let path = one.path.as_str();
        sheet.own("<li><a href=\"").bare(frame.addresses.entry(path)).own("\" dir=\"auto\">").value(path);
        sheet.own("</a> <span class=\"mark warn\">! disputed</span><p dir=\"auto\">");
        let subjects: Vec<&str> = one.subjects.iter().map(|dispute| &*dispute.subject).collect();
        sheet.value(subjects.join(", ")).own("</p></li>\n");
    }
    sheet.own("</ul>\n");
    if view.waiting.len() > SHOWN {
        sheet.own("<p><a href=\"").bare(frame.addresses.review()).own("\">All ").number(view.waiting.len());
        sheet.own(" changes</a></p>\n");
    }
    if disputed.len() > SHOWN {
        sheet
            .own("<p class=\"soft\">")
            .number(disputed.len())
            .own(" entries are disputed; <code>brv status</code> lists them.</p>\n");
    }
    sheet.own("</section>\n");
}

/// A part that the script fetches, and a link to its page.
fn part(sheet: &mut Sheet, frame: &PageFrame<'_>, name: &'static str, label: &'static str) {
    let address = frame.addresses.home_part(name);
    sheet.own("<section class=\"part\" aria-label=\"").own(label).own("\" data-part=\"").bare(&address);
    sheet.own("\"><a href=\"").bare(&address).own("\">").own(label).own("</a></section>\n");
}

fn week(sheet: &mut Sheet, addresses: &SiteAddresses, log: &Log) {
    sheet.own("<section aria-labelledby=\"week\">\n<h2 id=\"week\">This week</h2>\n");
    if log.commits.is_empty() {
        sheet.own("<p class=\"nothing\">No commit in seven days. <a href=\"").bare(addresses.changes());
        sheet.own("\">Earlier ones</a></p>\n");
    }
    let mut days: Vec<(&str, Vec<&LoggedCommit>)> = Vec::new();
    for commit in &log.commits {
        let day = commit.commit.author.day();
        match days.iter_mut().find(|(known, _)| *known == day) {
            Some((_, commits)) => commits.push(commit),
            None => days.push((day, vec![commit])),
        }
    }
    for (day, commits) in &days {
        sheet.own("<h3>").value(day).own(" <span class=\"soft\">· ");
        sheet.value(many(commits.len(), "commit", "commits")).own("</span></h3>\n<ul class=\"rows\">\n");
        for commit in commits.iter().take(OF_A_DAY) {
            row(sheet, addresses, commit, (None, None), None);
        }
        sheet.own("</ul>\n");
    }
    sheet.own("</section>\n");
}

/// The domains, each with the day of its last change in this week.
fn list(sheet: &mut Sheet, addresses: &SiteAddresses, view: &HomeView<'_>) {
    let mut last: BTreeMap<&[u8], &str> = BTreeMap::new();
    for commit in &view.week.commits {
        for file in commit.drawn() {
            let domain = file.path.split(|byte| *byte == b'/').next().unwrap_or_default();
            last.entry(domain).or_insert_with(|| commit.commit.author.day());
        }
    }
    sheet.own("<section aria-labelledby=\"domains\">\n<h2 id=\"domains\">Domains</h2>\n<div class=\"wide\" tabindex=\"0\"><table class=\"counts\">\n");
    sheet.own("<thead><tr><th scope=\"col\">Domain</th><th scope=\"col\">Entries</th><th scope=\"col\">Changed</th></tr></thead>\n<tbody>\n");
    for row in &view.domains.rows {
        let TreeRow::Folder { path, title, entries, .. } = row else { continue };
        sheet.own("<tr><th scope=\"row\" dir=\"auto\"><a href=\"").bare(addresses.tree(path)).own("\">");
        sheet.value(title.as_deref().unwrap_or(path)).own("</a></th><td>").number(*entries).own("</td><td>");
        match last.get(path.as_bytes()) {
            Some(day) => sheet.own("<time>").value(day).own("</time>"),
            None => sheet.own("<span class=\"soft\">earlier</span>"),
        };
        sheet.own("</td></tr>\n");
    }
    sheet.own("</tbody></table></div>\n</section>\n");
}

/// What cites code that has changed: how much of each domain, and which entries.
pub fn stale(sheet_of: StalePage<'_, '_>, found: &Stale) -> String {
    match sheet_of {
        StalePage::Part(addresses, domains) => {
            let mut sheet = Sheet::masking();
            write_stale(&mut sheet, addresses, domains, found, SHOWN);
            sheet.finish()
        }
        StalePage::Whole(frame, domains) => frame.page(|sheet| {
            sheet.own("<h1>Code that has changed</h1>\n");
            write_stale(sheet, frame.addresses, domains, found, 500);
        }),
    }
}

/// Where what is stale is shown, with how many entries each domain has.
#[derive(Debug, Clone, Copy)]
pub enum StalePage<'a, 'f> {
    Part(&'a SiteAddresses, &'a Tree),
    Whole(&'a PageFrame<'f>, &'a Tree),
}

fn write_stale(sheet: &mut Sheet, addresses: &SiteAddresses, domains: &Tree, found: &Stale, most: usize) {
    sheet.own("<h2>Code that has changed</h2>\n");
    if found.entries.is_empty() {
        sheet.own("<p class=\"soft\">What the entries cite is as it was.</p>\n");
        return;
    }
    sheet.own("<ul class=\"rows\">\n");
    for StaleEntry { path, title, freshness, .. } in found.entries.iter().take(most) {
        sheet.own("<li><a href=\"").bare(addresses.entry(path.as_str())).own("\" dir=\"auto\">");
        sheet.value(title.as_deref().unwrap_or(path.as_str())).own("</a> <span class=\"mark warn\">! ");
        sheet.own(freshness.state.word()).own("</span><p dir=\"auto\">");
        sheet.value(freshness.line().unwrap_or_default()).own("</p></li>\n");
    }
    sheet.own("</ul>\n");
    if found.entries.len() > most {
        sheet
            .own("<p><a href=\"")
            .bare(addresses.home_part("stale"))
            .own("\">All ")
            .number(found.entries.len());
        sheet.own(" entries</a></p>\n");
    }
    let mut of_domain: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in &found.entries {
        let domain = entry.path.as_str().split('/').next().unwrap_or_default();
        *of_domain.entry(domain).or_default() += 1;
    }
    sheet.own("<dl class=\"meters\">\n");
    for row in &domains.rows {
        let TreeRow::Folder { path, entries, .. } = row else { continue };
        let Some(stale) = of_domain.get(path.as_str()) else { continue };
        let share = (100 * stale).div_ceil((*entries).max(1)).min(100);
        sheet
            .own("<div><dt>")
            .value(path)
            .own("</dt><dd><meter min=\"0\" max=\"100\" value=\"")
            .number(share);
        sheet
            .own("\" aria-label=\"share of entries\">")
            .number(share)
            .own(" %</meter> ")
            .number(*stale)
            .own(" of ");
        sheet.number(*entries).own(", ").number(share).own(" %</dd></div>\n");
    }
    sheet.own("</dl>\n");
}

/// The links that lead nowhere.
pub fn broken(sheet_of: Option<&PageFrame<'_>>, addresses: &SiteAddresses, found: &[Link]) -> String {
    match sheet_of {
        None => {
            let mut sheet = Sheet::masking();
            write_broken(&mut sheet, addresses, found, SHOWN);
            sheet.finish()
        }
        Some(frame) => frame.page(|sheet| {
            sheet.own("<h1>Broken links</h1>\n");
            write_broken(sheet, addresses, found, 1_000);
        }),
    }
}

fn write_broken(sheet: &mut Sheet, addresses: &SiteAddresses, found: &[Link], most: usize) {
    sheet.own("<h2>Broken links</h2>\n");
    if found.is_empty() {
        sheet.own("<p class=\"soft\">Every link leads somewhere.</p>\n");
        return;
    }
    sheet.own("<ul class=\"links\">\n");
    for link in found.iter().take(most) {
        sheet.own("<li dir=\"auto\"><a href=\"").bare(addresses.entry(link.from.as_str())).own("\">");
        sheet
            .value(link.from.as_str())
            .own("</a> <span class=\"mark bad\">x</span> ")
            .value(&link.written)
            .own("</li>\n");
    }
    sheet.own("</ul>\n");
    if found.len() > most {
        sheet.own("<p><a href=\"").bare(addresses.home_part("broken")).own("\">").number(found.len());
        sheet.own(" broken links</a></p>\n");
    }
}
