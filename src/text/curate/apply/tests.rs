//! Operations on entries, one behaviour each.

use super::*;
use crate::curate::{CurateTarget, TreeNames, locate, operation};
use serde_json::{Value, json};

const NOW: i64 = 1_800_000_000;
const THEN: &str = "2027-01-15T08:00:00Z";
const ENTRY: &str = "---\ntitle: 'Token TTL' # why\nowner: me\ntags: [auth, jwt]\nrelated: [\"@auth/keys.md\"]\ncreatedAt: 2026-01-01\nupdatedAt: 2026-01-01\n---\n\n## Rules\n\n- never log tokens\n- rotate keys every month, and after every incident\n\n## Facts\n- **ttl**: 1 h [project]\n- **region**: eu\n";

fn operation(value: &Value) -> Operation {
    let mut all = json!({"type": "UPSERT", "path": "auth/jwt", "title": "Token TTL", "reason": "why"});
    all.as_object_mut().unwrap().extend(value.as_object().unwrap().clone());
    operation::read(all).operation.unwrap()
}

fn leads(path: &str) -> bool {
    !path.contains("missing")
}

/// A tree without a name.
struct Nothing;

impl TreeNames for Nothing {
    fn spelled(&self, _: &str, _: &str) -> Option<String> {
        None
    }

    fn numbered(&self, _: &str, _: &str) -> Vec<String> {
        Vec::new()
    }

    fn title(&self, _: &TreePath) -> Option<String> {
        None
    }

    fn is_version(&self, _: &TreePath, _: ContentId) -> bool {
        false
    }
}

struct ApplyCase<'a> {
    current: Option<&'a str>,
    base: Option<&'a str>,
    source: Option<&'a str>,
}

impl ApplyCase<'_> {
    fn apply(&self, value: &Value) -> Result<Applied, Refused> {
        let operation = operation(value);
        let CurateTarget::File { path, by_title } = locate(&operation, &Nothing)? else { panic!("a folder") };
        let from = TreePath::parse(b"auth/jwt/old.md").unwrap();
        let sides = Sides {
            path: &path,
            by_title,
            current: self.current.map(str::as_bytes),
            base: self.base.map(str::as_bytes),
            source: self.source.map(|text| (&from, text.as_bytes())),
        };
        apply(&operation, &sides, &Setting { now: NOW, leads: &leads })
    }
}

fn on(current: &str, value: &Value) -> Result<Applied, Refused> {
    ApplyCase { current: Some(current), base: None, source: None }.apply(value)
}

fn on_nothing(value: &Value) -> Result<Applied, Refused> {
    ApplyCase { current: None, base: None, source: None }.apply(value)
}

fn since(base: &str, current: &str, value: &Value) -> Result<Applied, Refused> {
    let mut value = value.clone();
    value["base"] = json!(ContentId::of(base.as_bytes()).to_string());
    ApplyCase { current: Some(current), base: Some(base), source: None }.apply(&value)
}

fn text(applied: &Applied) -> String {
    String::from_utf8(applied.bytes.clone().unwrap()).unwrap()
}

fn touched(text: &str) -> String {
    text.replace("updatedAt: 2026-01-01", &format!("updatedAt: \"{THEN}\""))
}

fn code(result: Result<Applied, Refused>) -> Code {
    result.unwrap_err().code
}

fn fact(subject: &str, statement: &str) -> Value {
    json!({"content": {"facts": [{"subject": subject, "statement": statement}]}})
}

#[test]
fn a_new_entry_has_all_fields_and_the_time() {
    let applied = on_nothing(
        &json!({"markdown": "\n# T\r\n\r\nText.  ", "tags": ["a"], "related": ["auth/x", "a/missing"]}),
    )
    .unwrap();
    assert_eq!(applied.act, Act::Added);
    assert_eq!(applied.dropped_relations, ["a/missing"]);
    let expected = format!(
        "---\ntitle: Token TTL\nsummary: \"\"\ntags: [a]\nkeywords: []\nrelated: [auth/x]\ncreatedAt: \"{THEN}\"\nupdatedAt: \"{THEN}\"\n---\n\n# T\n\nText.\n"
    );
    assert_eq!(text(&applied), expected);
}

