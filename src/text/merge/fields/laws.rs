//! Property tests of merging frontmatter, over random fields.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::doc::Value;

const LISTS: [&str; 3] = ["tags", "related", "others"];
const TIMES: [&str; 3] = ["createdAt", "updatedAt", "verified"];

/// A field as text: one of a few keys, written in one of many ways.
fn field() -> impl Strategy<Value = (&'static str, String)> {
    let item = prop::sample::select(vec!["a", "b", "c", "\"d e\"", "'f'", "g/h.md", "1.0"]);
    let items = prop::collection::vec(item, 0..4);
    let list = (prop::sample::select(LISTS.to_vec()), items, 0..4).prop_map(|(key, items, style)| {
        let text = match style {
            0 if !items.is_empty() => items.iter().map(|item| format!("\n  - {item}")).collect::<String>(),
            1 => format!(" [{}] # note", items.join(",")),
            2 if items.len() > 1 => format!(" [{}]", items.join(",\n  ")),
            _ => format!(" [{}]", items.join(", ")),
        };
        (key, format!("{key}:{text}\n"))
    });
    let time =
        (prop::sample::select(TIMES.to_vec()), 1..4_u8, prop::bool::ANY).prop_map(|(key, day, date)| {
            (
                key,
                if key == "verified" {
                    // later days have lesser ids
                    let time = if date { String::new() } else { format!(" 2025-01-0{day}T00:00:00Z") };
                    format!("{key}: {}{time}\n", (9 - day).to_string().repeat(40))
                } else if date {
                    format!("{key}: 2025-01-0{day}\n")
                } else {
                    format!("{key}: '2025-01-0{day}T01:00:00+02:00'\n")
                },
            )
        });
    let value = prop::sample::select(vec![
        "x",
        "'x'",
        "\"y: z\"",
        "",
        "x # note",
        "|\n  t\n\n  u",
        "|+\n  t\n",
        "[p, q]",
        "12",
        "null",
        ">-\n  f\n  g",
    ]);
    let scalar = (prop::sample::select(vec!["title", "status", "zeta"]), value)
        .prop_map(|(key, value)| (key, format!("{key}: {value}\n")));
    let inner = prop::collection::vec((prop::sample::select(vec!["p", "q", "r"]), 0..3), 1..4);
    let map = inner.prop_map(|entries| {
        let mut seen = BTreeSet::new();
        let lines = entries
            .iter()
            .filter(|(key, _)| seen.insert(*key))
            .map(|(key, value)| format!("  {key}: {value}\n"));
        ("m", format!("m:\n{}", lines.collect::<String>()))
    });
    prop_oneof![3 => list, 2 => time, 3 => scalar, 1 => map, 4 => foreign()]
}

/// A field as other tools write it: no set, no mapping, often of several lines.
fn foreign() -> impl Strategy<Value = (&'static str, String)> {
    let item = prop::sample::select(vec!["a", "b", "c", "c", "'d'", "1.0"]);
    let items = prop::collection::vec(item, 0..5);
    let list = (prop::sample::select(vec!["aliases", "deps"]), items.clone(), 0..4).prop_map(
        |(key, items, style)| {
            let lines =
                |before: &str| items.iter().map(|item| format!("\n{before}{item}")).collect::<String>();
            let text = match style {
                0 if !items.is_empty() => lines("- "),
                1 if !items.is_empty() => lines("  - "),
                2 if items.len() > 1 => format!(" [\n  {}\n]", items.join(",\n  ")),
                _ => format!(" [{}]", items.join(", ")),
            };
            (key, format!("{key}:{text}\n"))
        },
    );
    let person = (prop::sample::select(vec!["ann", "bob", "eve"]), 0..3, prop::bool::ANY);
    let people = prop::collection::vec(person, 1..4).prop_map(|people| {
        let one = |(name, role, has_role): &(&str, i32, bool)| {
            let role = if *has_role { format!("    role: {role}\n") } else { String::new() };
            format!("  - name: {name}\n{role}")
        };
        ("authors", format!("authors:\n{}", people.iter().map(one).collect::<String>()))
    });
    let nested = (items.clone(), items).prop_map(|(one, two)| {
        let two: String = two.iter().map(|item| format!("    - {item}\n")).collect();
        let two = if two.is_empty() { "  to: []\n".to_owned() } else { format!("  to:\n{two}") };
        ("nav", format!("nav:\n  on: [{}]\n{two}", one.join(", ")))
    });
    let word = prop::sample::select(vec!["one", "two", "three", "four", ""]);
    let words = prop::collection::vec(word, 1..5);
    let text = (words, prop::sample::select(vec!["|", ">", "|-", ">-"])).prop_map(|(words, sign)| {
        let lines: String =
            words.iter().map(|word| format!("  {word}").trim_end().to_owned() + "\n").collect();
        ("notes", format!("notes: {sign}\n  first\n{lines}  last\n"))
    });
    prop_oneof![list, people, nested, text]
}

