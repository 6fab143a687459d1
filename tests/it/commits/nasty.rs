//! Messages, files and dates that nobody expects.

use super::{Code, message, reason, sentence};
use serde_json::json;

const ENTRY: &str = "code/code.md";

/// Commit with a message from a file.
fn commit(code: &Code, message: &[u8]) {
    let file = code.env.path("message");
    std::fs::write(&file, message).unwrap();
    std::fs::write(code.path.join("net.rs"), message).unwrap();
    code.git(&["add", "net.rs"]);
    code.git(&["commit", "-q", "--cleanup=verbatim", "-F", file.to_str().unwrap()]);
}

#[test]
fn a_subject_of_emoji_is_called_as_its_topic() {
    let code = Code::new();
    commit(&code, reason("\u{1f389}\u{1f680}", "A call").as_bytes());
    let job = code.last();
    assert_eq!(job["outcome"], "curated", "{job}");
    assert_eq!(code.items(ENTRY), [format!("- **code**: {} (2023-11)", sentence("A call"))]);
}

#[test]
fn of_another_language_the_trailers_are_read() {
    let code = Code::new();
    let body =
        "\u{30c8}\u{30fc}\u{30af}\u{30f3}\u{306f}\u{5fc5}\u{305a}\u{77ed}\u{304f}\u{3059}\u{308b}\u{3002}";
    commit(
        &code,
        format!("\u{8a8d}\u{8a3c}\n\n{body}\n\nDecision: \u{8a8d}\u{8a3c}: \u{77ed}\u{3044}\n").as_bytes(),
    );
    code.last();
    assert_eq!(code.facts("\u{8a8d}\u{8a3c}"), ["decision: \u{77ed}\u{3044} [project]"]);
    assert!(!code.entry(ENTRY).unwrap().contains(body));
    commit(&code, format!("\u{8a8d}\u{8a3c}\n\n{body}\n").as_bytes());
    assert_eq!(code.last()["outcome"], "declined");
}

#[test]
fn titles_that_look_like_markup_read_back() {
    let code = Code::new();
    for (number, (subject, title)) in [
        ("net: use ** and: more", "use * and: more"),
        ("# net", "# net"),
        ("net: a `b` [c](d)", "a `b` [c](d)"),
        ("a - **x**: y", "a - *x*: y"),
    ]
    .into_iter()
    .enumerate()
    {
        commit(&code, reason(subject, &format!("Call {number}")).as_bytes());
        let job = code.last();
        assert_eq!(job["outcome"], "curated", "{subject}: {job}");
        assert_eq!(job["items"][0]["title"], title, "{subject}");
        let path = job["items"][0]["path"].as_str().unwrap();
        let (source, _) = code.source(path, title);
        assert_eq!(source, Some(code.head()), "{subject}: {:?}", code.items(path));
    }
    code.run(&["vc", "check", "--all"]);
}

#[test]
fn texts_that_look_like_markup_stay_one_item() {
    let code = Code::new();
    for (number, start) in ["# ", "- ", "1. ", "<!-- ", "| a | ", "```", "## Facts "].iter().enumerate() {
        let said = format!("s{number}\n\nConstraint: {start}keys must have 4096 bits since {number}\n");
        commit(&code, said.as_bytes());
        let job = code.last();
        assert!(job["outcome"] == "curated" || job["outcome"] == "declined", "{start}: {job}");
        code.run(&["vc", "check", "--all"]);
    }
    commit(&code, message("after").as_bytes());
    code.last();
    assert_eq!(code.facts("after").len(), 1);
}

