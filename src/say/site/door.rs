//! The page before all others: it has no data, and its script brings the key of the address to the server.

use super::frame::head;
use crate::say::sheet::Sheet;

/// The door.
pub fn page() -> String {
    let mut sheet = Sheet::default();
    head(&mut sheet, &["brv"], "/", true);
    sheet.own("<body class=\"door\">\n<main id=\"main\">\n<h1>brv</h1>\n<p id=\"door\" role=\"status\">");
    sheet.own("The address of this page has no key, or it was used before. <code>brv ui</code> makes a new one.</p>\n");
    sheet.own("<noscript><p>Without a script: <code>brv ui --no-open</code> prints an address for that.</p></noscript>\n");
    sheet.own("</main>\n</body>\n</html>\n");
    sheet.finish()
}

/// The page at an address of a server that has ended.
pub fn of_another_run() -> String {
    let mut sheet = Sheet::default();
    head(&mut sheet, &["brv"], "/", true);
    sheet.own("<body class=\"door\">\n<main id=\"main\">\n<h1>Another run</h1>\n");
    sheet.own("<p>This address is of a server that has ended. <code>brv ui</code> gives a new one; what was typed and not ");
    sheet.own("sent stays in this tab.</p>\n</main>\n</body>\n</html>\n");
    sheet.finish()
}

/// The page for who comes by a link of another site: the way on is a click of this site's own.
pub fn from_elsewhere(address: &str) -> String {
    let mut sheet = Sheet::default();
    head(&mut sheet, &["brv"], "/", true);
    sheet.own("<body class=\"door\">\n<main id=\"main\">\n<h1>Not signed in</h1>\n");
    sheet
        .own("<p>This address was opened from another site, or its session is over.</p>\n<p><a href=\"")
        .bare(address);
    sheet.own("\">Continue</a></p>\n<p><code>brv ui</code> signs in anew.</p>\n</main>\n</body>\n</html>\n");
    sheet.finish()
}