/// Fields, some after comments, each key once.
fn frontmatter() -> impl Strategy<Value = String> {
    let comment = prop::sample::select(vec!["", "", "", "# c\n", "\n", "# d\n\n"]);
    (prop::collection::vec((comment, field()), 0..7), prop::sample::select(vec!["", "", "# end\n"])).prop_map(
        |(fields, tail)| {
            let mut seen = BTreeSet::new();
            let own = fields.into_iter().filter(|(_, (key, _))| seen.insert(*key));
            own.map(|(comment, (_, text))| format!("{comment}{text}")).collect::<String>() + tail
        },
    )
}

/// A base and two sides, each with some of its fields changed.
fn three() -> impl Strategy<Value = [Document; 3]> {
    let some = || (frontmatter(), prop::collection::vec(0..4_u8, 12));
    (frontmatter(), some(), some()).prop_map(|(base, ours, theirs)| {
        let document = |text: &str| Document::parse(format!("---\n{text}---\nbody\n"));
        let edited = |(changes, choices): &(String, Vec<u8>)| document(&mixed(&base, changes, choices));
        [document(&base), edited(&ours), edited(&theirs)]
    })
}

/// The fields of `base`: some as in `changes`, some removed, and some of those of `changes` added.
fn mixed(base: &str, changes: &str, choices: &[u8]) -> String {
    let (a, b) =
        (Document::parse(format!("---\n{base}---\n")), Document::parse(format!("---\n{changes}---\n")));
    let (Front::Fields(a), Front::Fields(b)) = (chunks::read(&a), chunks::read(&b)) else {
        panic!("unreadable: {base:?} {changes:?}")
    };
    let mut out = String::new();
    for (at, chunk) in a.chunks.iter().enumerate() {
        let other = b.chunks.iter().find(|other| other.key == chunk.key);
        match (choices.get(at).copied().unwrap_or_default(), other) {
            (0 | 1, _) | (2, None) => out += &[chunk.lead, chunk.lines].concat(),
            (2, Some(other)) => out += &[other.lead, other.lines].concat(),
            _ => {}
        }
    }
    let new = b.chunks.iter().filter(|chunk| !a.chunks.iter().any(|known| known.key == chunk.key));
    for (chunk, _) in new.zip(choices).filter(|(_, choice)| **choice > 0) {
        out += &[chunk.lead, chunk.lines].concat();
    }
    out + if choices.last() == Some(&0) { b.tail } else { a.tail }
}

fn sides<'a>([base, ours, theirs]: [&'a Document; 3]) -> Sides<'a> {
    Sides { base: Some(base), ours, theirs }
}

fn plain(sides: &Sides<'_>) -> Head {
    merge(sides, &Rules::default(), None)
}

fn set(document: &Document, key: &str) -> BTreeSet<String> {
    document.field(key).map(Value::to_list).unwrap_or_default().into_iter().collect()
}

