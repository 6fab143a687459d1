//! Check that a path is portable: what every file system and every git version accepts.
//!
//! Paths that differ only in case are not found here, since one path alone cannot tell: the users of
//! [`super::TreePath`] that hold the whole set check for them.

use bstr::ByteSlice as _;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// The longest portable path, in bytes of UTF-8.
pub const MAX_PATH_BYTES: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unportable {
    /// `a//b`, a leading or a trailing slash, or nothing at all.
    EmptyPart,
    Dots,
    /// `.git` in any disguise: case, trailing dots and spaces, `git~1`, ignorable code points, an NTFS stream.
    GitDirectory,
    DeviceName,
    /// A part that ends in a dot or a space, which Windows drops.
    TrailingDotOrSpace,
    /// A control character, or one of `\ : * ? " < > |`.
    Character,
    NotUtf8,
    /// Not in Unicode normalisation form C, so that macOS would give it another name.
    NotNormalized,
    TooLong,
}

impl Unportable {
    /// What is wrong with the path, worded to follow its name.
    pub const fn words(self) -> &'static str {
        match self {
            Self::EmptyPart => "has an empty part",
            Self::Dots => "has a `.` or `..` part",
            Self::GitDirectory => "has a part that git reserves for itself",
            Self::DeviceName => "has a part that Windows reserves for a device",
            Self::TrailingDotOrSpace => "has a part that ends with a dot or a space",
            Self::Character => "has a character that is not portable",
            Self::NotUtf8 => "is not valid UTF-8",
            Self::NotNormalized => "is not in Unicode normalisation form C",
            Self::TooLong => "is longer than 200 bytes",
        }
    }
}

impl std::fmt::Display for Unportable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.words())
    }
}

impl std::error::Error for Unportable {}

impl Unportable {
    /// Whether the path could write outside the tree or into git's own folder. A remote update with such a path is
    /// rejected as a whole; a path that is only unportable stays in the commit and is not written to disk.
    pub const fn is_unsafe(self) -> bool {
        matches!(
            self,
            Self::EmptyPart
                | Self::Dots
                | Self::GitDirectory
                | Self::DeviceName
                | Self::TrailingDotOrSpace
                | Self::Character
        )
    }
}

/// The path as text if it is portable.
///
/// # Errors
/// The first rule it breaks; rules about safety come before those about form.
pub fn check(path: &[u8]) -> Result<&str, Unportable> {
    for part in path.split(|byte| *byte == b'/') {
        check_part(part)?;
    }
    let text = std::str::from_utf8(path).map_err(|_| Unportable::NotUtf8)?;
    if text.len() > MAX_PATH_BYTES {
        return Err(Unportable::TooLong);
    }
    if !is_normalized(text) {
        return Err(Unportable::NotNormalized);
    }
    Ok(text)
}

fn check_part(part: &[u8]) -> Result<(), Unportable> {
    if part.is_empty() {
        return Err(Unportable::EmptyPart);
    }
    if part == b"." || part == b".." {
        return Err(Unportable::Dots);
    }
    if is_git_directory(part) {
        return Err(Unportable::GitDirectory);
    }
    if part.iter().any(|byte| REFUSED[usize::from(*byte)]) || has_c1_control(part) {
        return Err(Unportable::Character);
    }
    if is_device_name(part) {
        return Err(Unportable::DeviceName);
    }
    if matches!(part.last(), Some(b'.' | b' ')) {
        return Err(Unportable::TrailingDotOrSpace);
    }
    Ok(())
}

/// By byte: ASCII control characters, and the characters that Windows or a shell treats specially.
const REFUSED: [bool; 256] = {
    let (mut refused, mut byte) = ([false; 256], 0);
    while byte < 128 {
        let is_special = matches!(byte, b'\\' | b':' | b'*' | b'?' | b'"' | b'<' | b'>' | b'|');
        refused[byte as usize] = is_special || byte.is_ascii_control();
        byte += 1;
    }
    refused
};

fn is_normalized(text: &str) -> bool {
    text.is_ascii()
        || match is_nfc_quick(text.chars()) {
            IsNormalized::Yes => true,
            IsNormalized::No => false,
            IsNormalized::Maybe => text.nfc().eq(text.chars()),
        }
}

