//! Whether one entry says nothing that another one does not say: then, and only then, it may be merged without a writer.
//!
//! Most entries that look alike are not the same: one number, date or `not` differs, or the same template speaks of
//! another thing. So the sentences are compared one by one. A sentence that is not in the other entry may be an addition;
//! one that is nearly there is another claim, and the pair needs a writer.

use super::cases::{same_case, unspoken};
use super::negations::content_words;
use super::same_pieces::same_pieces;
use super::side::Side;
use super::survival::survival;
use super::words_of::words_of;
use crate::doc::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The least share of the words of the one that the other has.
const CONTAINED: f64 = 0.95;

/// An entry with fewer runs says too little to distinguish it from another.
const FEWEST: usize = 12;

/// Whether `source` may be merged into `target` without a writer. Returns the share of its words that stand there.
pub(super) fn contained(source: &Side<'_>, target: &Side<'_>) -> Option<f64> {
    contained_but_for_path(source, target).filter(|_| unspoken(source, target).is_empty())
}

/// As [`contained`], whatever their paths say.
pub(super) fn contained_but_for_path(source: &Side<'_>, target: &Side<'_>) -> Option<f64> {
    let is_same = source.runs.len() >= FEWEST
        && source.is_plain()
        && target.is_plain()
        && same_state(source, target)
        && same_case(source, target)
        && same_facts(source, target);
    let share = is_same.then(|| same_pieces(&source.pieces, &target.pieces, &facts_of(target)))??;
    let is_left = share >= CONTAINED && survival(&[source.document], target.document).dropped.is_empty();
    is_left.then_some(share)
}

/// The fields where a merge keeps the target's value, joins both values, or makes a new one.
const JOINED: [&str; 10] = [
    "title",
    "summary",
    "tags",
    "keywords",
    "related",
    "createdAt",
    "updatedAt",
    "consolidated_at",
    "consolidated_from",
    "verified",
];

/// Whether the fields that say what an entry is agree, and no other field has two values.
fn same_state(source: &Side<'_>, target: &Side<'_>) -> bool {
    let state = |side: &Side<'_>| (side.meta.status, side.meta.kind.clone());
    let is_kept = |(key, value): &(Value, Value)| {
        key.as_str().is_some_and(|key| {
            JOINED.contains(&key) || target.document.field(key).is_none_or(|other| other == value)
        })
    };
    !source.meta.pinned && state(source) == state(target) && source.document.fields().iter().all(is_kept)
}

/// Whether both say the same about each subject of the source.
fn same_facts(source: &Side<'_>, target: &Side<'_>) -> bool {
    let by_subject = |side: &Side<'_>| {
        let mut all: BTreeMap<String, BTreeSet<(String, Option<&'static str>)>> = BTreeMap::new();
        for fact in &side.said.facts {
            if let Some(subject) = &fact.subject {
                all.entry(subject.clone()).or_default().insert((words_of(&fact.text), fact.category));
            }
        }
        all
    };
    let theirs = by_subject(target);
    by_subject(source).iter().all(|(subject, own)| theirs.get(subject).is_none_or(|other| own == other))
}

