//! What a request asks for: its path and query, each decoded once, its cookie, and the fields of a form.

use crate::say::site::encoded;
use hyper::header::{self, HeaderMap};

/// The longest address that is read, in bytes.
const LONGEST: usize = 8_192;

/// The parts of an address.
#[derive(Debug, PartialEq, Eq)]
pub struct SiteRequest {
    /// The parts of the path as they were sent.
    pub path: Vec<String>,
    query: Vec<(String, String)>,
}

impl SiteRequest {
    /// `None`: it is too long, not UTF-8, or has a character that no path has.
    pub fn of(uri: &hyper::Uri) -> Option<Self> {
        let (path, query) = (uri.path(), uri.query().unwrap_or_default());
        if path.len() + query.len() > LONGEST {
            return None;
        }
        let path = path.strip_prefix('/')?.split('/').map(|part| decoded(part, RequestPart::Path));
        Some(Self { path: path.collect::<Option<_>>()?, query: pairs(query, RequestPart::Query)? })
    }

    /// The address of this page below the run, without what only tells what was done before.
    pub fn below(&self) -> String {
        let mut address = String::new();
        for part in self.path.iter().skip(1) {
            address = address + "/" + &encoded(part);
        }
        let mut mark = '?';
        for (name, value) in self.query.iter().filter(|(name, _)| name != "done" && name != "part") {
            address.push(mark);
            address = address + &encoded(name) + "=" + &encoded(value);
            mark = '&';
        }
        address
    }

    /// The value of a name of the query.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// The fields of a form, as a browser sends them (application/x-www-form-urlencoded of the URL standard): lines of a text end
/// with one line feed.
pub fn fields(body: &[u8]) -> Option<Vec<(String, String)>> {
    pairs(std::str::from_utf8(body).ok()?, RequestPart::Form)
}

fn pairs(text: &str, part: RequestPart) -> Option<Vec<(String, String)>> {
    let pairs = text.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Some((decoded(name, part)?, decoded(value, part)?))
    });
    pairs.collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RequestPart {
    Path,
    Query,
    Form,
}

/// Percent-encoded text, decoded once; but for a path `+` is a space. `None`: it is not UTF-8, or has a control character, or in a
/// path what separates folders. A form may have lines.
fn decoded(text: &str, part: RequestPart) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                u8::try_from(digit(rest.next())? * 16 + digit(rest.next())?).ok()?
            }
            b'+' if part != RequestPart::Path => b' ',
            byte => byte,
        });
    }
    let text = String::from_utf8(bytes).ok()?;
    let text = if part == RequestPart::Form { text.replace("\r\n", "\n") } else { text };
    let is_unfit = |char: char| match part {
        RequestPart::Path => char.is_control() || matches!(char, '/' | '\\'),
        RequestPart::Query => char.is_control(),
        RequestPart::Form => char.is_control() && !matches!(char, '\n' | '\t'),
    };
    (!text.chars().any(is_unfit)).then_some(text)
}

/// The values of this program's cookie: another server of this machine may have set one of the same name, and others with any
/// bytes.
pub fn cookies(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let values = headers.get_all(header::COOKIE).iter();
    let pairs = values.flat_map(|value| value.as_bytes().split(|byte| *byte == b';'));
    pairs.filter_map(|pair| std::str::from_utf8(pair.trim_ascii().strip_prefix(b"brv=")?).ok())
}

/// Whether the request is not one that another site's page made a browser send. An older browser does not say.
pub fn is_of_this_site(headers: &HeaderMap) -> bool {
    let mut said = headers.get_all("sec-fetch-site").iter();
    let first = said.next();
    first.is_none_or(|site| site == "same-origin" || site == "none") && said.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(address: &str) -> Option<SiteRequest> {
        SiteRequest::of(&address.parse().ok()?)
    }

    #[test]
    fn an_address_is_decoded_once() {
        let request = of("/r/entry/a%20b/c%2525.md?q=x+y%26z&page=2").unwrap();
        assert_eq!(request.path, ["r", "entry", "a b", "c%25.md"]);
        assert_eq!(
            (request.get("q"), request.get("page"), request.get("x")),
            (Some("x y&z"), Some("2"), None)
        );
        for address in
            ["/a%2fb", "/a%5Cb", "/a%00", "/%ff", "/%zz", "/%4", &format!("/{}", "a".repeat(9_000))]
        {
            assert_eq!(of(address), None, "{address}");
        }
    }

    #[test]
    fn a_form_has_lines_and_an_address_goes_back_to_its_page() {
        let told = fields(b"text=a+b%0D%0Ac%26&seen=1%20x.md&text=").unwrap();
        let told: Vec<(&str, &str)> = told.iter().map(|(name, value)| (&**name, &**value)).collect();
        assert_eq!(told, [("text", "a b\nc&"), ("seen", "1 x.md"), ("text", "")]);
        assert_eq!(fields(b"text=%00"), None);
        assert_eq!(fields(b"text=\xff"), None);
        assert_eq!(of("/r/entry/a%20b/c.md?done=3&at=x%26y").unwrap().below(), "/entry/a%20b/c.md?at=x%26y");
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn no_part_of_a_path_has_what_leads_elsewhere(address in "/[a-c%2fF0./]{0,12}") {
            if let Some(request) = of(&address) {
                prop_assert!(request.path.iter().all(|part| !part.contains(['/', '\\', '\0'])), "{:?}", request);
            }
        }
    }
}
