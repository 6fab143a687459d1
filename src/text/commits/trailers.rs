//! Find the trailers of a commit message: `Key: value` lines in the paragraphs that end it.
//!
//! Decides as git does which paragraph is a block of trailers, and takes every block at the end, since tools often add
//! theirs below a blank line. Does not know what a key means.

/// One trailer, with its continuation lines unfolded and white space collapsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Trailer {
    pub key: String,
    pub value: String,
}

/// A message body in two parts: the text, and the trailers below it in order.
pub(super) struct Parts<'a> {
    pub text: &'a str,
    pub trailers: Vec<Trailer>,
}

/// Lines that git writes itself. With one of them, other lines may stand in the block.
const OF_GIT: [&str; 2] = ["Signed-off-by: ", "(cherry picked from commit "];

/// Split the part of a message that follows its subject. The subject must not be in it, since it is never a block.
pub(super) fn split(body: &str) -> Parts<'_> {
    let mut end = body.trim_end().len();
    let mut blocks = Vec::new();
    loop {
        let start = paragraph_start(&body[..end]);
        let lines: Vec<&str> = body[start..end].lines().collect();
        if is_block(&lines) {
            blocks.push(lines);
        } else if !is_ruler(&lines) || blocks.is_empty() {
            break;
        }
        end = body[..start].trim_end().len();
        if end == 0 {
            break;
        }
    }
    let trailers = blocks.iter().rev().flat_map(|lines| unfolded(lines)).collect();
    Parts { text: &body[..end], trailers }
}

/// Where the last paragraph of a text starts that ends in no blank line.
fn paragraph_start(text: &str) -> usize {
    let mut start = text.len();
    while start > 0 {
        let before = text[..start].strip_suffix('\n').unwrap_or(&text[..start]);
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        if text[line..start].trim().is_empty() {
            break;
        }
        start = line;
    }
    start
}

/// Whether a paragraph is a block: trailers only, or at least a quarter of them and one of git's own.
fn is_block(lines: &[&str]) -> bool {
    let (mut trailers, mut others, mut has_own) = (0_usize, 0_usize, false);
    let mut goes_on = false;
    for line in lines {
        if goes_on && line.starts_with([' ', '\t']) {
            continue;
        }
        let is_own = OF_GIT.iter().any(|start| line.starts_with(start));
        goes_on = is_own || key_and_value(line).is_some();
        has_own |= is_own;
        if goes_on { trailers += 1 } else { others += 1 }
    }
    trailers > 0 && (others == 0 || (has_own && trailers * 3 >= others))
}

/// A line of dashes alone, which some hosts put above the trailers that they add.
fn is_ruler(lines: &[&str]) -> bool {
    matches!(lines, [line] if line.trim().len() >= 3 && line.trim().bytes().all(|byte| byte == b'-'))
}

fn unfolded(lines: &[&str]) -> Vec<Trailer> {
    let mut trailers: Vec<Trailer> = Vec::new();
    let mut goes_on = false;
    for line in lines {
        match key_and_value(line) {
            _ if goes_on && line.starts_with([' ', '\t']) => {
                if let Some(last) = trailers.last_mut() {
                    last.value.push(' ');
                    last.value.push_str(line);
                }
            }
            Some((key, value)) => {
                trailers.push(Trailer { key: key.to_owned(), value: value.to_owned() });
                goes_on = true;
            }
            None => goes_on = false,
        }
    }
    for trailer in &mut trailers {
        trailer.value = super::one_line(&trailer.value);
    }
    trailers
}

/// `Key: value`; git allows blanks before the colon and needs none after it.
fn key_and_value(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let key = key.trim_end_matches([' ', '\t']);
    let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_key.then_some((key, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> (&str, Vec<(String, String)>) {
        let Parts { text, trailers } = split(body);
        (text, trailers.into_iter().map(|one| (one.key, one.value)).collect())
    }

    fn keys(body: &str) -> Vec<String> {
        split(body).trailers.into_iter().map(|one| one.key).collect()
    }

    #[test]
    fn the_last_paragraph_is_a_block_if_all_its_lines_are_trailers() {
        let one = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(read("Fact: a\nx-y : b\n"), ("", vec![one("Fact", "a"), one("x-y", "b")]));
        assert_eq!(read("Text.\n\nFact:a\n\n"), ("Text.", vec![one("Fact", "a")]));
        assert_eq!(read("Fact: a\nText."), ("Fact: a\nText.", vec![]));
        assert_eq!(read("Fact: a\n\nText."), ("Fact: a\n\nText.", vec![]));
        assert_eq!(read(" Fact: a"), (" Fact: a", vec![]));
        assert_eq!(read(""), ("", vec![]));
        assert_eq!(read(" \n\n"), ("", vec![]));
    }

    #[test]
    fn continuation_lines_are_unfolded() {
        let one = |value: &str| vec![("Fact".to_owned(), value.to_owned())];
        assert_eq!(read("Fact: a\n  b\n\tc").1, one("a b c"));
        assert_eq!(read("Fact: a\r\n  b\r\n").1, one("a b"));
        assert_eq!(read("Fact: a\0b\u{1b}c").1, one("a b c"));
        assert_eq!(read("Fact:\n  late").1, one("late"));
    }

    #[test]
    fn other_lines_are_tolerated_beside_those_of_git_only() {
        assert_eq!(keys("Fact: a\nfree text\nSigned-off-by: A <a@b>"), ["Fact", "Signed-off-by"]);
        assert_eq!(keys("Fact: a\n(cherry picked from commit 1234)"), ["Fact"]);
        assert_eq!(keys("Fact: a\nfree text\nTested: yes"), Vec::<String>::new());
        assert_eq!(keys("one\ntwo\nthree\nfour\nSigned-off-by: A <a@b>"), Vec::<String>::new());
        // a line that continues none of the trailers
        assert_eq!(read("Fact: a\nfree\n  more\nSigned-off-by: A").1[0].1, "a");
    }

    #[test]
    fn every_block_at_the_end_counts() {
        assert_eq!(keys("Text.\n\nFact: a\n\nSigned-off-by: A"), ["Fact", "Signed-off-by"]);
        assert_eq!(keys("Text.\n\nFact: a\n\n---------\n\nCo-authored-by: A"), ["Fact", "Co-authored-by"]);
        assert_eq!(keys("Fact: a\n\nText.\n\nSigned-off-by: A"), ["Signed-off-by"]);
        assert_eq!(read("Text.\n\n---"), ("Text.\n\n---", vec![]));
    }
}
