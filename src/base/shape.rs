//! Look at a text before a parser does: how long it is, how deeply it is nested, how much it repeats.
//!
//! Parsers of YAML and JSON take more than linear time for some of that, and for aliases more memory than there is. The bytes are
//! only counted: what is nested less deeply than it seems to be is rejected as well, and nothing is understood.

/// The most bytes of a text that people write: settings, a policy.
pub const MOST_BYTES: usize = 1 << 20;

/// The most levels of nesting.
pub const MOST_LEVELS: usize = 64;

/// The most aliases of a YAML text: each may repeat everything before it.
const MOST_ALIASES: usize = 8;

/// The most bytes of a YAML text with aliases.
const MOST_BYTES_REPEATED: usize = 64 << 10;

/// The most directives of a YAML text (`%TAG`): each is compared with all before it.
const MOST_DIRECTIVES: usize = 8;

/// Why a text is not parsed, worded to follow the name of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error("is larger than {} MiB", .0 >> 20)]
    Large(usize),
    #[error("is nested more than {MOST_LEVELS} levels deep")]
    Deep,
    #[error("repeats itself by too many aliases or directives")]
    Repeating,
}

/// Whether a YAML text that people write may be parsed.
///
/// # Errors
/// Why not.
pub fn yaml(bytes: &[u8]) -> Result<(), Unfit> {
    if bytes.len() > MOST_BYTES {
        return Err(Unfit::Large(MOST_BYTES));
    }
    let (mut levels, mut open, mut aliases, mut directives) = (Vec::new(), 0, 0, 0);
    for line in bytes.split(|byte| matches!(byte, b'\n' | b'\r')) {
        let column = line.iter().take_while(|byte| **byte == b' ').count();
        let rest = line[column..].trim_ascii_start();
        // neither a comment nor what looks like one within a text opens anything
        if rest.is_empty() || rest.starts_with(b"#") {
            continue;
        }
        directives += usize::from(line.starts_with(b"%"));
        nest(&mut levels, &line[column..], column);
        // marks that close may stand in texts, where they close nothing
        open += rest.iter().filter(|byte| matches!(byte, b'[' | b'{')).count();
        aliases += self::aliases(rest);
        // the keys of the file itself are not a level
        if levels.len() - 1 + open > MOST_LEVELS {
            return Err(Unfit::Deep);
        }
    }
    let repeats = aliases > MOST_ALIASES || aliases > 0 && bytes.len() > MOST_BYTES_REPEATED;
    if repeats || directives > MOST_DIRECTIVES { Err(Unfit::Repeating) } else { Ok(()) }
}

/// What is open at a column: the items of a list, or the keys of a mapping.
#[derive(Clone, Copy, PartialEq, Eq)]
struct NestingLevel {
    column: usize,
    is_item: bool,
}