#[test]
fn what_is_there_or_not_there_is_said() {
    assert_eq!(code(on(ENTRY, &json!({"type": "ADD"}))), Code::Exists);
    for kind in ["UPDATE", "DELETE"] {
        assert_eq!(code(on_nothing(&json!({"type": kind}))), Code::NotFound);
    }
    assert_eq!(code(on_nothing(&json!({"type": "MERGE", "source": "x/y"}))), Code::NotFound);
    assert_eq!(code(on(ENTRY, &json!({"type": "MERGE", "source": "x/y"}))), Code::NotFound);
    assert_eq!(code(on(ENTRY, &json!({"remove": {"facts": ["none"]}}))), Code::NotFound);
}

#[test]
fn only_what_is_named_changes() {
    let applied = on(ENTRY, &fact("TTL", "2 h")).unwrap();
    assert_eq!(text(&applied), touched(&ENTRY.replace("1 h", "2 h")));
    assert_eq!((applied.act, applied.review), (Act::Updated, vec![]));
    let applied = on(ENTRY, &json!({"tags": ["auth", "new"], "status": "done", "pinned": true})).unwrap();
    let expected = touched(&ENTRY.replace("auth, jwt", "auth, new"));
    let fields = format!("updatedAt: \"{THEN}\"\n");
    assert_eq!(
        text(&applied),
        expected.replace(&fields, &format!("{fields}status: \"done\"\npinned: true\n"))
    );
    let applied = on(ENTRY, &json!({"markdown": "## Rules\n- other\n"})).unwrap();
    assert!(text(&applied).contains("\n## Rules\n\n- other\n\n## Facts\n- **ttl**: 1 h [project]\n"));
    assert_eq!(applied.review, [Why::BodyRemoved]);
}

#[test]
fn nothing_new_is_no_change_at_all() {
    for value in [
        json!({}),
        json!({"tags": ["auth", "jwt"], "summary": "", "pinned": false, "related": ["auth/keys.md"]}),
        fact("ttl", "1 h"),
        json!({"title": "TOKEN ttl"}),
        json!({"markdown": "## Rules\n\n- never log tokens\n- rotate keys every month, and after every incident"}),
    ] {
        let applied = on(ENTRY, &value).unwrap();
        assert_eq!((applied.act, text(&applied).as_str()), (Act::Unchanged, ENTRY), "{value}");
    }
}

#[test]
fn the_whole_body_is_replaced_where_that_is_said() {
    let applied = on(ENTRY, &json!({"markdown": "New.", "replace": true})).unwrap();
    let head = &ENTRY[..ENTRY.find("\n## Rules").unwrap()];
    assert_eq!(text(&applied), touched(&format!("{head}\nNew.\n")));
    assert_eq!(applied.review, [Why::FactRemoved, Why::BodyRemoved]);
}

#[test]
fn text_without_a_heading_is_added_to_the_lead_in_every_form() {
    let entry = ENTRY.replace("\n## Rules", "\nTokens live an hour.\n\n- per user\n- per device\n\n## Rules");
    let expected = touched(&entry.replace("- per device\n", "- per device\n\nupdated\n"));
    for kind in ["UPSERT", "UPDATE"] {
        let applied = on(&entry, &json!({"type": kind, "markdown": "updated"})).unwrap();
        assert_eq!((text(&applied), applied.review), (expected.clone(), vec![]));
        assert_eq!(applied.sections.len(), 1);
        assert_eq!((applied.sections[0].fate, applied.sections[0].lost), (Fate::Extended, 0));
        let again = on(&expected, &json!({"type": kind, "markdown": "updated"})).unwrap();
        assert_eq!((again.act, text(&again)), (Act::Unchanged, expected.clone()));
    }
    let replaced = on(&entry, &json!({"markdown": "updated", "replace": true})).unwrap();
    let fates: Vec<_> = replaced.sections.iter().map(|one| (one.fate, one.lost)).collect();
    assert_eq!(fates, [(Fate::Replaced, 3), (Fate::Removed, 2), (Fate::Removed, 0)]);
}

