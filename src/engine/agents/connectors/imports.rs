//! The files that a `CLAUDE.md` imports. Reads none of them.

use super::block;
use bstr::ByteSlice as _;

/// The paths behind `@`, as they are written: at the start of a word, and not in code, as claude reads them.
pub fn imports(bytes: &[u8]) -> Vec<String> {
    if !bytes.contains(&b'@') {
        return Vec::new();
    }
    let code = block::code(bytes);
    let starts = |at: &usize| {
        let is_word = *at == 0 || bytes[at - 1].is_ascii_whitespace();
        is_word && !code.iter().any(|code| code.contains(at))
    };
    let path = |at: usize| {
        let word = bytes[at + 1..].split(u8::is_ascii_whitespace).next().unwrap_or_default();
        (!word.is_empty()).then(|| word.to_str_lossy().into_owned())
    };
    bytes.find_iter("@").filter(starts).filter_map(path).collect()
}

#[cfg(test)]
mod tests {
    use super::imports;

    #[test]
    fn an_import_is_a_word_outside_of_code() {
        let found = |text: &str| imports(text.as_bytes());
        assert_eq!(found("@AGENTS.md"), ["AGENTS.md"]);
        assert_eq!(found("# C\r\n\r\n- see @./AGENTS.md and\t@~/x.md\r\n"), ["./AGENTS.md", "~/x.md"]);
        for text in
            ["", "me@AGENTS.md", "@", "a @ b", "`@AGENTS.md`", "```\n@AGENTS.md\n```\n", "\n    @AGENTS.md\n"]
        {
            assert!(found(text).is_empty(), "{text}");
        }
    }
}
