//! What an entry links to and what links to it: a picture of at most twelve either way, and the same as a list.

use super::frame::{PageFrame, crumbs};
use super::{SiteAddresses, stem};
use crate::say::sheet::Sheet;
use brv_commands::links::{Link, LinkKind, LinkTargetState};

/// How many neighbours are drawn on either side.
const DRAWN: usize = 12;

/// The links of one entry.
#[derive(Debug, Clone, Copy)]
pub struct EntryLinks<'l> {
    pub path: &'l str,
    pub title: &'l str,
    pub outgoing: &'l [Link],
    pub incoming: &'l [Link],
}

/// A page of the links alone.
pub fn page(frame: &PageFrame<'_>, links: EntryLinks<'_>) -> String {
    frame.page(|sheet| {
        crumbs(sheet, frame.addresses, links.path);
        sheet.own("<h1 dir=\"auto\">").value(frame.title).own("</h1>\n");
        draw(sheet, frame.addresses, links);
    })
}

/// The part of the entry's page.
pub fn part(addresses: &SiteAddresses, links: EntryLinks<'_>) -> String {
    let mut sheet = Sheet::masking();
    draw(&mut sheet, addresses, links);
    sheet.finish()
}

/// Something at the other end of links.
struct Neighbour<'l> {
    path: &'l str,
    title: &'l str,
    line: EdgeForm,
    /// Its address; `None` if nothing is there.
    address: Option<String>,
}

/// How the link is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EdgeForm {
    Related,
    Written,
    Broken,
}

/// The picture and the lists.
pub(super) fn draw(sheet: &mut Sheet, addresses: &SiteAddresses, links: EntryLinks<'_>) {
    sheet.own("<h2>Links</h2>\n");
    let outgoing = neighbours(links.outgoing.iter().map(|link| outgoing(addresses, link)));
    let incoming = neighbours(links.incoming.iter().map(|link| incoming(addresses, link)));
    if outgoing.is_empty() && incoming.is_empty() {
        sheet.own("<p class=\"soft\">Nothing links here, and this links to nothing.</p>\n");
        return;
    }
    picture(sheet, links.title, &incoming, &outgoing);
    list(sheet, "<h3>Linked from</h3>\n<ul class=\"links\">\n", &incoming);
    list(sheet, "<h3>Links to</h3>\n<ul class=\"links\">\n", &outgoing);
}

fn outgoing<'l>(addresses: &SiteAddresses, link: &'l Link) -> Neighbour<'l> {
    let path = link.to.as_deref().unwrap_or(&link.written);
    let (line, address) = match link.state {
        LinkTargetState::Missing | LinkTargetState::Outside => (EdgeForm::Broken, None),
        LinkTargetState::Folder => (line(link), addresses.tree_if_shown(path)),
        LinkTargetState::Entry | LinkTargetState::Derived | LinkTargetState::Archived => {
            (line(link), addresses.entry_if_shown(path))
        }
        LinkTargetState::Other => (line(link), None),
    };
    Neighbour { path, title: link.title.as_deref().unwrap_or_else(|| stem(path)), line, address }
}

fn incoming<'l>(addresses: &SiteAddresses, link: &'l Link) -> Neighbour<'l> {
    let path = link.from.as_str();
    let title = link.title.as_deref().unwrap_or_else(|| stem(path));
    Neighbour { path, title, line: line(link), address: addresses.entry_if_shown(path) }
}

fn line(link: &Link) -> EdgeForm {
    if link.form == LinkKind::Markdown { EdgeForm::Written } else { EdgeForm::Related }
}

/// Each once.
fn neighbours<'l>(all: impl Iterator<Item = Neighbour<'l>>) -> Vec<Neighbour<'l>> {
    let mut found: Vec<Neighbour<'l>> = Vec::new();
    for one in all {
        if !found.iter().any(|known| known.path == one.path) {
            found.push(one);
        }
    }
    found
}

fn list(sheet: &mut Sheet, heading: &'static str, all: &[Neighbour<'_>]) {
    if all.is_empty() {
        return;
    }
    sheet.own(heading);
    for one in all {
        sheet.own("<li>");
        match &one.address {
            Some(address) => {
                sheet.own("<a href=\"").bare(address).own("\"><bdi>").value(one.title).own("</bdi></a>");
            }
            None => {
                sheet.own("<bdi>").value(one.title).own("</bdi>");
            }
        }
        sheet.own(" <span class=\"name\">").value(one.path).own("</span>");
        if one.line == EdgeForm::Broken {
            sheet.own(" <span class=\"mark bad\">x gone</span>");
        }
        sheet.own("</li>\n");
    }
    sheet.own("</ul>\n");
}

/// The height of a row of the picture, in its units.
const ROW: usize = 26;

/// A picture for the eye: what links here on the left, what this links to on the right. The list says the same.
fn picture(sheet: &mut Sheet, title: &str, incoming: &[Neighbour<'_>], outgoing: &[Neighbour<'_>]) {
    let rows = incoming.len().min(DRAWN).max(outgoing.len().min(DRAWN)).max(1);
    let height = rows * ROW + 8;
    let middle = height / 2;
    sheet
        .own("<svg class=\"graph\" aria-hidden=\"true\" focusable=\"false\" viewBox=\"0 0 384 ")
        .number(height)
        .own("\">\n");
    for (side, all) in [(0, incoming), (1, outgoing)] {
        let shown = all.len().min(DRAWN);
        let top = (height - shown * ROW) / 2;
        for (at, one) in all.iter().take(DRAWN).enumerate() {
            let y = top + at * ROW + ROW / 2;
            let (from, to) = if side == 0 { (126, 146) } else { (238, 258) };
            let (first, last) = if side == 0 { (y, middle) } else { (middle, y) };
            sheet.own(match one.line {
                EdgeForm::Related => "<path class=\"edge\" d=\"M",
                EdgeForm::Written => "<path class=\"edge written\" d=\"M",
                EdgeForm::Broken => "<path class=\"edge broken\" d=\"M",
            });
            let half = usize::midpoint(from, to);
            sheet.number(from).own(" ").number(first).own(" C").number(half).own(" ").number(first).own(" ");
            sheet.number(half).own(" ").number(last).own(" ").number(to).own(" ").number(last).own("\"/>\n");
            if let Some(address) = &one.address {
                sheet.own("<a tabindex=\"-1\" href=\"").bare(address).own("\">");
            }
            sheet.own(if side == 0 {
                "<text text-anchor=\"end\" x=\"122\" y=\""
            } else {
                "<text x=\"262\" y=\""
            });
            sheet.number(y + 4).own("\">").bare(cut(one.title, 16)).own("</text>");
            sheet.own(if one.address.is_some() { "</a>\n" } else { "\n" });
        }
        if all.len() > shown {
            let x = if side == 0 {
                "<text class=\"soft\" text-anchor=\"end\" x=\"122\" y=\""
            } else {
                "<text class=\"soft\" x=\"262\" y=\""
            };
            sheet.own(x).number(height - 1).own("\">+").number(all.len() - shown).own(" more</text>\n");
        }
    }
    sheet.own("<rect class=\"here\" x=\"146\" y=\"").number(middle.saturating_sub(14));
    sheet.own("\" width=\"92\" height=\"28\" rx=\"6\"/>\n<text class=\"here\" text-anchor=\"middle\" x=\"192\" y=\"");
    sheet.number(middle + 4).own("\">").bare(cut(title, 10)).own("</text>\n</svg>\n");
}

/// The first characters of a text, with `…` where it is longer.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
