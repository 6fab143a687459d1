//! Words: titles, typing errors, names, accents, and words that a usual tokenizer drops.

use super::{asked, paths, write};
use crate::env::Env;
use crate::init::project;
use serde_json::json as value;

/// A project with these entries: path, title and text.
fn entries(all: &[(&str, &str, &str)]) -> Env {
    let env = project(&[]);
    for (path, title, text) in all {
        write(&env, path, &format!("---\ntitle: \"{title}\"\n---\n{text}\n"));
    }
    env
}

/// The paths that a search finds, best first; folders left out.
fn found(env: &Env, text: &str) -> Vec<String> {
    let (ran, data) = asked(env, &["search", "--fresh", "--no-hits", text]);
    assert_eq!(ran.code, 0, "{text}: {data}");
    let files = paths(&data["results"]).into_iter().filter(|path| path.ends_with(".md"));
    files.map(str::to_owned).collect()
}

fn first(env: &Env, text: &str) -> String {
    found(env, text).into_iter().next().unwrap_or_default()
}

#[test]
fn an_entry_is_first_for_its_own_title() {
    let commit = "A commit has an id. Commit early, commit often; each commit is one commit.";
    let env = entries(&[
        ("git/commit_id.md", "Commit ID", "The hash."),
        ("git/commits.md", "Commit IDs", commit),
        ("git/amend.md", "Amend a commit by its id", commit),
        ("git/core.md", "Commit messages", &commit.repeat(20)),
        ("git/after.md", "After", "Nothing."),
        ("git/ever_after.md", "Ever after", "After that, after all, ever after."),
        ("git/does_it.md", "git does not find it", "Look again."),
        ("git/call.md", "decorate(name, value)", "One."),
        (
            "git/call_reply.md",
            "decorateReply(name, value)",
            "Decorate a reply: decorate, decorate, name, value.",
        ),
    ]);
    for (title, path) in [
        ("Commit ID", "git/commit_id.md"),
        ("commit id", "git/commit_id.md"),
        ("Commit IDs", "git/commits.md"),
        ("after", "git/after.md"),
        // its first word is the name of a folder
        ("git does not find it", "git/does_it.md"),
        ("decorate(name, value)", "git/call.md"),
        ("decorateReply(name, value)", "git/call_reply.md"),
    ] {
        assert_eq!(first(&env, title), path, "{title}");
    }
}

#[test]
fn a_name_is_not_the_beginning_of_a_word() {
    let env = entries(&[("ops/deploy.md", "Transport", "Deployments use the transport layer.")]);
    let unmatched = |question: &str| {
        let (_, data) = asked(&env, &["search", "--fresh", "--no-hits", "--explain", question]);
        data["explain"]["unmatched"].clone()
    };
    assert_eq!(unmatched("What does Tran say about deployments?"), value!(["tran"]));
    assert_eq!(unmatched("what does tran_mode mean for deployments"), value!(["tran", "mode", "mean"]));
    // a word that is still being typed
    assert_eq!(unmatched("deployments by transp"), value!([]));
}

#[test]
fn words_that_ask_for_a_measure_are_no_content() {
    let env = entries(&[
        ("a/tokens.md", "Keys", "Each user has three access tokens."),
        (
            "a/sitzung.md",
            "Sitzung",
            "Die Sitzung hat ein Limit und das Limit ist nicht fest, es wird gesetzt.",
        ),
        ("a/ling.md", "令牌", "令牌有效期为十五分钟。"),
        ("a/toukun.md", "鍵", "鍵の期限は九十日です。"),
        ("a/srok.md", "Ключ", "Ключ имеет три копии и не меняется."),
    ]);
    for (question, path) in [
        ("how many access tokens", "a/tokens.md"),
        ("¿Cuántos access tokens tiene un user?", "a/tokens.md"),
        ("Combien de tokens?", "a/tokens.md"),
        ("Wie viele tokens hat ein user?", "a/tokens.md"),
        ("Wie viel Limit hat die Sitzung?", "a/sitzung.md"),
        ("Сколько копии имеет ключ?", "a/srok.md"),
        ("令牌有效期是多少", "a/ling.md"),
        ("什么是令牌", "a/ling.md"),
        ("鍵の期限は何ですか", "a/toukun.md"),
    ] {
        let (_, data) = asked(&env, &["search", "--fresh", "--no-hits", "--explain", question]);
        assert_eq!(data["results"][0]["path"], path, "{question}: {data}");
        assert_eq!(data["explain"]["unmatched"], value!([]), "{question}");
    }
}

