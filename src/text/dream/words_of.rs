//! The words of a sentence in the form in which sentences are compared.

/// Punctuation around a word that says nothing.
const AROUND: [char; 16] = ['.', ',', ';', ':', '!', '?', '"', '\'', '(', ')', '[', ']', '“', '”', '‘', '’'];

/// The words in lower case but for code, without punctuation around them, with one blank between. Signs such as `<` and
/// `-` stay, and so does the mark of a question. Code is recognised by backticks and by its form: `-C`, `MAX_SIZE`,
/// `a=B`.
pub(super) fn words_of(sentence: &str) -> String {
    let mut is_code = false;
    let mut words: Vec<String> = Vec::new();
    for written in sentence.split_whitespace() {
        let word = written.trim_matches(AROUND);
        let has_code = is_code || word.contains('`') || is_code_by_form(word);
        is_code ^= word.matches('`').count() % 2 == 1;
        if !matches!(word, "" | "-" | "–" | "—" | "|") {
            words.push(if has_code { word.to_owned() } else { word.to_lowercase() });
        }
    }
    if sentence.trim_end_matches(|c: char| c != '?' && AROUND.contains(&c)).ends_with('?') {
        words.push("?".to_owned());
    }
    words.join(" ")
}

/// Whether a word without backticks is code, in which case is meaning: an option, a name with an underscore, an assignment,
/// a variable.
fn is_code_by_form(word: &str) -> bool {
    let is_option = word.starts_with('-') && word.chars().any(|c| c.is_ascii_alphabetic());
    is_option || word.contains(['_', '=', '$']) || word.contains("::")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_counts_in_code_only() {
        assert_eq!(words_of("Run **it** Now."), "run **it** now");
        assert_eq!(words_of("Keep `Git -c X` As it is?"), "keep `Git -c X` as it is ?");
        assert_eq!(words_of("Use -C, MAX_Size and A=b — Not Git."), "use -C MAX_Size and A=b not git");
    }
}
