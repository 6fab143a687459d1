//! What stands around a declaration: the comment and the attributes above it, and the fields or variants of a type. They
//! matter to an entry whose line is about the same things.

use super::citations::is_word_char;
use super::names::How;
use super::shown;
use super::sides::{Altered, Sides};
use super::surroundings::{end_within, items, lines_around, said_around};
use super::text::{Introduction, NameQuery, Text};
use super::words::{CodeWords, Counter};
use std::collections::BTreeSet;

/// How many declarations of one name have their surroundings compared.
const MOST_DECLARED: usize = 3;

/// How many rare words an entry's line and a change must share.
const SHARED: usize = 2;

/// The shortest name in a comment that is looked for, in bytes.
const SHORTEST: usize = 3;

/// A change around a declaration that may matter to the entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearbyChange {
    /// Words that the entry's line and the changed lines share.
    shared: BTreeSet<String>,
    /// Whether the comment had a name of the line in a code span, and has it no more.
    is_unnamed: bool,
    altered: Altered,
}

impl NearbyChange {
    /// The change, if enough of the shared words are rare in the code. Calls `words` only if they decide.
    pub fn that_matters<'w>(self, words: impl FnOnce() -> Option<&'w CodeWords>) -> Option<Altered> {
        let is_about = || {
            let words = words()?;
            Some(self.shared.iter().filter(|word| words.is_rare(word)).count() >= SHARED)
        };
        (self.is_unnamed || is_about().unwrap_or(false)).then_some(self.altered)
    }

    pub(super) fn map(self, change: impl FnOnce(Altered) -> Altered) -> Self {
        Self { altered: change(self.altered), ..self }
    }
}

/// Fields or variants of a named type that are more or fewer than the entry's line says: `seven variants`.
pub(super) fn recounted(sides: &Sides<'_>) -> Option<Altered> {
    let ([was], [now]) = (&sides.was[..], &sides.now[..]) else { return None };
    let name = sides.asked.name;
    let (before, after) = (counted(sides.before, was, name)?, counted(sides.after, now, name)?);
    if before.len() == after.len() || !sides.asked.said.counts(before.len()) {
        return None;
    }
    let only = |some: &[&str], others: &[&str]| {
        some.iter().find(|item| !others.contains(item)).map(|item| (*item).to_owned())
    };
    let shown = shown::pair(only(&before, &after).as_deref(), only(&after, &before).as_deref());
    Some(told(name, now.line, shown))
}

fn told(name: &str, line: usize, (before, after): (Option<String>, Option<String>)) -> Altered {
    Altered { name: name.to_owned(), line: line + 1, is_gone: false, before, after }
}

/// The fields or variants of a type.
fn counted<'t>(text: &'t Text, one: &Introduction, name: &str) -> Option<Vec<&'t str>> {
    let end = end_within(&text.lines, one.line, name)?;
    Some(items(&text.lines[one.line..end]))
}

/// What changed around a name whose declaration did not, if it shares words with the entry's line.
pub(super) fn around(sides: &Sides<'_>, counter: &mut Counter) -> Option<NearbyChange> {
    let Sides { before, after, asked, was, now } = sides;
    let declared = was.iter().filter(|one| one.how != How::Mentioned).take(MOST_DECLARED);
    let pairs = declared.enumerate().filter_map(|(at, one)| {
        let same = |other: &&Introduction| other.declaration.is(&one.declaration);
        Some((one.line, now.iter().filter(same).nth(was[..at].iter().filter(same).count())?.line))
    });
    let lines = pairs
        .map(|(was, now)| (lines_around(before, was, asked.name), lines_around(after, now, asked.name), now));
    let differing: Vec<_> = lines.filter(|(was, now, _)| was != now).collect();
    if differing.is_empty() {
        return None;
    }
    let own = counter.words(asked.name);
    let mut words = counter.words(&asked.said.prose());
    words.retain(|word| !own.contains(word));
    let found = differing.into_iter().filter_map(|(was, now, line)| {
        let (was, now) = (said_around(was, asked.said), said_around(now, asked.said));
        let is_unnamed = is_unnamed(&was, &now, asked);
        let (shared, shown) = shared(&without(&was, &now), &without(&now, &was), &words, counter);
        let is_enough = is_unnamed || shared.len() >= SHARED;
        is_enough.then(|| NearbyChange { shared, is_unnamed, altered: told(asked.name, line, shown) })
    });
    found.max_by_key(|around| around.shared.len())
}