/// Note the levels on which a line stands: that of its text, and one for each `- ` and `? ` before it.
fn nest(levels: &mut Vec<NestingLevel>, mut rest: &[u8], mut column: usize) {
    loop {
        let is_item = matches!(rest, [b'-' | b'?' | b':', b' ' | b'\t', ..] | [b'-' | b'?']);
        // a list may stand at the column of the key that it belongs to
        let stays =
            |last: &NestingLevel| last.column < column || last.column == column && is_item && !last.is_item;
        while levels.last().is_some_and(|last| !stays(last)) {
            levels.pop();
        }
        levels.push(NestingLevel { column, is_item });
        if !is_item || levels.len() > MOST_LEVELS + 1 {
            return;
        }
        let blanks = rest[1..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        (rest, column) = (&rest[1 + blanks..], column + 1 + blanks);
        if rest.is_empty() {
            return;
        }
    }
}

/// How many words of a line begin with the mark of an alias.
fn aliases(line: &[u8]) -> usize {
    let begins =
        |at: usize| at == 0 || matches!(line[at - 1], b' ' | b'\t' | b',' | b'[' | b'{' | b':' | b'-');
    let is_name = |at: usize| line.get(at + 1).is_some_and(|next| !next.is_ascii_whitespace());
    (0..line.len()).filter(|at| line[*at] == b'*' && begins(*at) && is_name(*at)).count()
}

/// Whether a JSON text of at most `most` bytes may be parsed.
///
/// # Errors
/// Why not.
pub fn json(bytes: &[u8], most: usize) -> Result<(), Unfit> {
    if bytes.len() > most {
        return Err(Unfit::Large(most));
    }
    let (mut levels, mut is_text, mut is_escaped) = (0_usize, false, false);
    for byte in bytes {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_text,
            b'"' => is_text = !is_text,
            b'[' | b'{' if !is_text => levels += 1,
            b']' | b'}' if !is_text => levels = levels.saturating_sub(1),
            _ => {}
        }
        if levels > MOST_LEVELS {
            return Err(Unfit::Deep);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_as_people_write_them_may_be_parsed() {
        for text in [
            "",
            "lock:\n  timeout: 3\nreview.push: warn # [ok]\n",
            "# [[ a comment [[ of any [[ depth\nmodel:\n  command: '[\"claude\", \"-p\"]'\n",
            "severity:\n  BRV010: error\n  BRV011: error\npush: {block_on: warning}\n",
            "a: &x 1\nb: *x\nc: 2 * 3 * 4\n",
            "%YAML 1.2\n---\na: 1\n",
        ] {
            assert_eq!(yaml(text.as_bytes()), Ok(()), "{text}");
        }
        let flat: String = (0..2_000).map(|at| format!("key{at}:\n  - one\n  - - two\n")).collect();
        assert_eq!(yaml(flat.as_bytes()), Ok(()));
    }

    #[test]
    fn what_is_nested_deeply_is_not_parsed_however_it_is_written() {
        let steps: String = (0..70).map(|at| format!("{}a:\n", " ".repeat(at))).collect();
        let texts = [
            format!("x: {}", "[".repeat(65)),
            format!("x: {}", "{a: ".repeat(65)),
            format!("{}x", "- ".repeat(66)),
            format!("{}x", "? ".repeat(66)),
            (0..66).map(|at| format!("{0}a:\n{0}- b:\n", "  ".repeat(at))).collect(),
            "a: don't\nb: ".to_owned() + &"[".repeat(65),
            // what seems to close does not
            format!("x: {}", "[\"]\", ".repeat(65)),
            format!("x: [\n{}", "[\n".repeat(65)),
            steps,
        ];
        for text in &texts {
            assert_eq!(yaml(text.as_bytes()), Err(Unfit::Deep), "{text}");
        }
        for levels in ["[".repeat(64) + &"]".repeat(64), "\n- - x".repeat(3)] {
            assert_eq!(yaml(format!("x: {levels}").as_bytes()), Ok(()));
        }
        assert_eq!(yaml(("- ".repeat(64) + "x").as_bytes()), Ok(()));
    }

    #[test]
    fn what_says_itself_again_and_again_is_not_parsed() {
        let list = "x,".repeat(40_000);
        for text in [
            format!("a: &a [{list}]\nb: *a\n"),
            format!("a: &a 1\nb: [{}]\n", "*a,".repeat(9)),
            format!("a: &a 1\n{}", "b:\n- *a\n".repeat(9)),
            format!("{}---\na: 1\n", "%TAG !a! x\n".repeat(9)),
        ] {
            assert_eq!(yaml(text.as_bytes()), Err(Unfit::Repeating), "{}", &text[..20]);
        }
        assert_eq!(yaml(&vec![b'a'; MOST_BYTES + 1]), Err(Unfit::Large(MOST_BYTES)));
        assert_eq!(yaml(&vec![b'a'; MOST_BYTES]), Ok(()));
    }

    #[test]
    fn of_json_only_what_is_outside_of_texts_counts() {
        let nested = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        assert_eq!(json(nested(64).as_bytes(), 1_000), Ok(()));
        assert_eq!(json(nested(65).as_bytes(), 1_000), Err(Unfit::Deep));
        let quoted = format!("{{\"a\\\"\": \"{}\"}}", "[".repeat(99));
        assert_eq!(json(quoted.as_bytes(), 1_000), Ok(()));
        assert_eq!(json(format!("[\"]\\\\\", {}", "[".repeat(64)).as_bytes(), 1_000), Err(Unfit::Deep));
        assert_eq!(json(b"[1]", 2), Err(Unfit::Large(2)));
    }

    proptest::proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn no_text_that_may_be_parsed_is_deeper_than_the_limit(
            parts in proptest::collection::vec(
                proptest::sample::select(vec!["[", "]", "{", "}", "- ", "a: ", "\"", "'", "x", ",", "\n", "  ", "#", "? "]),
                0..200,
            ),
        ) {
            fn depth(value: &serde_yaml::Value) -> usize {
                match value {
                    serde_yaml::Value::Sequence(all) => 1 + all.iter().map(depth).max().unwrap_or(0),
                    serde_yaml::Value::Mapping(all) => {
                        1 + all.iter().map(|(key, value)| depth(key).max(depth(value))).max().unwrap_or(0)
                    }
                    _ => 0,
                }
            }
            let text = parts.concat();
            if yaml(text.as_bytes()).is_ok() && let Ok(value) = serde_yaml::from_str::<serde_yaml::Value>(&text) {
                proptest::prop_assert!(depth(&value) <= MOST_LEVELS + 1);
            }
        }
    }
}
