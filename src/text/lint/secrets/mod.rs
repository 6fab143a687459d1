//! Secrets that stand in a text: BRV006.
//!
//! Kinds with a prefix or a frame of their own, by the formats that providers publish (`kinds`); no guessing by entropy.
//! A value is never part of a message. What stands for a value in an example (`xxxx`, `EXAMPLE`, `<token>`) is none.

mod connection;
mod encoding;
mod escapes;
mod kinds;
mod named;
#[cfg(test)]
mod recall;
mod settings;
mod shapes;
mod wrapped;

use super::fingerprint::FingerprintKey;
use super::lines::Lines;
use super::{Fault, Rule};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use brv_base::sorting;
use bstr::ByteSlice as _;
use kinds::KINDS;
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::OnceLock;

/// What is shown in place of a secret.
pub const MASK: &str = "****";

/// A secret in a text. Has no `Debug` that could show its value.
pub(super) struct TextSecret<'t> {
    kind: &'static str,
    value: Cow<'t, str>,
    range: Range<usize>,
}

impl TextSecret<'_> {
    pub(super) fn fault(self, lines: &mut Lines<'_>) -> Fault {
        let (line, column) = lines.place(self.range.start);
        Fault {
            rule: Rule::Secret,
            line,
            column,
            subject: Some(self.kind.to_owned()),
            message: format!("{} {MASK}", self.kind),
            fix: None,
            key: FingerprintKey::Secret(self.value.into_owned()),
        }
    }
}

struct Search {
    automaton: AhoCorasick,
    kinds: Vec<usize>,
}

fn search() -> &'static Search {
    static SEARCH: OnceLock<Search> = OnceLock::new();
    SEARCH.get_or_init(|| {
        let of = |(number, kind): (usize, &'static kinds::SecretKind)| {
            kind.prefixes.iter().map(move |prefix| (number, *prefix))
        };
        let (kinds, prefixes): (Vec<usize>, Vec<&str>) = KINDS.iter().enumerate().flat_map(of).unzip();
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            // every byte of every file goes through it
            .kind(Some(AhoCorasickKind::DFA))
            .build(&prefixes)
            .expect("a few short prefixes fit into an automaton");
        Search { automaton, kinds }
    })
}

/// All secrets, in order; none inside another. A secret with escapes of markdown has the value without them.
pub(super) fn find(text: &str) -> Vec<TextSecret<'_>> {
    let mut found: Vec<TextSecret<'_>> = Vec::new();
    each(text, |kind, range| {
        found.push(TextSecret { kind, value: Cow::Borrowed(&text[range.clone()]), range })
    });
    for part in escapes::parts(text) {
        each(&part.text, |kind, range| {
            let value = Cow::Owned(part.text[range.clone()].to_owned());
            found.push(TextSecret { kind, value, range: part.original(range) });
        });
    }
    // of kinds with the same place the earlier one
    let number = |kind: &str| KINDS.iter().position(|one| one.name == kind);
    sorting::sort_by_key(&mut found, |secret| {
        (secret.range.start, std::cmp::Reverse(secret.range.end), number(secret.kind))
    });
    let mut end = 0;
    found.retain(|secret| {
        let is_new = secret.range.start >= end;
        end = end.max(secret.range.end);
        is_new
    });
    found
}

/// A text of up to so many bytes, such as a question, is searched for each prefix: that takes microseconds, and to build the
/// automaton half a millisecond.
const SHORT: usize = 512;

/// Calls `tell` with kind and place of each form of a secret, in no order.
fn each(text: &str, mut tell: impl FnMut(&'static str, Range<usize>)) {
    let mut tell = |kind: &'static kinds::SecretKind, prefix: Range<usize>| {
        if let Some(range) = (kind.value)(text, prefix)
            && !shapes::is_placeholder(&text[range.clone()])
        {
            tell(kind.name, range);
        }
    };
    if text.len() <= SHORT {
        for (kind, prefix) in
            KINDS.iter().flat_map(|kind| kind.prefixes.iter().map(move |prefix| (kind, prefix)))
        {
            let mut from = 0;
            while let Some(at) = text.as_bytes()[from..].find(prefix) {
                tell(kind, from + at..from + at + prefix.len());
                from += at + 1;
            }
        }
        return;
    }
    let search = search();
    for hit in search.automaton.find_overlapping_iter(text) {
        tell(&KINDS[search.kinds[hit.pattern().as_usize()]], hit.start()..hit.end());
    }
}

/// The secrets in a file of any kind, in order. UTF-16 is decoded.
pub fn faults(bytes: &[u8]) -> Vec<Fault> {
    new_faults(bytes, &[])
}

/// The secrets in a file whose values are secrets in none of the known versions, in order.
pub fn new_faults(bytes: &[u8], known: &[&[u8]]) -> Vec<Fault> {
    let known: Vec<Cow<'_, str>> = known.iter().flat_map(|bytes| texts(bytes)).collect();
    let mut values: Option<HashSet<String>> = None;
    let mut faults = Vec::new();
    for text in texts(bytes) {
        let mut lines = Lines::of(&text);
        let secrets = find(&text);
        let own: Vec<String> = secrets.iter().map(|secret| secret.value.clone().into_owned()).collect();
        for secret in secrets {
            let values = values.get_or_insert_with(|| {
                known.iter().flat_map(|text| find(text)).map(|secret| secret.value.into_owned()).collect()
            });
            if !values.contains(secret.value.as_ref()) {
                faults.push(secret.fault(&mut lines));
            }
        }
        // what another reading finds again is one secret
        values.iter_mut().for_each(|values| values.extend(own.iter().cloned()));
    }
    faults
}

