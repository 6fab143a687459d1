//! Turns the text of a commit into UTF-8, from the encoding that its header names.
//!
//! Knows the encodings of the WHATWG standard, by its labels and by some names that iconv has for them.

use encoding_rs::Encoding;
use std::borrow::Cow;

/// Names that iconv knows and the standard does not.
const OTHER_NAMES: [(&str, &str); 6] = [
    ("cp932", "shift_jis"),
    ("cp936", "gbk"),
    ("cp949", "euc-kr"),
    ("cp950", "big5"),
    ("eucjp", "euc-jp"),
    ("euckr", "euc-kr"),
];

/// The text in UTF-8; as it is if it has no encoding header, or one with an unknown name.
pub(super) fn to_utf8<'a>(text: &'a [u8], encoding: Option<&[u8]>) -> Cow<'a, [u8]> {
    let Some(encoding) = encoding.and_then(named).filter(|encoding| *encoding != encoding_rs::UTF_8) else {
        return Cow::Borrowed(text);
    };
    match encoding.decode_without_bom_handling(text).0 {
        // only ASCII
        Cow::Borrowed(_) => Cow::Borrowed(text),
        Cow::Owned(decoded) => Cow::Owned(decoded.into_bytes()),
    }
}

fn named(name: &[u8]) -> Option<&'static Encoding> {
    let name = name.trim_ascii().to_ascii_lowercase();
    let other = OTHER_NAMES.iter().find(|(other, _)| other.as_bytes() == name);
    let label = other.map_or(&*name, |(_, label)| label.as_bytes());
    // a commit's headers are ASCII, so it cannot be UTF-16
    Encoding::for_label_no_replacement(label)
        .filter(|encoding| encoding.is_ascii_compatible() || is_jis(encoding))
}

/// ISO-2022-JP begins as ASCII and changes by escape sequences.
fn is_jis(encoding: &Encoding) -> bool {
    *encoding == *encoding_rs::ISO_2022_JP
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_in_its_encoding() {
        for (encoding, text, read) in [
            ("ISO-8859-1", b"caf\xe9 M\xfcller".as_slice(), "café Müller"),
            ("latin1", b"caf\xe9", "café"),
            ("ISO-8859-15", b"5 \xa4", "5 €"),
            ("CP1252", b"\x93a\x94", "“a”"),
            ("Shift_JIS", b"\x93\xfa\x96{", "日本"),
            ("SJIS", b"\x93\xfa", "日"),
            ("cp932", b"\x93\xfa", "日"),
            ("eucJP", b"\xc6\xfc\xcb\xdc", "日本"),
            ("ISO-2022-JP", b"\x1b$BF|K\\\x1b(B!", "日本!"),
            ("KOI8-R", b"\xf0\xd2\xc9\xd7\xc5\xd4", "Привет"),
            ("GBK", b"\xc4\xe3", "你"),
            ("utf-8", "é".as_bytes(), "é"),
            ("x-unknown", "é".as_bytes(), "é"),
            ("UTF-16", b"ab", "ab"),
        ] {
            let found = to_utf8(text, Some(encoding.as_bytes()));
            assert_eq!(String::from_utf8_lossy(&found), read, "{encoding}");
        }
        assert_eq!(to_utf8(b"\xe9", None).as_ref(), b"\xe9");
        assert_eq!(to_utf8(b"\xe9", Some(b"x-unknown")).as_ref(), b"\xe9");
    }
}
