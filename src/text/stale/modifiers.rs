//! The words before a declaration and behind a call that seldom change what holds of it: `pub`, `async`, `unsafe`, `.await`,
//! `?`. They are not compared, unless the entry's line speaks of them.

use super::said::{ModifierKind, Said};
use brv_base::english::list;

/// The words before a declaration.
static BEFORE: list::Rows<2> = list::Rows::of(include_str!("lists/modifiers.txt"));

/// A declaration without those before it that the line does not speak of.
pub(super) fn unqualified(declaration: &str, said: &Said) -> String {
    let (kept, rest) = parted(declaration, said);
    kept + rest
}

/// The words before a declaration that the line mentions, and the text after all such words.
pub(super) fn parted<'d>(declaration: &'d str, said: &Said) -> (String, &'d str) {
    let mut kept = String::new();
    let mut rest = declaration;
    while let Some((word, behind)) = rest.split_once(' ') {
        let Some(kind) = kind_of(word) else { break };
        if said.is_about(kind) {
            kept.push_str(word);
            kept.push(' ');
        }
        rest = behind;
    }
    (kept, rest)
}

/// The kind of a word before a declaration: `pub` and `pub(crate)` are of one.
fn kind_of(word: &str) -> Option<ModifierKind> {
    let bare = word.split_once('(').map_or(word, |(bare, _)| bare);
    let is_whole = bare == word || word.ends_with(')');
    BEFORE
        .iter()
        .find(|[known, _]| is_whole && *known == bare)
        .and_then(|[_, kind]| ModifierKind::called(kind))
}

/// Without the text after a call, or in Python and TypeScript before it.
pub(super) fn unawaited(text: &str, said: &Said) -> String {
    let mut text = text.to_owned();
    if !said.is_about(ModifierKind::Async) && text.contains("await") {
        text = text.replace(".await", "").replace("await ", "");
    }
    if !said.is_about(ModifierKind::Fallible) {
        text = text.replace(".await?", ".await").replace(")?", ")");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_before_a_declaration_stay_if_the_line_speaks_of_them() {
        let silent = Said::of("what it is");
        for (text, bare) in [
            ("pub(crate) async fn f() {", "fn f() {"),
            ("pub unsafe extern \"C\" fn f() {", "fn f() {"),
            ("export const A = 1", "A = 1"),
            ("public: 1", "public: 1"),
            ("fn public(a: u8)", "fn public(a: u8)"),
        ] {
            assert_eq!(unqualified(text, &silent), bare);
        }
        let text = "pub(crate) async fn f() {";
        assert_eq!(unqualified(text, &Said::of("is blocking")), "async fn f() {");
        assert_eq!(unqualified(text, &Said::of("is private")), "pub(crate) fn f() {");
    }

    #[test]
    fn each_word_before_a_declaration_has_a_kind() {
        assert!(BEFORE.iter().all(|[word, _]| kind_of(word).is_some()));
    }

    #[test]
    fn what_awaits_and_returns_early_is_no_difference() {
        let silent = Said::of("what it is");
        assert_eq!(unawaited("let a = f(1).await?;", &silent), "let a = f(1);");
        assert_eq!(unawaited("a = await f(1)", &silent), "a = f(1)");
        assert_eq!(unawaited("let a = f(1).await?;", &Said::of("it is async")), "let a = f(1).await;");
        assert_eq!(unawaited("f(g(1)?)?", &Said::of("`?` ends it")), "f(g(1)?)?");
    }
}