/// What bytes may be read as: UTF-8, and if they have zeros, UTF-16 or a text between zeros.
fn texts(bytes: &[u8]) -> Vec<Cow<'_, str>> {
    // most are UTF-8, which is soon seen
    let text = std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed);
    encoding::decoded(bytes).map(Cow::Owned).into_iter().chain([text]).collect()
}

/// The text with [`MASK`] in place of each secret.
pub fn masked(text: &str) -> Cow<'_, str> {
    let found = find(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut masked = String::with_capacity(text.len());
    let mut end = 0;
    for secret in found {
        masked.push_str(&text[end..secret.range.start]);
        masked.push_str(MASK);
        end = secret.range.end;
    }
    masked.push_str(&text[end..]);
    Cow::Owned(masked)
}

/// As [`masked`], for the bytes of an entry, whose frontmatter stays valid: if there is a secret, what is not UTF-8
/// becomes U+FFFD.
pub fn masked_bytes(bytes: Vec<u8>) -> Vec<u8> {
    if let Some(text) = encoding::decoded(&bytes)
        && let Cow::Owned(masked) = masked(&text)
    {
        return masked.into_bytes();
    }
    let text = String::from_utf8_lossy(&bytes);
    let Some(end) = text.strip_prefix("---").and_then(|rest| rest.find("\n---")) else {
        return match masked(&text) {
            Cow::Borrowed(_) => bytes,
            Cow::Owned(masked) => masked.into_bytes(),
        };
    };
    let (fields, body) = text.split_at("---".len() + end);
    match (masked(fields), masked(body)) {
        (Cow::Borrowed(_), Cow::Borrowed(_)) => bytes,
        (fields, body) => (quoted_masks(&fields) + &body).into_bytes(),
    }
}

/// A mask where a plain scalar begins would be an alias of YAML.
fn quoted_masks(fields: &str) -> String {
    [": ", "- ", "[", ", "].iter().fold(fields.to_owned(), |text, before| {
        text.replace(&format!("{before}{MASK}"), &format!("{before}'{MASK}'"))
    })
}

pub fn names() -> impl Iterator<Item = &'static str> {
    let is_first = |at: usize| at == 0 || KINDS[at - 1].name != KINDS[at].name;
    (0..KINDS.len()).filter(move |at| is_first(*at)).map(|at| KINDS[at].name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `kind true|false parts…`: the parts joined are the text, so that the file itself has no secret in one piece.
    const EXAMPLES: &str = include_str!("../../../../fixtures/secrets.txt");

    fn examples() -> impl Iterator<Item = (&'static str, bool, String)> {
        EXAMPLES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| {
            let mut parts = line.split(" ~ ");
            let (kind, is_true) = (parts.next().unwrap(), parts.next().unwrap() == "true");
            (kind, is_true, unescaped(&parts.collect::<String>()))
        })
    }

    /// `\n` as a line ending, two backslashes as one.
    fn unescaped(text: &str) -> String {
        text.replace("\\\\", "\0").replace("\\n", "\n").replace('\0', "\\")
    }

    #[test]
    fn each_kind_finds_its_true_examples_and_none_of_the_false_ones() {
        let mut counts = std::collections::BTreeMap::new();
        for (kind, is_true, text) in examples() {
            let expected: &[&str] = if is_true { &[kind] } else { &[] };
            // also by the automaton
            for text in [text.clone(), format!("{text}\n\n{}", "nothing ".repeat(SHORT / 8))] {
                let found: Vec<&str> = find(&text).iter().map(|secret| secret.kind).collect();
                assert_eq!(found, expected, "{kind} {text}");
            }
            *counts.entry((kind, is_true)).or_insert(0) += 1;
        }
        for name in names() {
            assert!(counts.get(&(name, true)) >= Some(&8), "{name} has too few true examples");
            assert!(counts.get(&(name, false)) >= Some(&5), "{name} has too few false examples");
        }
    }

    #[test]
    fn the_file_of_examples_has_no_secret_itself() {
        assert!(find(EXAMPLES).is_empty());
    }

    #[test]
    fn bytes_that_are_no_text_hide_no_secret() {
        let (kind, _, text) = examples().next().unwrap();
        let found = faults(&[b"\xff\xfe\n\0 ", text.as_bytes(), b"\xff\n"].concat());
        let places: Vec<_> = found.iter().map(|fault| (fault.subject.as_deref(), fault.line)).collect();
        assert_eq!(places, [(Some(kind), 2)]);
    }

    #[test]
    fn masked_frontmatter_stays_valid() {
        let (_, _, secret) = examples().next().unwrap();
        let masked = |text: String| String::from_utf8(masked_bytes(text.into_bytes())).unwrap();
        let text = format!("---\ntoken: {secret}\nrelated: [{secret}, x/{secret}]\n---\n- {secret}\n");
        let expected = "---\ntoken: '****'\nrelated: ['****', x/****]\n---\n- ****\n";
        assert_eq!(masked(text), expected);
        assert_eq!(masked(format!("# A\n\n---\n{secret}")), "# A\n\n---\n****");
    }

    #[test]
    fn a_masked_text_has_no_secret_and_keeps_the_rest() {
        for (_, is_true, text) in examples().filter(|(_, is_true, _)| *is_true) {
            let around = format!("before {text} after\n");
            let masked = masked(&around);
            assert!(is_true && masked.contains(MASK), "{text}");
            assert!(masked.starts_with("before ") && masked.ends_with(" after\n"), "{masked}");
            assert!(find(&masked).is_empty(), "{masked}");
        }
    }
}