#[test]
fn long_and_broken_messages_are_read_in_time() {
    let code = Code::new();
    let long = format!("long\n\n{}\n\n{}\n", "word ".repeat(20_000), sentence("A call"));
    let large = format!("large\n\n{}\n{}\n", "Plain words, one line.\n".repeat(45_000), sentence("A probe"));
    for text in [long, large] {
        commit(&code, text.as_bytes());
        assert_eq!(code.last()["outcome"], "curated");
    }
    assert_eq!(code.items(ENTRY).len(), 2);
    let nested =
        format!("nested\n\n{}\n", (0..200).map(|at| format!("{}* a\n", " ".repeat(at))).collect::<String>());
    let right = "right\n\n\u{202e}A call must be tried twice, because it fails otherwise.\u{202c}\n";
    for text in
        [nested.as_bytes(), right.as_bytes(), b"bytes\n\n\xff\xfe must be read, because they are there.\n"]
    {
        commit(&code, text);
        assert_ne!(code.last()["outcome"], "failed");
        code.run(&["vc", "check", "--all"]);
    }
}

#[test]
fn five_thousand_files_and_none() {
    let code = Code::new();
    std::fs::create_dir_all(code.path.join("src")).unwrap();
    for number in 0..5_000 {
        code.write(&format!("src/f{number}.rs"), &number.to_string());
    }
    code.git(&["add", "."]);
    code.commit(&reason("move all", "A call"));
    let job = code.last();
    assert_eq!(job["outcome"], "curated", "{job}");
    let text = code.entry(job["entries"][0].as_str().unwrap()).unwrap();
    assert!((1..=8).contains(&text.matches("\n- src/").count()), "{text}");
    code.commit(&reason("nothing at all", "A probe"));
    assert_eq!(code.last()["entries"], json!(["project/misc.md"]));
}

#[test]
fn an_entry_of_a_mebibyte_keeps_what_it_says() {
    let code = Code::new();
    code.change(&["net.rs"], &reason("net: first", "The first"));
    code.settle();
    let more: String =
        (0..9_000).map(|number| format!("- **t{number}**: {} (2023-10)\n", sentence("It"))).collect();
    let text = code.entry(ENTRY).unwrap();
    let large = text.replace("### Highlights\n", &format!("### Highlights\n{more}"));
    assert!(large.len() > 900_000, "{}", large.len());
    std::fs::write(code.tree().join(ENTRY), &large[..]).unwrap();
    code.run(&["vc", "add", "--all"]);
    code.run(&["vc", "commit", "-m", "large"]);
    code.change(&["net.rs"], &reason("net: second", "The second"));
    let job = code.last();
    let after = code.entry(ENTRY).unwrap();
    assert_eq!(after.matches("- **t").count(), 9_000, "{job}");
    assert!(job["outcome"] == "curated" || after == large, "{job}");
}

#[test]
fn a_date_is_that_of_the_author_as_far_as_it_can_be() {
    let code = Code::new();
    let at = |date: &str, subject: &str| {
        code.write("net.rs", subject);
        code.git(&["add", "net.rs"]);
        let mut command = code.env.git_command(&code.path);
        command.env("GIT_AUTHOR_DATE", date).args(["commit", "-q", "-m", &reason(subject, subject)]);
        assert!(command.status().unwrap().success());
        code.last()["items"][0]["date"].clone()
    };
    assert_eq!(at("@0 +0000", "long ago"), "2023-11", "that of the first commit");
    assert_eq!(at("@4000000000 +0000", "one day"), "2023-11", "that of the committer");
    assert_eq!(at("@1698796799 +1300", "at night"), "2023-10", "by UTC");
    // the third item of a topic has an entry of its own
    let text = format!("{}{}", code.entry(ENTRY).unwrap(), code.entry("code/net.md").unwrap());
    assert!(!text.contains("1970") && !text.contains("2096"), "{text}");
    // a mark, too
    let subject = format!("Undo\n\nThis reverts commit {}.\n", code.head());
    code.write("net.rs", "undone");
    let mut command = code.env.git_command(&code.path);
    command.env("GIT_AUTHOR_DATE", "@0 +0000").args(["commit", "-qa", "-m", &subject]);
    assert!(command.status().unwrap().success());
    code.last();
    let text = code.entry("code/net.md").unwrap();
    assert!(text.contains("reverted 2023-11-14: "), "{text}");
}