#[test]
fn one_statement_settles_a_dispute_and_two_do_not() {
    let disputed = ENTRY
        .replace("createdAt", "disputed: [TTL]\ncreatedAt")
        .replace("- **region**", "- **ttl**: 2 h\n- **region**");
    let applied = on(&disputed, &fact("ttl", "3 h")).unwrap();
    assert_eq!(text(&applied), touched(&ENTRY.replace("1 h", "3 h")));
    assert_eq!(applied.disputed, Vec::<String>::new());
    let two = json!([{"subject": "ttl", "statement": "1 h"}, {"subject": "ttl", "statement": "9 h"}]);
    let applied = on(&disputed, &json!({"content": {"facts": two}})).unwrap();
    assert_eq!(applied.disputed, ["TTL"]);
    let applied = on(&disputed, &json!({"remove": {"facts": ["ttl"]}})).unwrap();
    assert!(!text(&applied).contains("disputed"));
}

#[test]
fn another_version_than_the_expected_one_is_changed() {
    let id = ContentId::of(ENTRY.as_bytes()).to_string();
    assert!(on(ENTRY, &json!({"expect": id, "summary": "x"})).is_ok());
    assert_eq!(code(on("other", &json!({"expect": id, "summary": "x"}))), Code::Changed);
    assert_eq!(code(on_nothing(&json!({"expect": id, "summary": "x"}))), Code::Changed);
    assert_eq!(code(on_nothing(&json!({"type": "UPDATE", "expect": id}))), Code::NotFound);
    assert_eq!(code(on("other", &json!({"type": "DELETE", "expect": id}))), Code::Changed);
}

#[test]
fn an_update_of_an_older_version_is_merged_with_what_came_since() {
    let current = ENTRY.replace("eu\n", "us\n").replace("[auth, jwt]", "[auth, jwt, more]");
    let applied = since(ENTRY, &current, &fact("ttl", "2 h")).unwrap();
    assert_eq!(text(&applied), touched(&current.replace("1 h", "2 h")));
    let applied = since(ENTRY, &current, &fact("region", "asia")).unwrap();
    assert_eq!(applied.disputed, ["region"]);
    assert!(text(&applied).contains("us") && text(&applied).contains("asia"));
    let applied = since(ENTRY, &current, &json!({})).unwrap();
    assert_eq!((applied.act, text(&applied)), (Act::Unchanged, current));
}

#[test]
fn a_person_decides_where_two_changed_the_same_prose() {
    let base = "---\ntitle: T\n---\n\nThe queue is drained by hand.\n";
    let current = base.replace("by hand", "by a script");
    let value = json!({"markdown": "The queue is drained by an agent.", "replace": true});
    assert_eq!(code(since(base, &current, &value)), Code::Conflict);
    // what is added to a lead takes nothing away
    let added = text(&since(base, &current, &json!({"markdown": "Twice a day."})).unwrap());
    assert!(added.ends_with("by a script.\n\nTwice a day.\n"), "{added}");
    assert_eq!(code(since(base, &current, &json!({"type": "DELETE"}))), Code::Conflict);
    let unknown = json!({"base": "1".repeat(40), "markdown": "x"});
    assert_eq!(code(on(ENTRY, &unknown)), Code::Changed);
    assert_eq!(code(on("a\n<<<<<<< x\nb\n=======\nc\n>>>>>>> y\n", &fact("a", "b"))), Code::Conflict);
}

#[test]
fn eight_updates_of_one_version_are_all_there() {
    let mut current = ENTRY.to_owned();
    for agent in 0..8 {
        let applied = since(ENTRY, &current, &fact(&format!("agent {agent}"), "was here")).unwrap();
        current = text(&applied);
    }
    let facts = Document::parse(current.as_str()).facts();
    assert_eq!(facts.len(), 10, "{current}");
}

#[test]
fn an_entry_that_was_deleted_since_comes_back_with_the_update() {
    let mut value = fact("ttl", "2 h");
    value["base"] = json!(ContentId::of(ENTRY.as_bytes()).to_string());
    let applied = ApplyCase { current: None, base: Some(ENTRY), source: None }.apply(&value).unwrap();
    assert_eq!((applied.act, text(&applied)), (Act::Added, touched(&ENTRY.replace("1 h", "2 h"))));
}