#[test]
fn short_and_odd_words_are_searched() {
    let env = entries(&[
        ("style/one.md", "One", "C code uses tabs. C is old, and C stays."),
        ("style/two.md", "Two", "C++ code uses spaces."),
        ("style/three.md", "Three", "C# code follows its vendor."),
        ("style/four.md", "Four", "Plots are made with R."),
        ("style/five.md", "Five", "The service runs on .NET eight."),
        ("style/six.md", "Six", "A net of nets: the net, net by net."),
        ("style/seven.md", "Seven", "🚀 goes live on Monday."),
    ]);
    for (question, path) in [
        ("C", "style/one.md"),
        ("C++", "style/two.md"),
        ("C#", "style/three.md"),
        ("R", "style/four.md"),
        (".NET", "style/five.md"),
        ("🚀", "style/seven.md"),
        ("Which code style has C++?", "style/two.md"),
        ("Which code style has C#?", "style/three.md"),
    ] {
        assert_eq!(first(&env, question), path, "{question}");
    }
    let (_, data) = asked(&env, &["search", "--explain", "F# code"]);
    assert_eq!(data["explain"]["unmatched"], value!(["f#"]));
}

#[test]
fn a_typing_error_finds_the_word_as_it_was_meant() {
    let env = entries(&[
        ("ops/deploy.md", "Deployments", "They run at night."),
        ("ops/factory.md", "Factory", "Makes loggers."),
        ("ops/factories.md", "Loggers", "The factory, the factory of factories, and another factory."),
        ("ops/log.md", "Logging", "Everything is written down."),
    ]);
    for (typed, path) in [
        ("deploymets", "ops/deploy.md"),
        ("deploymennts", "ops/deploy.md"),
        ("delpoyments", "ops/deploy.md"),
        ("deploimeynts", ""),
        ("factorry", "ops/factory.md"),
        ("loggiing", "ops/log.md"),
        ("losing", ""),
    ] {
        assert_eq!(first(&env, typed), path, "{typed}");
    }
    // the word itself is before one like it
    let env = entries(&[("a/a.md", "One", "A tokan, once."), ("a/b.md", "Two", "Token, token, token.")]);
    assert_eq!(found(&env, "tokan"), ["a/a.md"]);
}

#[test]
fn marks_and_widths_are_no_difference_but_the_same_spelling_is_first() {
    let env = entries(&[
        ("a/one.md", "One", "The Café opens at nine."),
        ("a/two.md", "Two", "The cafe opens at nine."),
        ("b/de.md", "Drei", "Die Größe der Datei wird in der Konfiguration gesetzt und ist nicht fest."),
        ("b/pt.md", "Quatro", "A duração dos tokens é fixada na configuração e não muda com o tempo."),
        ("b/ru.md", "Пять", "Ёлка стоит в углу и не меняется"),
        ("b/he.md", "Six", "שָׁלוֹם"),
        ("b/wide.md", "Seven", "ＳＤＫ ﾄｰｸﾝ"),
    ]);
    assert_eq!(found(&env, "cafe"), ["a/two.md", "a/one.md"]);
    assert_eq!(found(&env, "Café"), ["a/one.md", "a/two.md"]);
    for (question, path) in [
        ("grosse", "b/de.md"),
        ("Groesse", "b/de.md"),
        ("configuracao", "b/pt.md"),
        ("елка", "b/ru.md"),
        ("שלום", "b/he.md"),
        ("SDK", "b/wide.md"),
        ("トークン", "b/wide.md"),
        ("ｓｄｋ", "b/wide.md"),
    ] {
        assert_eq!(first(&env, question), path, "{question}");
    }
}

#[test]
fn a_synonym_finds_less_than_the_word_itself() {
    let env = entries(&[
        ("a/one.md", "One", "The database is backed up."),
        ("a/two.md", "Two", "The db is backed up."),
        ("a/three.md", "Three", "Force pushes are permitted."),
        ("a/four.md", "Four", "A release is undone by brv undo."),
    ]);
    assert_eq!(found(&env, "database"), ["a/one.md", "a/two.md"]);
    assert_eq!(found(&env, "db"), ["a/two.md", "a/one.md"]);
    assert_eq!(first(&env, "Which pushes are allowed?"), "a/three.md");
    assert_eq!(first(&env, "rollback of a release"), "a/four.md");
    // a flag means itself
    let (_, data) = asked(&env, &["search", "--explain", "brv --rollback"]);
    assert_eq!(data["explain"]["unmatched"], value!(["rollback"]));
}