proptest! {
    #![proptest_config(crate::cases::held_to(1_000))]

    #[test]
    fn one_side_unchanged_is_the_other_and_equal_sides_are_themselves([base, side, _] in three()) {
        let head = chunks::front(&side);
        for three in [[&base, &side, &base], [&base, &base, &side], [&base, &side, &side]] {
            let merged = plain(&sides(three));
            prop_assert_eq!(merged.bytes.as_bstr(), head.as_bstr());
            prop_assert_eq!((merged.records, merged.conflicts), (vec![], vec![]));
            // the same by key, without the shortcut
            if let (Front::Fields(ours), Front::Fields(theirs)) = (chunks::read(three[1]), chunks::read(three[2])) {
                let merged = by_key(&sides(three), &Rules::default(), None, &ours, &theirs);
                prop_assert_eq!(merged.bytes.as_bstr(), head.as_bstr());
                prop_assert_eq!(merged.records, vec![]);
            }
        }
    }

    #[test]
    fn the_sides_may_be_swapped_and_nothing_is_lost([base, ours, theirs] in three(), committed in 0..3_i64) {
        let rules = Rules { committed: [committed, 1], ..Rules::default() };
        let swapped = Rules { committed: [1, committed], ..Rules::default() };
        let head = merge(&sides([&base, &ours, &theirs]), &rules, None);
        let other = merge(&sides([&base, &theirs, &ours]), &swapped, None);
        if head.conflicts.is_empty() {
            prop_assert_eq!(head.bytes.as_bstr(), other.bytes.as_bstr());
        }
        prop_assert_eq!(head.records.len(), other.records.len());
        prop_assert_eq!(head.conflicts.len(), other.conflicts.len());
        for one in &head.conflicts {
            prop_assert!(one.reason == Reason::Field && matches!(one.place, MergePlace::Field { .. }), "{:?}", one);
            let other = other.conflicts.iter().find(|other| other.place == one.place).unwrap();
            prop_assert_eq!((&one.texts.ours, &one.texts.theirs), (&other.texts.theirs, &other.texts.ours));
        }
        let result = Document::parse([&head.bytes[..], b"body\n"].concat());
        let keys: BTreeSet<_> = result.fields().iter().filter_map(|(key, _)| key.as_str()).collect();
        prop_assert_eq!(keys.len(), result.fields().len(), "{:?}", result);
        prop_assert!(matches!(chunks::read(&result), Front::Fields(found) if found.chunks.len() == keys.len()));
        for (side, document) in [(Side::Ours, &ours), (Side::Theirs, &theirs)] {
            for (key, value) in document.fields() {
                kept(&head, side, [&base, &ours, &theirs], &result, key.as_str().unwrap(), value)?;
            }
            let comments = |document: &Document| {
                let lines = chunks::front(document).to_str_lossy().into_owned();
                lines.lines().filter(|line| line.starts_with('#')).map(str::to_owned).collect::<BTreeSet<_>>()
            };
            for comment in comments(document).difference(&comments(&base)) {
                let has = |record: &Record| record.texts.of(side).is_some_and(|text| text.contains(comment));
                let removed = head.records.iter().any(|r| r.settled == Settled::ChangeKept(side) || has(r));
                prop_assert!(removed || comments(&result).contains(comment), "{} {:?}", comment, result);
            }
        }
    }

    #[test]
    fn sets_are_set_algebra([base, ours, theirs] in three()) {
        let head = plain(&sides([&base, &ours, &theirs]));
        let result = Document::parse(head.bytes);
        for key in ["tags", "related"] {
            let (o, t) = (ours.field(key), theirs.field(key));
            let (Some(_), Some(_)) = (o, t) else { continue };
            let (b, o, t) = (set(&base, key), set(&ours, key), set(&theirs, key));
            let removed = |item: &&String| b.contains(*item) && !(o.contains(*item) && t.contains(*item));
            let wanted = o.union(&t).filter(|item| !removed(item)).cloned().collect::<BTreeSet<_>>();
            prop_assert_eq!(set(&result, key), wanted, "{}", key);
        }
    }

    #[test]
    fn disputed_is_listed_and_nothing_else_changes([base, ours, theirs] in three(), subjects in prop::collection::vec("[a-z ]{1,4}", 0..3)) {
        let without = Document::parse(plain(&sides([&base, &ours, &theirs])).bytes);
        let head = merge(&sides([&base, &ours, &theirs]), &Rules::default(), Some(&subjects));
        let with = Document::parse(head.bytes);
        let listed = with.field("disputed").map(Value::to_list).unwrap_or_default();
        prop_assert_eq!(listed, subjects);
        let others = with.fields().iter().filter(|(key, _)| key.as_str() != Some("disputed"));
        prop_assert!(others.eq(without.fields()));
    }

    #[test]
    fn no_bytes_make_it_panic_and_what_is_unreadable_is_on_record(
        texts in prop::array::uniform3("(\u{feff}?---\r?\n)?([-a-c:#\\[\\],'\"|>&*?{}! \t\r\n]{0,24}|(a|b|'c'): ?[a-c:#\\[\\],'\"|>&* ]{0,6}\n){0,4}(---\n?)?[a-c\n]{0,3}"),
    ) {
        let [base, ours, theirs] = &texts.map(Document::parse);
        let head = plain(&sides([base, ours, theirs]));
        let swapped = plain(&sides([base, theirs, ours]));
        let both = head.conflicts.iter().any(|conflict| conflict.reason == Reason::BothFrontmatters);
        prop_assert!(both || head.bytes == swapped.bytes, "{:?} {:?}", head, swapped);
    }
}