/// The words of each fact.
fn facts_of(side: &Side<'_>) -> Vec<BTreeSet<u64>> {
    side.said.facts.iter().map(|fact| content_words(&fact.text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::Document;
    use brv_base::path::TreePath;

    fn share(source: (&str, &str), target: (&str, &str)) -> Option<f64> {
        let paths = [source.0, target.0].map(|path| TreePath::parse(path.as_bytes()).unwrap());
        let documents = [source.1, target.1].map(Document::parse);
        let [source, target] = [0, 1].map(|at| Side::of(&paths[at], &documents[at]));
        contained(&source, &target)
    }

    const TEXT: &str = "Images are built once and promoted by digest. They are signed with cosign, and the cluster refuses unsigned ones.\n\n- Never install anything at run time.\n- Keep 5 old images.\n\n## Facts\n\n- **base**: debian12\n- **registry**: in the EU\n";

    /// The text with `from` replaced by `to`.
    fn with(from: &str, to: &str) -> String {
        assert!(TEXT.contains(from), "{from}");
        TEXT.replace(from, to)
    }

    #[test]
    fn form_makes_no_difference() {
        for text in [
            TEXT.to_owned(),
            TEXT.replace("\n- ", "\n\n* "),
            with(
                "- Never install anything at run time.\n- Keep 5 old images.",
                "- Keep 5 old images.\n- Never install anything at run time.",
            ),
            TEXT.replace(". They", ".\n\n**They**"),
            with("cosign, and", "cosign\nand").replace('\n', "\r\n"),
            format!("---\ntitle: Another title\ntags: [x]\n---\n# Heading\n\n{TEXT}"),
            with(
                "- **base**: debian12\n- **registry**: in the EU\n",
                "* **registry**: in the EU.\n* **base**: debian12\n",
            ),
            TEXT.replace("\n\n## Facts", "\n\nThe weekly job deletes what is older than a year.\n\n## Facts"),
        ] {
            assert!(share(("a/images.md", TEXT), ("a/images_2.md", &text)).is_some(), "{text}");
        }
    }

    #[test]
    fn one_word_that_matters_makes_all_the_difference() {
        for (from, to) in [
            ("5 old", "6 old"),
            ("5 old images", "five old releases"),
            ("cosign", "notary"),
            ("Never install", "Always install"),
            ("refuses", "accepts"),
            ("are signed", "are not signed"),
            ("once and promoted", "once, never promoted"),
            ("debian12", "debian13"),
            ("in the EU\n", "in the EU\n- **registry**: in the US\n"),
            (
                "- Never install anything at run time.\n- Keep 5 old images.",
                "1. Never install anything at run time.\n1. Keep 5 old images.",
            ),
            ("- Keep 5", "- [x] Keep 5"),
            ("- Keep", "## Staging\n\n- Keep"),
            ("## Facts", "## Rules\n\n- Retry.\n\n## Facts"),
        ] {
            let other = with(from, to);
            assert_eq!(share(("a/images.md", &other), ("a/images_2.md", TEXT)), None, "{from} → {to}");
        }
        assert_eq!(share(("a/images.md", "Keep 5 old images."), ("a/images_2.md", TEXT)), None, "too short");
    }

    #[test]
    fn a_sentence_counts_where_it_stands() {
        let text = |rest: &str| format!("{TEXT}\n## More\n\n{rest}");
        for (source, target) in [
            (
                "## Staging\n\nWait 30 seconds.",
                "## Staging\n\nIt is small.\n\n## Production\n\nWait 30 seconds.",
            ),
            ("## On Friday?\n\nNo.", "## On Friday?\n\nYes.\n\n## Without review?\n\nNo."),
            ("Never:\n\n- force a push", "Never:\n\n- squash\n\nFirst:\n\n- tag\n- force a push"),
            ("**Staging:**\n\nKeep it.", "**Staging:**\n\nDrop it.\n\n**Production:**\n\nKeep it."),
            ("Backups work there.", "Backups work there?"),
            ("The key rotates weekly.", "## Outdated\n\nThe key rotates weekly."),
        ] {
            assert_eq!(
                share(("a/images.md", &text(source)), ("a/images_2.md", &text(target))),
                None,
                "{source} → {target}"
            );
            let same = share(
                ("a/images.md", &text(source)),
                ("a/images_2.md", &text(&format!("{source}\n\nMore is said here."))),
            );
            assert!(same.is_some(), "{source}");
        }
    }

    #[test]
    fn titles_and_paths_may_not_name_another_case() {
        let titled = |title: &str| format!("---\ntitle: {title}\n---\n{TEXT}");
        for (one, other, is_same) in [
            ("Images", "How we build images", true),
            ("Building images", "Promoting images", true),
            ("Images of billing", "Images of search", false),
            ("Images of the billing API", "Images of our partners", false),
            ("Images", "Images of partners", false),
            ("Images of service A", "Images of service B", false),
            ("Billing", "Search", false),
            ("Containers", "Promotion by digest", true),
            ("Images 2026-03", "Images 2026-04", false),
            ("Images (v1.2)", "Images", false),
            ("Staging images", "All images", false),
        ] {
            let found = share(("a/images.md", &titled(one)), ("a/images_2.md", &titled(other)));
            assert_eq!(found.is_some(), is_same, "{one}, {other}");
        }
        assert_eq!(share(("a/staging/x.md", TEXT), ("a/production/x.md", TEXT)), None);
        assert_eq!(share(("a/2026-03-01.md", TEXT), ("a/2026-03-02.md", TEXT)), None);
    }

    #[test]
    fn what_differs_in_two_paths_is_spoken_of_or_another_case() {
        let speaking = format!("{TEXT}\nBilling and search share this.\n");
        let apart = format!("{TEXT}\nPlease search the log first. Billing pays.\n");
        let telling = format!("{TEXT}\nTell us first.\n");
        for (one, other, text, is_same) in [
            ("services/billing/images", "services/search/images", TEXT, false),
            ("services/billing/images", "services/search/images", &speaking, true),
            ("services/images", "services/search/images", TEXT, false),
            ("services/billing/images", "services/search/images", &apart, false),
            ("deploy/us/images", "deploy/eu/images", &telling, false),
            ("deploy/us/images", "deploy/eu/images", TEXT, false),
            ("deploy/eu/images", "deploy/images", TEXT, true),
            ("api/v1/images", "api/v2/images", TEXT, false),
            ("queues/kafka", "queues/rabbitmq", TEXT, false),
            ("deploy/image-policy", "deploy/image_policies", TEXT, true),
            ("deploy/images", "deploy/images-notes", TEXT, true),
            ("deploy/images", "deploy/images_2", TEXT, true),
            ("deploy/tiny-images", "deploy/tinyimages", TEXT, true),
            ("deploy/http_1", "deploy/http_2", TEXT, false),
        ] {
            let found = share((&format!("{one}.md"), text), (&format!("{other}.md"), text));
            assert_eq!(found.is_some(), is_same, "{one}, {other}");
        }
    }

    #[test]
    fn order_says_something_where_words_numbers_or_form_say_so() {
        let text = |rest: &str| format!("{TEXT}\n## More\n\n{rest}\n");
        for (one, other, is_same) in [
            ("- Sign it.\n- Scan it.", "* Scan it.\n\n* Sign it.", true),
            ("- It keeps the order.\n- It is fast.", "- It is fast.\n- It keeps the order.", true),
            ("- Sign it.\n- Then scan it.", "- Then scan it.\n- Sign it.", false),
            ("1. Sign it.\n2. Scan it.", "1. Scan it.\n2. Sign it.", false),
            ("1. Sign it.\n2. Scan it.", "- Sign it.\n- Scan it.", false),
            ("In this order:\n\n- Sign it.\n- Scan it.", "In this order:\n\n- Scan it.\n- Sign it.", false),
            ("- [x] Sign it.", "- [ ] Sign it.", false),
            ("- Sign it.\n  - By hand.\n- Scan it.", "- Sign it.\n- Scan it.\n  - By hand.", false),
            (
                "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |",
                "| a | b |\n|---|---|\n| 3 | 4 |\n| 1 | 2 |",
                false,
            ),
            (
                "### Linux\n\nPull it.\n\n### Mac\n\nBuild it.",
                "### Mac\n\nBuild it.\n\n### Linux\n\nPull it.",
                true,
            ),
            (
                "### 1. Pull\n\nPull it.\n\n### 2. Run\n\nStart it.",
                "### 2. Run\n\nStart it.\n\n### 1. Pull\n\nPull it.",
                false,
            ),
            (
                "### Linux\n\n```\npull\n```\n\n### Mac\n\n```\nbuild\n```",
                "### Linux\n\n```\nbuild\n```\n\n### Mac\n\n```\npull\n```",
                false,
            ),
        ] {
            let found = share(("a/images.md", &text(one)), ("a/images_2.md", &text(other)));
            assert_eq!(found.is_some(), is_same, "{one} | {other}");
        }
    }

    #[test]
    fn prose_is_no_code_and_what_is_forbidden_doubted_or_withdrawn_is_not_said() {
        let text = |rest: &str| format!("{TEXT}\n## More\n\n{rest}\n");
        for (source, target) in [
            ("Run make push now.", "```\nRun make push now.\n```"),
            ("```\nmake push\n```", "Never do this:\n\n```\nmake push\n```"),
            ("```\nmake push\n```", "Do not run what follows.\n\n```\nmake push\n```"),
            ("Push it by hand.", "Deprecated since May.\n\nPush it by hand."),
            ("Push it by hand.", "Push it by hand.\n\nThis was reverted in June."),
            ("Push it by hand.", "Push it by hand. The board took that back in May."),
            ("Push it by hand.", "Proposal by Ann, undecided.\n\nPush it by hand."),
            ("Push it by hand.", "Is that so?\n\nPush it by hand."),
            ("Use `git -c x` for it.", "Use `git -C x` for it."),
            ("Use git -c x for it.", "Use git -C x for it."),
        ] {
            let found = share(("a/images.md", &text(source)), ("a/images_2.md", &text(target)));
            assert_eq!(found, None, "{source} | {target}");
        }
    }

    #[test]
    fn an_entry_with_a_state_of_its_own_is_left_alone() {
        for field in [
            "status: superseded",
            "pinned: true",
            "type: synthesis",
            "disputed: [base]",
            "title: a\ntitle: b",
        ] {
            let text = format!("---\n{field}\n---\n{TEXT}");
            let target = format!("---\nowner: a\n---\n{TEXT}");
            assert_eq!(share(("a/images.md", &text), ("a/images_2.md", &target)), None, "{field}");
        }
        let text = format!("---\nowner: a\n---\n{TEXT}");
        assert!(share(("a/images.md", &text), ("a/images_2.md", &text)).is_some());
        assert!(share(("a/images.md", &text), ("a/images_2.md", TEXT)).is_some());
        let text = format!("{TEXT}\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n");
        assert_eq!(share(("a/images.md", TEXT), ("a/images_2.md", &text)), None);
    }

    #[test]
    fn a_rule_is_another_one_with_a_word_before_it() {
        let with_rule = |rule: &str| format!("{TEXT}\n## Rules\n\n- {rule}\n");
        let share = |one: &str, other: &str| {
            share(("a/images.md", &with_rule(one)), ("a/images_2.md", &with_rule(other)))
        };
        assert!(share("Retry writes.", "Retry\n  writes").is_some());
        for other in ["Never retry writes.", "Only retry writes.", "Retry writes twice.", "Retry reads."] {
            assert_eq!(share("Retry writes.", other), None, "{other}");
        }
    }

    #[test]
    fn any_other_word_in_its_place_is_another_claim() {
        let words: Vec<(usize, &str)> = TEXT.match_indices(|c: char| c.is_whitespace()).collect();
        let starts =
            words.iter().map(|(at, _)| at + 1).filter(|at| TEXT[*at..].starts_with(char::is_alphanumeric));
        let mut tried = 0;
        for at in starts {
            let end = at + TEXT[at..].find(|c: char| !c.is_alphanumeric()).unwrap();
            let other = [&TEXT[..at], "zebra", &TEXT[end..]].concat();
            assert_eq!(share(("a/images.md", &other), ("a/images_2.md", TEXT)), None, "{other}");
            assert_eq!(share(("a/images.md", TEXT), ("a/images_2.md", &other)), None, "{other}");
            tried += 1;
        }
        assert!(tried > 25, "{tried}");
    }
}
