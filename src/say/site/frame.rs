//! What is around every page: the search, the ways to the other pages, and what says the same in a terminal.

use super::SiteAddresses;
use super::files::SiteFiles;
use super::form::{self, ActDone, SiteForms};
use crate::say::sheet::Sheet;

/// The pages that the head of each page leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteSection {
    Home,
    Tree,
    Changes,
    Review,
    Why,
    /// None of those that the head leads to.
    Other,
}

/// What is around a page.
#[derive(Debug)]
pub struct PageFrame<'a> {
    pub addresses: &'a SiteAddresses,
    /// The name of the project.
    pub project: &'a str,
    pub section: SiteSection,
    /// What the page is about.
    pub title: &'a str,
    /// What was searched for.
    pub query: &'a str,
    /// The commands that say what the page says.
    pub commands: &'a [String],
    /// The address that tells whether there is something newer than this page.
    pub changed: &'a str,
    /// How many changes wait for review.
    pub waits: usize,
    pub forms: SiteForms<'a>,
    /// What was done by a form just now.
    pub done: Option<&'a ActDone>,
    /// Whether single keys do anything (`ui.keys`).
    pub has_keys: bool,
    /// Whether a merge is not finished: nothing is decided then.
    pub is_merging: bool,
}

impl PageFrame<'_> {
    /// The page.
    pub(super) fn page(&self, body: impl FnOnce(&mut Sheet)) -> String {
        let mut sheet = Sheet::masking();
        let titles = [self.title, self.project];
        let once = if self.title == self.project { &titles[..1] } else { &titles };
        head(&mut sheet, once, self.addresses.assets(), self.has_keys);
        if let Some(files) = self.addresses.files() {
            self.written(&mut sheet, files, body);
            return sheet.finish();
        }
        sheet.own("<body data-changed=\"").bare(self.changed).own("\">\n");
        sheet.own("<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header class=\"top\">\n");
        sheet.own("<p class=\"brand\">brv <span>").value(self.project).own("</span></p>\n");
        self.search(&mut sheet);
        self.ways(&mut sheet);
        sheet.own("</header>\n<p id=\"said\" role=\"status\"></p>\n<main id=\"main\">\n");
        if let Some(done) = self.done {
            form::banner(&mut sheet, &self.forms, done);
        }
        if self.is_merging {
            sheet.own("<p class=\"note\">A merge is not finished: nothing is decided here until it is. ");
            sheet.own("<code>brv vc resolve</code> lists what is open.</p>\n");
        }
        body(&mut sheet);
        sheet.own("</main>\n<footer>\n");
        if !self.commands.is_empty() {
            sheet.own("<p>In the terminal:");
            for command in self.commands {
                sheet.own(" <code>").value(command).own("</code>");
            }
            sheet.own("</p>\n");
        }
        sheet.own("</footer>\n</body>\n</html>\n");
        sheet.finish()
    }

    /// What is around a page of a written site. Its script shows the filter.
    fn written(&self, sheet: &mut Sheet, files: &SiteFiles, body: impl FnOnce(&mut Sheet)) {
        sheet.own(
            "<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header class=\"top\">\n",
        );
        sheet.own("<p class=\"brand\">brv <span>").value(self.project).own("</span></p>\n");
        sheet.own("<form id=\"filter\" role=\"search\" hidden><label class=\"sr\" for=\"q\">Filter</label>");
        sheet.own("<input id=\"q\" type=\"search\" placeholder=\"Filter  /\" autocomplete=\"off\"></form>\n");
        sheet
            .own("<nav aria-label=\"Pages\"><a href=\"")
            .bare(self.addresses.tree(""))
            .own("\">Tree</a></nav>\n");
        sheet.own("</header>\n<main id=\"main\">\n<section id=\"found\" aria-label=\"What the filter finds\" hidden>");
        sheet.own("<p class=\"soft\" role=\"status\"></p><ul class=\"rows\"></ul></section>\n");
        body(sheet);
        sheet.own("</main>\n<footer>\n<p>Commit <code>").value(files.commit.get(..12).unwrap_or_default());
        sheet.own("</code> of <time>");
        sheet.value(&files.day).own("</time>, written by brv ").own(env!("CARGO_PKG_VERSION"));
        sheet.own("</p>\n</footer>\n</body>\n</html>\n");
    }

    fn search(&self, sheet: &mut Sheet) {
        sheet.own("<form role=\"search\" action=\"").bare(self.addresses.search()).own("\">");
        sheet.own(
            "<label class=\"sr\" for=\"q\">Search</label><input id=\"q\" name=\"q\" type=\"search\" value=\"",
        );
        sheet.bare(self.query).own("\" placeholder=\"Search  /\" autocomplete=\"off\"></form>\n");
    }

    fn ways(&self, sheet: &mut Sheet) {
        sheet.own("<nav aria-label=\"Pages\">");
        for (section, address, name) in [
            (SiteSection::Home, self.addresses.home(), " data-key=\"h\">Home"),
            (SiteSection::Tree, self.addresses.tree(""), " data-key=\"t\">Tree"),
            (SiteSection::Changes, self.addresses.changes(), " data-key=\"c\">Changes"),
            (SiteSection::Review, self.addresses.review(), " data-key=\"r\">Review"),
            (SiteSection::Why, self.addresses.why(), " data-key=\"w\">Why"),
        ] {
            sheet.own("<a href=\"").bare(address).own("\"");
            sheet.own(if section == self.section { " aria-current=\"page\"" } else { "" }).own(name);
            if section == SiteSection::Review && self.waits > 0 {
                sheet.own(" <b>").number(self.waits).own("</b><span class=\"sr\"> waiting</span>");
            }
            sheet.own("</a>");
        }
        sheet.own("</nav>\n");
    }
}

/// All before the body, with the parts of the title.
pub(super) fn head(sheet: &mut Sheet, titles: &[&str], assets: &str, has_keys: bool) {
    sheet.own("<!doctype html>\n<html lang=\"en\"").own(if has_keys { ">" } else { " data-keys=\"off\">" });
    sheet
        .own("\n<head>\n<meta charset=\"utf-8\">\n<title>")
        .bare(titles.join(" · "))
        .own("</title>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
        .own("<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"stylesheet\" href=\"")
        .bare(assets)
        .own("style.css\">\n<link rel=\"icon\" href=\"")
        .bare(assets)
        .own("icon.svg\">\n<script src=\"")
        .bare(assets)
        .own("script.js\" defer></script>\n</head>\n");
}

/// The folders above a path, each a way to its page.
pub(super) fn crumbs(sheet: &mut Sheet, addresses: &SiteAddresses, path: &str) {
    sheet.own("<nav class=\"crumbs\" aria-label=\"Folders above\"><ol>\n");
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    sheet.own("<li><a rel=\"up\" href=\"").bare(addresses.tree("")).own("\">tree</a></li>\n");
    for (at, name) in folder.split('/').enumerate().filter(|(_, name)| !name.is_empty()) {
        let above = folder.split('/').take(at + 1).collect::<Vec<_>>().join("/");
        sheet
            .own("<li><a rel=\"up\" href=\"")
            .bare(addresses.tree(&above))
            .own("\">")
            .value(name)
            .own("</a></li>\n");
    }
    sheet.own("</ol></nav>\n");
}
