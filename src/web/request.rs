//! What a request asks for: its path and query, each decoded once, and its cookie.

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
        let path = path.strip_prefix('/')?.split('/').map(|part| decoded(part, false));
        let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((decoded(name, true)?, decoded(value, true)?))
        });
        Some(Self { path: path.collect::<Option<_>>()?, query: pairs.collect::<Option<_>>()? })
    }

    /// The value of a name of the query.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Percent-encoded text, decoded once; in a query `+` is a space. `None`: it is not UTF-8, or has a control character or what
/// separates folders.
fn decoded(text: &str, is_query: bool) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                u8::try_from(digit(rest.next())? * 16 + digit(rest.next())?).ok()?
            }
            b'+' if is_query => b' ',
            byte => byte,
        });
    }
    let text = String::from_utf8(bytes).ok()?;
    let is_unfit = |char: char| char.is_control() || (!is_query && matches!(char, '/' | '\\'));
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