/// What is shown of a change.
type ChangeExcerpt = (Option<String>, Option<String>);

/// Whether a name of the entry's line stood in a code span around a declaration, and stands nowhere there any more.
fn is_unnamed(was: &[String], now: &[String], asked: &NameQuery<'_>) -> bool {
    let words =
        |text: &str| text.split(|char| !is_word_char(char)).map(str::to_owned).collect::<Vec<String>>();
    let spans = was.iter().flat_map(|line| line.split('`').skip(1).step_by(2)).flat_map(words);
    let own = words(asked.name);
    let mut named =
        spans.filter(|word| word.len() >= SHORTEST && asked.said.names(word) && !own.contains(word));
    named.any(|word| !now.iter().any(|line| words(line).contains(&word)))
}

/// The words that removed and added lines share with the entry's line, and of both the line that shares most.
fn shared(
    removed: &[&String],
    added: &[&String],
    words: &BTreeSet<String>,
    counter: &mut Counter,
) -> (BTreeSet<String>, ChangeExcerpt) {
    let mut all = BTreeSet::new();
    let mut nearest = |lines: &[&String]| {
        let mut best: Option<(usize, String)> = None;
        for line in lines {
            let mut shared = counter.words(line);
            shared.retain(|word| words.contains(word));
            if best.as_ref().is_none_or(|(most, _)| shared.len() > *most) {
                best = Some((shared.len(), (*line).clone()));
            }
            all.extend(shared);
        }
        best.map(|(_, line)| line)
    };
    let (removed, added) = (nearest(removed), nearest(added));
    (all, shown::pair(removed.as_deref(), added.as_deref()))
}