#[test]
fn a_secret_blocks_its_operation() {
    let key = format!("AKIA{}", "IOSFODNN7QRSTUVW");
    for value in
        [fact("key", &key), json!({"summary": key}), json!({"reason": key}), json!({"markdown": key})]
    {
        let refused = on(ENTRY, &value).unwrap_err();
        assert_eq!(refused.code, Code::Blocked, "{value}");
        assert!(refused.message.contains("BRV006") && !refused.message.contains(&key), "{}", refused.message);
    }
}

#[test]
fn a_secret_that_shows_only_in_the_written_entry_blocks_its_operation() {
    let (name, value) = (format!("aws_secret_{}", "access_key"), "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzQQ7rT4kV");
    let given = fact(&name, value);
    for refused in [on(ENTRY, &given), on_nothing(&given)].map(Result::unwrap_err) {
        assert_eq!(refused.code, Code::Blocked);
        assert!(
            refused.message.contains("BRV006") && !refused.message.contains(value),
            "{}",
            refused.message
        );
    }
    // existing text is the business of `vc check`, and blocks no other update
    let there = ENTRY.replace("- **region**: eu", &format!("- **{name}**: {value}"));
    assert!(on(&there, &fact("ttl", "2 h")).is_ok());
}

#[test]
fn a_secret_that_is_committed_moves_to_no_other_entry_and_does_not_come_back() {
    let key = format!("AKIA{}", "IOSFODNN7QRSTUVW");
    let leaking = ENTRY.replace("region**: eu", &format!("region**: {key}"));
    let merge = json!({"type": "MERGE", "source": "auth/jwt/old"});
    // also if the entry has it, too
    for current in [ENTRY, &leaking] {
        let case = ApplyCase { current: Some(current), base: None, source: Some(&leaking) };
        let refused = case.apply(&merge).unwrap_err();
        assert_eq!(refused.code, Code::Blocked);
        let said = refused.message;
        assert!(said.contains("auth/jwt/old") && said.contains("BRV006") && !said.contains(&key), "{said}");
    }
    // an entry that was deleted since it was read
    let mut update = fact("ttl", "2 h");
    update["base"] = json!(ContentId::of(leaking.as_bytes()).to_string());
    let refused = ApplyCase { current: None, base: Some(&leaking), source: None }.apply(&update).unwrap_err();
    assert_eq!(refused.code, Code::Blocked);
    // a version that had it, while the entry has it no more
    assert!(!text(&since(&leaking, ENTRY, &fact("ttl", "2 h")).unwrap()).contains(&key));
}

#[test]
fn what_the_check_would_stop_is_not_written() {
    let marked = "a\n<<<<<<< x\nb\n=======\nc\n>>>>>>> y\n";
    let rules = json!({"content": {"narrative": {"rules": marked}}});
    for value in
        [rules, json!({"markdown": marked}), json!({"summary": "a\u{202e}b"}), fact("a", "b\u{200b}c")]
    {
        assert_eq!(code(on_nothing(&value)), Code::Invalid, "{value}");
        assert_eq!(code(on(ENTRY, &value)), Code::Invalid, "{value}");
    }
    let explained = format!("```\n{marked}```\n");
    assert!(on_nothing(&json!({"markdown": explained})).is_ok());
    // an entry that has markers is mended by a whole new body
    let mended = on(&format!("---\ntitle: T\n---\n\n{marked}"), &json!({"markdown": "a", "replace": true}));
    assert!(text(&mended.unwrap()).ends_with("---\n\na\n"));
}

fn merged(current: &str, source: &str) -> (Applied, String) {
    let case = ApplyCase { current: Some(current), base: None, source: Some(source) };
    let applied = case.apply(&json!({"type": "MERGE", "source": "auth/jwt/old"})).unwrap();
    let text = text(&applied);
    (applied, text)
}

