//! Writer for HTML text, which escapes untrusted text.
//!
//! brv's own HTML and untrusted text are written with different methods: [`Sheet::own`] takes only text of this
//! program, since only that is `'static`, and [`Sheet::value`] escapes.

use brv_base::escape::{EscapedPart, each_seen, entities, escape};
use brv_text::lint::secrets;
use std::borrow::Cow;
use std::fmt::Write as _;

/// A page, or a part of it.
#[derive(Debug, Default)]
pub(crate) struct Sheet {
    html: String,
    /// Whether secrets in untrusted text are masked.
    masks: bool,
}

impl Sheet {
    /// A page on which no secret of an entry stands.
    pub(crate) fn masking() -> Self {
        Self { masks: true, ..Self::default() }
    }

    pub(crate) fn own(&mut self, html: &'static str) -> &mut Self {
        self.html.push_str(html);
        self
    }

    /// Write untrusted text: it cannot end the element it is in, and invisible characters are shown as escapes.
    pub(crate) fn value(&mut self, text: impl AsRef<[u8]>) -> &mut Self {
        let text = text.as_ref();
        let masked = self.masks.then(|| secrets::masked_bytes(text.to_vec()));
        each_seen(masked.as_deref().unwrap_or(text), |seen| match seen {
            EscapedPart::Text(text) => self.escaped(text),
            EscapedPart::Escape(escape) => {
                self.html.push_str("<code class=\"x\">");
                self.escaped(&escape);
                self.html.push_str("</code>");
            }
        });
        self
    }

    /// Write untrusted text where no element is allowed: in a title, or in an attribute in double quotes.
    pub(crate) fn bare(&mut self, text: impl AsRef<[u8]>) -> &mut Self {
        let text = escape(text.as_ref());
        let text = if self.masks { Cow::Owned(secrets::masked(&text).into_owned()) } else { text };
        self.escaped(&text);
        self
    }

    /// Write a value that a browser sends back as it is, in an attribute in double quotes or in a field: only what would end
    /// it is escaped, and nothing is masked.
    pub(crate) fn exact(&mut self, text: &str) -> &mut Self {
        self.escaped(text);
        self
    }

    pub(crate) fn number(&mut self, number: usize) -> &mut Self {
        write!(self.html, "{number}").expect("memory takes all text");
        self
    }

    /// Write the name of an anchor, for `id` and after `#`. See [`anchor`].
    pub(crate) fn anchor(&mut self, name: &str) -> &mut Self {
        debug_assert!(name.bytes().all(is_plain_in_anchors), "made by `anchor`");
        self.html.push_str(name);
        self
    }

    pub(crate) fn finish(self) -> String {
        self.html
    }

    fn escaped(&mut self, text: &str) {
        entities(&mut self.html, text);
    }
}

/// The anchor of a path on the page: letters, digits and `-_./` unchanged, other bytes as `~` and two hex digits.
/// Different paths have different anchors, and none has a `:`, which brv's own anchors have.
pub(crate) fn anchor(path: &[u8]) -> String {
    let mut name = String::with_capacity(path.len());
    for byte in path {
        match byte {
            b'~' | b':' => write!(name, "~{byte:02x}").expect("memory takes all text"),
            byte if is_plain_in_anchors(*byte) => name.push(char::from(*byte)),
            byte => write!(name, "~{byte:02x}").expect("memory takes all text"),
        }
    }
    name
}

const fn is_plain_in_anchors(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b'~' | b':')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(text: &[u8]) -> String {
        let mut sheet = Sheet::default();
        sheet.value(text);
        sheet.finish()
    }

    #[test]
    fn what_would_act_is_shown_instead() {
        assert_eq!(value(b"<script>\"a\" & 'b'"), "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;");
        assert_eq!(
            value("a\u{202e}b\0\x1b\u{feff}".as_bytes()),
            "a<code class=\"x\">\\u{202e}</code>b<code class=\"x\">\\x00</code><code class=\"x\">\\x1b</code>\
             <code class=\"x\">\\u{feff}</code>"
        );
    }

    #[test]
    fn a_path_names_its_place_readably() {
        assert_eq!(anchor(b"auth/jwt/tokens.md"), "auth/jwt/tokens.md");
        assert_eq!(anchor("a b~\":é".as_bytes()), "a~20b~7e~22~3a~c3~a9");
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn a_value_never_opens_or_closes_anything(text in prop::collection::vec(any::<u8>(), 0..60)) {
            let html = value(&text);
            let own = html.replace("<code class=\"x\">", "").replace("</code>", "");
            prop_assert!(!own.contains(['<', '>', '"', '\'']), "{}", own);
            prop_assert!(!own.replace("&amp;", "").replace("&lt;", "").replace("&gt;", "").replace("&quot;", "").replace("&#39;", "").contains('&'));
        }

        #[test]
        fn different_paths_have_different_places(one in "[a~: %\u{e9}2c]{0,6}", other in "[a~: %\u{e9}2c]{0,6}") {
            prop_assert_eq!(one == other, anchor(one.as_bytes()) == anchor(other.as_bytes()));
        }
    }
}
