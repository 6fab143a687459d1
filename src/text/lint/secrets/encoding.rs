//! Text in UTF-16, as editors and shells of Windows write it.

/// The text of bytes that are not UTF-8: UTF-16, or else the text between zeros, as in UTF-32 and in files that
/// begin in another encoding.
pub(super) fn decoded(bytes: &[u8]) -> Option<String> {
    let without_zeros = || {
        bytes.contains(&0).then(|| {
            let rest: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
            String::from_utf8_lossy(&rest).into_owned()
        })
    };
    utf16(bytes).or_else(without_zeros)
}

/// The text of bytes in UTF-16: with a byte order mark, or with a zero in every other of the first bytes. What is no
/// character becomes U+FFFD.
fn utf16(bytes: &[u8]) -> Option<String> {
    let (is_little, bytes) = match bytes {
        [0xff, 0xfe, rest @ ..] => (true, rest),
        [0xfe, 0xff, rest @ ..] => (false, rest),
        _ if is_half_zero(bytes, 1) => (true, bytes),
        _ if is_half_zero(bytes, 0) => (false, bytes),
        _ => return None,
    };
    let unit = |pair| if is_little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) };
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    Some(char::decode_utf16(units).map(|one| one.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
}

/// Whether of the first pairs of bytes each has a zero in one place and none in the other: Latin text.
fn is_half_zero(bytes: &[u8], zero: usize) -> bool {
    const PAIRS: usize = 16;
    let mut pairs = bytes.chunks_exact(2).take(PAIRS);
    bytes.len() >= 2 * PAIRS && pairs.all(|pair| pair[zero] == 0 && pair[1 - zero] != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_orders_are_read_with_a_mark_and_without() {
        let text = "key = value of a setting\né🦀 end";
        let units: Vec<u16> = text.encode_utf16().collect();
        let (little, big): (Vec<u8>, Vec<u8>) = (
            units.iter().flat_map(|unit| unit.to_le_bytes()).collect(),
            units.iter().flat_map(|unit| unit.to_be_bytes()).collect(),
        );
        assert_eq!(utf16(&[b"\xff\xfe", little.as_slice()].concat()).as_deref(), Some(text));
        assert_eq!(utf16(&[b"\xfe\xff", big.as_slice()].concat()).as_deref(), Some(text));
        assert_eq!(utf16(&little).as_deref(), Some(text));
        assert_eq!(utf16(&big).as_deref(), Some(text));
        assert_eq!(utf16(text.as_bytes()), None);
        assert_eq!(utf16(b"\xff\xfe\0\xd8").as_deref(), Some("\u{fffd}"));
        assert_eq!(utf16(b""), None);
    }

    #[test]
    fn what_stands_between_zeros_is_read() {
        let utf32: Vec<u8> = "key of CI".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
        assert_eq!(decoded(&utf32).as_deref(), Some("key of CI"));
        let late: Vec<u8> =
            [b"# notes\n".to_vec(), "key".encode_utf16().flat_map(u16::to_le_bytes).collect()].concat();
        assert_eq!(decoded(&late).as_deref(), Some("# notes\nkey"));
        assert_eq!(decoded(b"text"), None);
    }
}
