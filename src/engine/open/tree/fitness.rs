//! Check the size and encoding of a curated file's content.

use brv_base::path::PathKind;

/// The maximum size of a curated file: 1 MiB.
pub const MAX_BYTES: usize = 1 << 20;

/// Why content is not valid for a curated file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error("it is larger than 1 MiB")]
    TooLarge,
    #[error("it has a NUL byte")]
    Nul,
    #[error("it is not valid UTF-8")]
    NotUtf8,
}

/// Check the content of a file of this kind. Only curated files are checked.
///
/// # Errors
/// The first rule of [`Unfit`] that is broken.
pub fn check_content(kind: PathKind, bytes: &[u8]) -> Result<(), Unfit> {
    if !kind.is_curated() {
        return Ok(());
    }
    if bytes.len() > MAX_BYTES {
        return Err(Unfit::TooLarge);
    }
    if bytes.contains(&0) {
        return Err(Unfit::Nul);
    }
    std::str::from_utf8(bytes).map(|_| ()).map_err(|_| Unfit::NotUtf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curated_files_are_small_text_and_support_files_are_anything() {
        assert_eq!(check_content(PathKind::Entry, "観測".as_bytes()), Ok(()));
        assert_eq!(check_content(PathKind::Entry, b"a\0b"), Err(Unfit::Nul));
        assert_eq!(check_content(PathKind::NodeOverview, b"\xff"), Err(Unfit::NotUtf8));
        assert_eq!(check_content(PathKind::Entry, &vec![b'a'; MAX_BYTES]), Ok(()));
        assert_eq!(check_content(PathKind::Entry, &vec![b'a'; MAX_BYTES + 1]), Err(Unfit::TooLarge));
        assert_eq!(check_content(PathKind::Support, b"\0\xff"), Ok(()));
    }
}
