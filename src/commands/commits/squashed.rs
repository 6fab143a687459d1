//! Whether a squash says more than the commits of its branch, which were filed one by one.

use brv_engine::jobs::{Filed, FiledItem};
use brv_text::commits::Lesson;
use brv_text::doc::{is_same_subject, normal};
use brv_text::judge;

/// Whether all that a lesson teaches was filed: its facts as they are, and each sentence of its notes.
pub(super) fn is_filed(lesson: &Lesson, filed: &[Filed]) -> bool {
    let items: Vec<(&FiledItem, String)> =
        filed.iter().flat_map(|one| &one.items).map(|item| (item, normal(&item.text))).collect();
    let has_fact = |subject: Option<&str>, statement: &str| {
        items.iter().any(|(item, _)| {
            item.text == statement && subject.is_none_or(|own| is_same_subject(own, &item.title))
        })
    };
    let has_sentence = |sentence: &str| {
        let said = normal(sentence);
        items.iter().any(|(_, text)| text.contains(&said))
    };
    !items.is_empty()
        && lesson.facts.iter().all(|fact| has_fact(fact.subject.as_deref(), &fact.statement))
        && lesson.notes.iter().all(|note| judge::sentences(&note.text).into_iter().all(has_sentence))
}

#[cfg(test)]
mod tests {
    use super::*;
    use brv_text::commits::{CommitFact, CommitNote};

    fn lesson(fact: &str, note: &str) -> Lesson {
        let fact = CommitFact {
            subject: Some("TTL".to_owned()),
            statement: fact.to_owned(),
            category: None,
            settles: false,
        };
        let notes = vec![CommitNote::of(None, note.to_owned())];
        Lesson { notes, ..Lesson::of_facts("net: retry", vec![fact]) }
    }

    #[test]
    fn a_squash_says_nothing_new_if_each_sentence_and_each_fact_was_filed() {
        let item = |title: &str, text: &str| FiledItem {
            path: "code/net.md".to_owned(),
            title: title.to_owned(),
            text: text.to_owned(),
            kind: "note".to_owned(),
            date: None,
        };
        let items = vec![item("ttl", "60 s"), item("retry", "It fails. So it must wait.")];
        let first = Filed { items, ..Filed::default() };
        let second = Filed { items: vec![item("probe", "A probe is slow.")], ..Filed::default() };
        let filed = [first, second];
        assert!(
            is_filed(&lesson("60 s", "It must wait. A probe is slow."), &filed),
            "without its first word"
        );
        assert!(is_filed(&lesson("60 s", "So it must wait. A probe is slow."), &filed));
        assert!(!is_filed(&lesson("61 s", "A probe is slow."), &filed), "another value");
        assert!(!is_filed(&lesson("60 s", "A probe is slow."), &filed[..1]), "a sentence more");
        assert!(!is_filed(&lesson("60 s", "A probe is slow."), &[]));
    }
}