/// C1 controls (U+0080 to U+009F) act as escapes in terminals just as C0 controls do.
fn has_c1_control(part: &[u8]) -> bool {
    !part.is_ascii() && part.windows(2).any(|pair| pair[0] == 0xc2 && (0x80..=0x9f).contains(&pair[1]))
}

/// `.git` as NTFS, HFS+ or a careless reader would see it.
///
/// NTFS drops trailing dots and spaces, reads `git~1` as the short name of `.git` and `.git::$INDEX_ALLOCATION` as
/// the folder itself; HFS+ ignores zero-width code points (the list is Apple's, as in git's `utf8.c`).
fn is_git_directory(part: &[u8]) -> bool {
    // no disguise of `.git` begins with any other ordinary letter
    if !matches!(part.first(), Some(b'.' | b'g' | b'G' | 0x80..)) {
        return false;
    }
    let is_name = |name: &[u8]| {
        let name = name.trim_end_with(|c| matches!(c, '.' | ' '));
        name.eq_ignore_ascii_case(b".git") || name.eq_ignore_ascii_case(b"git~1")
    };
    if part.is_ascii() {
        return part.split(|byte| matches!(byte, b':' | b'\\')).next().is_some_and(is_name);
    }
    let visible: String = String::from_utf8_lossy(part).chars().filter(|c| !is_ignored_by_hfs(*c)).collect();
    visible.split([':', '\\']).next().is_some_and(|name| is_name(name.as_bytes()))
}

const fn is_ignored_by_hfs(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// `CON`, `NUL.md`, `com1`: the part before the first dot decides.
fn is_device_name(part: &[u8]) -> bool {
    let stem = part.split(|byte| *byte == b'.').next().unwrap_or_default().trim_ascii_end();
    match stem.len() {
        3 => [b"CON", b"PRN", b"AUX", b"NUL"].iter().any(|name| stem.eq_ignore_ascii_case(*name)),
        4 => {
            [b"COM", b"LPT"].iter().any(|name| stem[..3].eq_ignore_ascii_case(*name))
                && stem[3].is_ascii_digit()
        }
        6 => stem.eq_ignore_ascii_case(b"CONIN$"),
        7 => stem.eq_ignore_ascii_case(b"CONOUT$"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_paths_in_every_script_are_portable() {
        for path in
            ["a.md", "auth/jwt/token_ttl.md", "観測/計画.md", "пример/файл.md", "a b/c d.md", ".github/x.yml"]
        {
            assert_eq!(check(path.as_bytes()), Ok(path));
        }
    }

    #[test]
    fn every_disguise_of_the_git_folder_is_refused() {
        for path in
            [".git/x", ".GIT", "a/.Git/config", "git~1", ".git. .", ".git::$INDEX_ALLOCATION", ".g\u{200c}it"]
        {
            assert_eq!(check(path.as_bytes()), Err(Unportable::GitDirectory), "{path}");
        }
    }

    #[test]
    fn each_rule_names_itself() {
        let long = "a/".repeat(100) + "b";
        for (path, why) in [
            ("", Unportable::EmptyPart),
            ("/a", Unportable::EmptyPart),
            ("a//b", Unportable::EmptyPart),
            ("../x", Unportable::Dots),
            ("a/./b", Unportable::Dots),
            ("CON", Unportable::DeviceName),
            ("a/nul.md", Unportable::DeviceName),
            ("com7.txt", Unportable::DeviceName),
            ("a./b", Unportable::TrailingDotOrSpace),
            ("a ", Unportable::TrailingDotOrSpace),
            ("a\\b", Unportable::Character),
            ("a\u{1b}b", Unportable::Character),
            ("a\u{9b}b", Unportable::Character),
            ("a:b", Unportable::Character),
            ("e\u{301}.md", Unportable::NotNormalized),
            (long.as_str(), Unportable::TooLong),
        ] {
            assert_eq!(check(path.as_bytes()), Err(why), "{path:?}");
        }
        assert_eq!(check(b"a\xff.md"), Err(Unportable::NotUtf8));
    }

    #[test]
    fn names_that_only_begin_like_a_device_are_fine() {
        for path in ["console.md", "com.md", "lpt10.md", "nullable.md"] {
            assert!(check(path.as_bytes()).is_ok(), "{path}");
        }
    }
}