/// Each value of a side is in the result, or was in the base, or was combined by the other side, or has a record.
fn kept(
    head: &Head,
    side: Side,
    [base, ours, theirs]: [&Document; 3],
    result: &Document,
    key: &str,
    value: &Value,
) -> Result<(), TestCaseError> {
    let found = result.field(key);
    let is_here = |place: &MergePlace, texts: &Texts| match place {
        MergePlace::Field { field: place } => {
            (place == key || place.starts_with(&format!("{key}."))) && texts.of(side).is_some()
        }
        _ => false,
    };
    let recorded = head.records.iter().any(|record| is_here(&record.place, &record.texts))
        || head.conflicts.iter().any(|conflict| is_here(&conflict.place, &conflict.texts));
    let known = base.field(key) == Some(value);
    let other = if side == Side::Ours { theirs } else { ours };
    let combined = match value {
        Value::List(items) => items_kept(items, [base, other, result].map(|one| one.field(key))),
        Value::Null => matches!(found, Some(Value::List(_))),
        Value::Map(_) => nested(base, result, key, value),
        Value::Scalar(_) if key == "notes" => lines_kept([base, result].map(|one| one.field(key)), value),
        Value::Scalar(_) => {
            TIMES.contains(&key) && [ours, theirs].iter().any(|other| other.field(key) == found)
        }
    };
    prop_assert!(
        found == Some(value) || recorded || known || combined,
        "{} {:?} in {:?} with {:?}",
        key,
        value,
        result,
        head.records
    );
    Ok(())
}

/// Each item is in the result, or the other side removed it.
fn items_kept(items: &[Value], versions: [Option<&Value>; 3]) -> bool {
    let [base, other, result] = versions.map(|value| match value {
        Some(Value::List(items)) => items.clone(),
        Some(Value::Scalar(text)) => vec![Value::Scalar(text.clone())],
        _ => Vec::new(),
    });
    let count = |list: &[Value], item: &Value| list.iter().filter(|own| *own == item).count();
    items.iter().all(|item| result.contains(item) || count(&base, item) > count(&other, item))
}

fn lines_kept([base, result]: [Option<&Value>; 2], value: &Value) -> bool {
    let words = |value: Option<&Value>| -> BTreeSet<String> {
        let text = value.and_then(Value::as_str).unwrap_or_default();
        text.split_whitespace().map(str::to_owned).collect()
    };
    words(Some(value)).difference(&words(base)).all(|word| words(result).contains(word))
}

fn nested(base: &Document, result: &Document, key: &str, value: &Value) -> bool {
    let entries = |value: Option<&Value>| match value {
        Some(Value::Map(entries)) => entries.clone(),
        _ => Vec::new(),
    };
    let (before, after) = (entries(base.field(key)), entries(result.field(key)));
    let combined = |entry: &(Value, Value)| match &entry.1 {
        // the law about lists holds for those in a mapping, too
        Value::List(items) => after.iter().any(|other| match (other.0 == entry.0, &other.1) {
            (true, Value::List(found)) => {
                let old = before.iter().find(|old| old.0 == entry.0).map(|old| &old.1);
                items.iter().all(|item| {
                    found.contains(item) || matches!(old, Some(Value::List(old)) if old.contains(item))
                })
            }
            _ => false,
        }),
        _ => false,
    };
    let is_kept = |entry: &(Value, Value)| before.contains(entry) || after.contains(entry) || combined(entry);
    entries(Some(value)).iter().all(is_kept)
}