#[test]
fn a_merge_joins_lists_with_comments_too() {
    let list = "tags:\n  - ops\n  - ci # why\n";
    for (current, source, expected) in [
        (list, "tags: [release, ci]\n", "tags:\n  - ops\n  - ci # why\n  - release\n"),
        ("tags: [ops, ci]\n", "tags:\n  - release # x\n  - ci\n", "release"),
        ("tags: [a] # one\n", "tags: [b] # two\n", "tags: [a, b] # one\n"),
    ] {
        let entry = |tags: &str| format!("---\ntitle: A\n{tags}---\n\n# A\n");
        let (_, text) = merged(&entry(current), &entry(source));
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn a_merge_puts_the_targets_text_first_and_in_its_form() {
    let (_, text) = merged("---\ntitle: T\n---\n\n# T\n\nzzz\n", "---\ntitle: S\n---\n# A\n\naaa\n");
    assert!(text.ends_with("---\n\n# T\n\nzzz\n\n# A\n\naaa\n"), "{text}");
    let crlf = "---\r\ntitle: T\r\n---\r\n\r\n| a |\r\n|---|\r\n| 1 |\r\n";
    let (_, text) = merged(crlf, "---\ntitle: S\n---\nText.\n");
    assert!(text.ends_with("| 1 |\r\n\r\nText.\r\n") && !text.replace("\r\n", "").contains('\n'), "{text:?}");
}

#[test]
fn a_merge_keeps_the_form_of_the_entry_whatever_that_of_the_source_is() {
    let entry = |title: &str| format!("---\ntitle: {title}\n---\n\n# {title}\n\nOf both.\n\nOf {title}.\n");
    let forms: [fn(String) -> String; 5] = [
        |text| text,
        |text| text.replace('\n', "\r\n"),
        |text| format!("\u{feff}{text}"),
        |text| text.trim_end().to_owned(),
        |text| format!("\u{feff}{}", text.trim_end().replace('\n', "\r\n")),
    ];
    for own in forms {
        let current = own(entry("A"));
        let (_, wanted) = merged(&current, &own(entry("B")));
        let form = |text: &str| Document::parse(text).attributes();
        assert_eq!(form(&wanted), form(&current));
        for other in forms {
            let (applied, text) = merged(&current, &other(entry("B")));
            let mut places = applied.records.iter().map(|record| &record.place);
            assert!(
                places.all(|place| !matches!(place, crate::merge::MergePlace::Attribute { .. })),
                "{text}"
            );
            assert_eq!(text, wanted);
        }
    }
}

#[test]
fn a_merge_joins_raw_concepts_by_label() {
    let ours = "---\ntitle: A\n---\n\n## Raw Concept\n\n**Task:** Rotate keys\n\n**Changes:**\n- one\n\n**Flow:** a -> b\n\n**Author:** me\n";
    let theirs = "---\ntitle: B\n---\n\n## Raw Concept\n\nLoose.\n\n**Task:** Log logins\n\n**Changes:**\n- two\n- One\n\n**Files:**\n- x.rs\n\n**Note:** kept\n\n**Author:** you\n\n## Notes\n\nx\n";
    let (_, text) = merged(ours, theirs);
    let expected = "\n## Raw Concept\n\nLoose.\n\n**Task:** Rotate keys; Log logins\n\n**Changes:**\n- one\n- two\n\n**Files:**\n- x.rs\n\n**Flow:** a -> b\n\n**Author:** me; you\n\n**Note:** kept\n\n## Notes\n\nx\n";
    assert!(text.ends_with(expected), "{text}");
    let update = json!({"content": {"raw_concept": {"flow": "c", "changes": ["three"]}}});
    assert!(on(&text, &update).is_ok());
    // a label that occurs twice is not an obstacle
    assert!(
        on(
            &ours.replace("**Flow", "**Task:** Again\n\n**Flow"),
            &json!({"content": {"raw_concept": {"task": "t"}}})
        )
        .is_ok()
    );
}

#[test]
fn a_merge_keeps_the_snippets_of_both_without_a_dispute() {
    let entry =
        |title: &str, code: &str| format!("---\ntitle: {title}\n---\n\n## Snippets\n\n```\n{code}\n```\n");
    let (applied, text) = merged(&entry("A", "x = 1"), &entry("B", "y = 2"));
    assert!(text.contains("x = 1") && text.contains("y = 2") && !text.contains("disputed"), "{text}");
    assert_eq!(applied.disputed, Vec::<String>::new());
    assert_eq!(crate::doc::EntryBody::of(&Document::parse(text.as_str())).snippets.len(), 2, "{text}");
}

#[test]
fn a_merge_keeps_the_prose_of_both_and_the_name_of_the_target() {
    let source = "---\ntitle: Old notes\nsummary: old\ntags: [jwt, old]\nrelated: [auth/jwt/token_ttl]\ncreatedAt: 2025-01-01\nupdatedAt: 2026-06-01\n---\n\n## History\n\nTokens once lived a week.\n\n## Facts\n- **ttl**: 1 w\n";
    let case = ApplyCase { current: Some(ENTRY), base: None, source: Some(source) };
    let applied = case.apply(&json!({"type": "MERGE", "source": "auth/jwt/old"})).unwrap();
    let merged = text(&applied);
    let document = Document::parse(merged.as_str());
    let meta = document.meta();
    assert_eq!((meta.title.as_deref(), meta.summary.as_deref()), (Some("Token TTL"), Some("old")));
    assert_eq!((meta.related.len(), meta.consolidated_from), (1, vec!["auth/jwt/old.md".to_owned()]));
    assert!(merged.contains("Tokens once lived a week.") && merged.contains("never log tokens"), "{merged}");
    assert_eq!((applied.act, applied.review), (Act::Merged, vec![Why::Merged]));
    assert_eq!(applied.disputed, ["ttl"]);
}

#[test]
fn a_confirmation_is_kept_and_never_taken_from_another_entry() {
    let verified = |digit: &str| format!("verified: {} 2026-01-01T00:00:00Z\n", digit.repeat(40));
    let with = |text: &str, digit: &str| text.replacen("---\n\n", &format!("{}---\n\n", verified(digit)), 1);
    let entry = with(ENTRY, "a");
    assert!(text(&on(&entry, &fact("ttl", "2 h")).unwrap()).contains(&verified("a")));
    let source = with("---\ntitle: Old\n---\n\nMore.\n", "b");
    for (current, own) in [(entry.as_str(), verified("a")), (ENTRY, String::new())] {
        let case = ApplyCase { current: Some(current), base: None, source: Some(&source) };
        let merged = text(&case.apply(&json!({"type": "MERGE", "source": "auth/jwt/old"})).unwrap());
        assert_eq!(crate::doc::verified_line(merged.as_bytes()), own, "{merged}");
    }
}

#[test]
fn an_entry_is_not_merged_into_itself_nor_with_an_overview() {
    let case = ApplyCase { current: Some(ENTRY), base: None, source: Some(ENTRY) };
    let value = json!({"type": "MERGE", "source": "x", "title": "old"});
    assert_eq!(code(case.apply(&value)), Code::Invalid);
    let value = json!({"type": "MERGE", "source": "x", "path": "auth/jwt/context.md"});
    assert_eq!(code(case.apply(&value)), Code::Invalid);
}

#[test]
fn an_overview_is_made_from_its_template_and_stays_without_frontmatter() {
    let overview = json!({"path": "auth/jwt/context.md", "markdown": "## Overview\nTokens."});
    let made = text(&on_nothing(&overview).unwrap());
    assert!(made.starts_with("# Topic: jwt\n\n## Overview\n\nTokens.\n\n## Key Concepts\n"), "{made}");
    let after =
        text(&on(&made, &json!({"path": "auth/jwt/context.md", "markdown": "## Overview\nKeys."})).unwrap());
    assert_eq!(after, made.replace("Tokens.", "Keys."));
}

#[test]
fn frontmatter_that_cannot_be_edited_is_left_as_it_is() {
    let broken = "---\ntitle: a\ntitle: b\n---\n\nText.\n";
    let refused = on(broken, &fact("a", "b")).unwrap_err();
    let why = "the frontmatter of `auth/jwt/token_ttl.md` has a duplicate key: mend it in the file first";
    assert_eq!((refused.code, refused.message.as_str()), (Code::Invalid, why));
}