/// Those lines that the others do not have, by their words and numbers.
fn without<'l>(lines: &'l [String], others: &[String]) -> Vec<&'l String> {
    let form = |line: &String| -> String {
        line.split(|char: char| !char.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let others: BTreeSet<String> = others.iter().map(form).collect();
    lines.iter().filter(|line| !others.contains(&form(line))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stale::compare::{NameFinding, compare};
    use crate::stale::said::Said;

    /// The words that a change around a name shares with a line.
    fn shared(before: &str, after: &str, (name, line): (&str, &str)) -> Vec<String> {
        let said = Said::of(line);
        let asked = NameQuery { name, said: &said, is_prose: false };
        match compare(&Text::new(before), &Text::new(after), &asked, &mut Counter::default()) {
            Some(NameFinding::Perhaps(around)) => around.shared.into_iter().collect(),
            found => {
                assert_eq!(found, None);
                Vec::new()
            }
        }
    }

    const LINE: (&str, &str) = ("Plan", "a plan of orchids at dusk");

    #[test]
    fn the_comment_and_the_attributes_above_count() {
        let before = "use a;\n\n/// Orchids are watered\n/// at dusk. Others are not.\n#[a]\nstruct Plan;\n";
        let after = before.replace("dusk", "dawn");
        assert_eq!(shared(before, &after, LINE), ["dusk", "orchid"]);
        assert_eq!(
            shared(before, &before.replace("watered\n/// at", "watered at\n///"), LINE),
            Vec::<String>::new()
        );
        assert_eq!(shared(before, &before.replace("#[a]", "#[a]\n#[inline]"), LINE), Vec::<String>::new());
        assert_eq!(
            shared(before, &before.replace("#[a]", "#[a(\n    orchids,\n    dusk\n)]"), LINE),
            ["dusk", "orchid"]
        );
        assert_eq!(shared(before, &before.replace("Others", "All others"), LINE), Vec::<String>::new());
        let licence = before.replace("/// Orchids", "/// Copyright 2020.\n/// Orchids");
        assert_eq!(shared(&licence, &licence.replace("dusk", "dawn"), LINE), Vec::<String>::new());
    }

    #[test]
    fn a_name_that_the_comment_no_longer_has_counts() {
        let said = Said::of("route `Plan` with `get`");
        let asked = NameQuery { name: "Plan", said: &said, is_prose: false };
        let matters = |after: &str| {
            let before = Text::new("/// Use it with [`get`](a::get).\nstruct Plan;\n");
            match compare(&before, &Text::new(after), &asked, &mut Counter::default()) {
                Some(NameFinding::Perhaps(around)) => around.that_matters(|| None).is_some(),
                _ => false,
            }
        };
        assert!(matters("/// Use it with [`any`](a::any).\nstruct Plan;\n"));
        assert!(!matters("/// Use `get` for it.\nstruct Plan;\n"));
        assert!(!matters("/// Use it always with [`get`](a::get).\nstruct Plan;\n"));
    }

    #[test]
    fn the_body_of_a_type_counts_and_that_of_a_function_does_not() {
        let before = "struct Plan {\n    orchids: u8,\n    pub dusk: u8,\n}\nfn f() {}\n";
        assert_eq!(shared(before, "struct Plan {\n}\n", LINE), ["dusk", "orchid"]);
        assert_eq!(shared(before, &before.replace("pub dusk", "dusk"), LINE), Vec::<String>::new());
        assert_eq!(shared(before, &before.replace("fn f", "fn orchids_dusk"), LINE), Vec::<String>::new());
        let function = "fn Plan() {\n    orchids(dusk);\n}\n";
        assert_eq!(shared(function, "fn Plan() {\n}\n", LINE), Vec::<String>::new());
        let go = "type Plan struct {\n\tOrchids int\n\tDusk int\n}\n";
        assert_eq!(shared(go, "type Plan struct {\n}\n", LINE), ["dusk", "orchid"]);
    }

    #[test]
    fn what_a_line_counts_is_counted() {
        let said = Said::of("two variants of a plan");
        let asked = NameQuery { name: "Plan", said: &said, is_prose: false };
        let look = |before: &str, after: &str| match compare(
            &Text::new(before),
            &Text::new(after),
            &asked,
            &mut Counter::default(),
        ) {
            Some(NameFinding::Altered(altered)) => Some(altered),
            _ => None,
        };
        let before = "/// All.\nenum Plan {\n    /// One.\n    A(\n        u8,\n    ),\n    #[x]\n    B {\n        b: u8,\n    },\n}\n";
        let after = before.replace("    #[x]", "    C,\n    #[x]");
        let found = look(before, &after).unwrap();
        assert_eq!((found.line, found.before, found.after.as_deref()), (2, None, Some("C,")));
        assert_eq!(look(&after, before), None, "the line does not count three");
        assert_eq!(look(before, &before.replace("A(", "D(")), None);
    }

    #[test]
    fn a_docstring_counts() {
        let before = "def Plan(a):\n    \"\"\"Water.\n\n    Orchids at dusk.\n    \"\"\"\n    go()\n";
        assert_eq!(shared(before, &before.replace("dusk", "dawn"), LINE), ["dusk", "orchid"]);
        assert_eq!(shared(before, &before.replace("go()", "orchids(dusk)"), LINE), Vec::<String>::new());
    }

    #[test]
    fn what_is_shown_is_the_line_that_shares_most() {
        let said = Said::of(LINE.1);
        let asked = NameQuery { name: "Plan", said: &said, is_prose: false };
        let before = Text::new("/// All. Orchids at dusk.\nstruct Plan;\n");
        let after = Text::new("/// None. Orchids at dawn.\nstruct Plan;\n");
        let Some(NameFinding::Perhaps(found)) = compare(&before, &after, &asked, &mut Counter::default())
        else {
            panic!("nothing is found");
        };
        let words = CodeWords::default();
        let found = found.that_matters(|| Some(&words)).unwrap();
        assert_eq!(
            (found.before.as_deref(), found.after.as_deref()),
            (Some("Orchids at dusk."), Some("Orchids at dawn."))
        );
        assert_eq!((found.line, found.is_gone), (2, false));
    }
}
