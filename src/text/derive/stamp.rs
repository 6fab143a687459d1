//! The stamp that marks a file as written by brv and unedited.
//!
//! `brv/1 <key> <sum>`: the key identifies the inputs of the file, the sum is the first half of the git blob id of the
//! file with the sum's digits blanked. In markdown it is the last field of the frontmatter, in JSON the field `stamp`
//! among the first. A stamp can be forged: it protects against accidents, not against malice. Does not know the content
//! of the file.

use super::key::Key;
use brv_base::content::ContentId;

/// The placeholder for the sum while it is computed.
const BLANK: &str = "0000000000000000";

/// The stamp must begin within this many bytes of a JSON file.
const JSON_HEAD: usize = 256;

/// Who wrote a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stamp {
    /// brv wrote every byte of it, from the inputs that `key` identifies.
    Ours { key: Key },
    /// It has a stamp, but was edited since brv wrote it: never overwritten.
    Altered,
    /// It has no stamp: another tool's file with a derived name, never overwritten.
    Foreign,
}

/// Check the stamp of a whole file.
pub fn read(file: &[u8]) -> Stamp {
    let Some(found) = find(file) else { return Stamp::Foreign };
    let mut blanked = file.to_vec();
    blanked[found.sum_at..found.sum_at + BLANK.len()].copy_from_slice(BLANK.as_bytes());
    if Key::first_half(ContentId::of(&blanked)) == found.sum {
        Stamp::Ours { key: found.key }
    } else {
        Stamp::Altered
    }
}

/// The stamp's text with the sum still blank; [`seal`] fills it in.
pub(super) fn unsealed(key: Key) -> String {
    format!("brv/{} {key} {BLANK}", super::FORMAT)
}

/// Fill in the sum of a file that carries an [`unsealed`] stamp.
pub(super) fn seal(mut file: String) -> String {
    let sum = Key::first_half(ContentId::of(file.as_bytes())).to_string();
    if let Some(found) = find(file.as_bytes()) {
        file.replace_range(found.sum_at..found.sum_at + sum.len(), &sum);
    }
    file
}

struct ParsedStamp {
    key: Key,
    sum: Key,
    sum_at: usize,
}

fn find(file: &[u8]) -> Option<ParsedStamp> {
    let at = if file.starts_with(b"{") { in_json(file)? } else { in_frontmatter(file)? };
    parse(file, at)
}

/// The start of the stamp's text in the last line before the closing fence.
fn in_frontmatter(file: &[u8]) -> Option<usize> {
    let mut lines = file.split_inclusive(|byte| *byte == b'\n');
    let opening = lines.next().filter(|line| line.trim_ascii_end() == b"---")?;
    let (mut start, mut last) = (opening.len(), 0..0);
    for line in lines {
        if line.trim_ascii_end() == b"---" {
            let prefix: &[u8] = b"stamp: ";
            return file[last.clone()].starts_with(prefix).then_some(last.start + prefix.len());
        }
        last = start..start + line.len();
        start = last.end;
    }
    None
}

fn in_json(file: &[u8]) -> Option<usize> {
    let name = b"\"stamp\": \"";
    let head = &file[..file.len().min(JSON_HEAD)];
    head.windows(name.len()).position(|window| window == name).map(|at| at + name.len())
}

/// `brv/<version> <key> <sum>` at `at`, then the end of the line or of the string.
fn parse(file: &[u8], at: usize) -> Option<ParsedStamp> {
    let text = file[at..].strip_prefix(b"brv/")?;
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let key_at = at + 4 + digits + 1;
    let sum_at = key_at + 17;
    let rest = file.get(sum_at + 16..)?;
    let shaped = digits > 0
        && file[key_at - 1] == b' '
        && file[sum_at - 1] == b' '
        && matches!(rest.first(), None | Some(b'\n' | b'\r' | b'"'));
    let key = Key::from_hex(&file[key_at..key_at + 16]).filter(|_| shaped)?;
    Some(ParsedStamp { key, sum: Key::from_hex(&file[sum_at..sum_at + 16])?, sum_at })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markdown() -> (Key, String) {
        let key = Key::of("test", &[b"x"]);
        (key, seal(format!("---\ntype: summary\nstamp: {}\n---\n\nText.\n", unsealed(key))))
    }

    #[test]
    fn a_sealed_file_is_ours() {
        let (key, file) = markdown();
        assert_eq!(read(file.as_bytes()), Stamp::Ours { key });
        let json =
            seal(format!("{{\n  \"version\": 1,\n  \"stamp\": \"{}\",\n  \"a\": 2\n}}\n", unsealed(key)));
        assert_eq!(read(json.as_bytes()), Stamp::Ours { key });
    }

    #[test]
    fn any_changed_byte_is_seen() {
        let (key, file) = markdown();
        for at in 0..file.len() {
            let mut bytes = file.clone().into_bytes();
            bytes[at] ^= 1;
            assert_ne!(read(&bytes), Stamp::Ours { key }, "byte {at}");
        }
        let mut longer = file.clone();
        longer.push('x');
        assert_eq!(read(longer.as_bytes()), Stamp::Altered);
        assert_eq!(read(file.replace('\n', "\r\n").as_bytes()), Stamp::Altered);
    }

    #[test]
    fn what_has_no_stamp_in_its_place_is_foreign() {
        let (_, file) = markdown();
        let body_only = format!("text\n{file}");
        let not_last = file.replace("\n---\n\n", "\nmore: 1\n---\n\n");
        let cut = &file[..file.find("stamp").unwrap_or(0) + 20];
        for text in [
            "",
            "{",
            "---",
            "---\nstamp: brv/\n---\n",
            "---\nstamp: brv/1 ab cd\n---\n",
            cut,
            &body_only,
            &not_last,
        ] {
            assert_eq!(read(text.as_bytes()), Stamp::Foreign, "{text}");
        }
    }
}
