//! Write conflict markers with the base, in git's `diff3` style.

use super::Names;

/// Write the three texts with markers around them, without a line ending at the end.
pub(super) fn write(into: &mut Vec<u8>, [base, ours, theirs]: [&[u8]; 3], names: Names<'_>, newline: &str) {
    let mut part = |marker: &str, name: &str, text: &[u8]| {
        into.extend_from_slice(marker.as_bytes());
        if !name.is_empty() {
            into.push(b' ');
            into.extend_from_slice(name.as_bytes());
        }
        into.extend_from_slice(newline.as_bytes());
        into.extend_from_slice(text);
        if !text.is_empty() && !text.ends_with(b"\n") {
            into.extend_from_slice(newline.as_bytes());
        }
    };
    part("<<<<<<<", names.ours, ours);
    part("|||||||", names.base, base);
    part("=======", "", theirs);
    into.extend_from_slice(b">>>>>>> ");
    into.extend_from_slice(names.theirs.as_bytes());
}
