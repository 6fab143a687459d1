//! Questions that cannot be asked, and questions that only look strange.

use super::{asked, knowledge};

#[test]
fn a_question_without_words_or_with_an_unknown_scope_is_wrong_usage() {
    let env = knowledge();
    for command in ["search", "query"] {
        for text in ["", "  ", "\u{1}\u{2}"] {
            let ran = env.brv(&[command, text]);
            assert_eq!(
                (ran.code, ran.stderr.contains("empty")),
                (2, true),
                "{command} {text:?} {}",
                ran.stderr
            );
        }
        let ran = env.brv(&[command, "keys", "--scope", "auht"]);
        assert_eq!((ran.code, ran.stderr.contains("perhaps `auth`")), (2, true), "{}", ran.stderr);
        assert_eq!(env.brv(&[command, "keys", "--scope", "../.."]).code, 2);
    }
    assert_eq!(env.brv(&["search", "keys", "--limit", "51"]).code, 2);
    assert_eq!(env.brv(&["query", "keys", "--tier-max", "5"]).code, 2);
    let outside = tempfile::tempdir().unwrap();
    assert_eq!(env.brv_in(outside.path(), &["search", "keys"]).code, 3);
}

#[test]
fn strange_texts_are_text() {
    let env = knowledge();
    let long = "key ".repeat(25_000);
    for text in [
        long.as_str(),
        "the of and",
        "TCP/IP limits",
        "2025/04",
        "a AND (b OR c) NOT d^2~",
        "\"unclosed phrase",
        "tag:",
        "title:keys",
        "*",
        "鍵の回転",
        "\u{202e}keys\u{7}",
    ] {
        for command in ["search", "query"] {
            let (ran, data) = asked(&env, &[command, text]);
            assert_eq!(ran.code, 0, "{command} {text:.30} {}", ran.stderr);
            assert!(data.is_object());
        }
        let shown = env.brv(&["search", text]);
        assert!(!shown.stdout.contains(['\u{202e}', '\u{7}']));
    }
    let (_, data) = asked(&env, &["query", "the of and"]);
    assert_eq!(data["covered"], false);
}

#[test]
fn an_index_that_cannot_be_written_makes_a_search_slow_not_wrong() {
    let env = knowledge();
    let folder = env.path(".brv/cache/search-1");
    let _ = std::fs::remove_dir_all(&folder);
    // a file in its place cannot be written into, whoever asks
    std::fs::write(&folder, "").unwrap();
    let ran = env.brv(&["search", "signing key rotation"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("auth/keys/key_rotation.md"), "{}", ran.stdout);
    assert!(ran.stderr.contains("the search index is not kept"), "{}", ran.stderr);
}
