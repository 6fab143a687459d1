//! What an entry cites of the code and names in it, line by line.

use crate::doc::{Document, saying, single_spaced};
use pulldown_cmark::{Event, Options, Parser, Tag};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A line of an entry that cites files or has names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CitingLine {
    /// Counted from 1.
    pub line: usize,
    /// Paths of the code that it may cite, as they were written, without a line number and `./`.
    pub paths: Vec<String>,
    /// Names that may stand in the code: code spans, identifiers, and subjects of facts. A code span may be a path as well.
    pub names: Vec<String>,
}

/// The longest path and the longest name that are looked for, in bytes.
const LONGEST: usize = 400;

/// The lines of an entry that may cite or name something, in their order. Whether a path is one of the code, and a name
/// stands in it, only the code can say.
pub fn citing_lines(document: &Document) -> Vec<CitingLine> {
    let mut lines = CitingLines::default();
    lines.add_concept(document);
    let body = &*without_reasons(document);
    let first = document.line_of_body(0);
    let ends: Vec<usize> = body.match_indices('\n').map(|(at, _)| at).collect();
    let line_of = |offset: usize| first + ends.partition_point(|end| *end < offset);
    let mut begins_item = false;
    for (event, range) in Parser::new_ext(body, Options::ENABLE_TABLES).into_offset_iter() {
        let is_first = std::mem::replace(&mut begins_item, matches!(event, Event::Start(Tag::Item)));
        match event {
            Event::Start(Tag::Paragraph) => begins_item = is_first,
            Event::Start(Tag::Strong) if is_first && body[range.end..].starts_with(':') => {
                lines.add_subject(line_of(range.start), body[range].trim_matches(['*', '_']));
            }
            Event::Code(span) => lines.add_span(line_of(range.start), &span),
            Event::Text(_) => {
                for (at, line) in body[range.clone()].split('\n').enumerate() {
                    lines.add_identifiers(line_of(range.start) + at, line);
                }
            }
            _ => {}
        }
    }
    lines.0.into_values().collect()
}

/// The body with letters that name nothing in place of why a statement holds no longer: that is not of the code of then. Every
/// line stays where it is.
fn without_reasons(document: &Document) -> Cow<'_, str> {
    let mut body = Cow::Borrowed(document.body());
    for at in saying::reasons(document) {
        let blank = |c: char| if c.is_whitespace() { c.to_string() } else { "x".repeat(c.len_utf8()) };
        let blanked: String = body[at.clone()].chars().map(blank).collect();
        body.to_mut().replace_range(at, &blanked);
    }
    body
}

/// The paths that an entry may cite, each once, in their order.
pub fn cited_paths(document: &Document) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for path in citing_lines(document).into_iter().flat_map(|line| line.paths) {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

/// Whether one of the paths that [`citing_lines`] finds is among those that are `known`, without a look at each word of the prose.
pub fn cites_any(document: &Document, known: impl Fn(&str) -> bool) -> bool {
    let mut of_concept = document.concept().files.into_iter();
    if of_concept.any(|file| concept_paths(&file).any(|path| known(&path))) {
        return true;
    }
    let mut spans = CitingLines::default();
    spans.add_whole_spans(document, |_| 0);
    spans.0.into_values().any(|line| line.paths.iter().any(|path| known(path)))
}

/// A file that an entry may cite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    pub path: String,
    /// The line that cites it, from 1: the one of the Raw Concept, else the first.
    pub line: usize,
    /// Whether the Raw Concept lists it as a file: else a code span only looks like one, or a remark does.
    pub is_listed: bool,
}

/// The files that an entry may cite, each once, with the paths of [`cited_paths`]: those of the Raw Concept first.
pub fn citations(document: &Document) -> Vec<Citation> {
    let (mut listed, mut spans) = (CitingLines::default(), CitingLines::default());
    listed.add_concept(document);
    spans.add_whole_spans(document, |start| document.line_of_body(start));
    let mut all: Vec<Citation> = Vec::new();
    let lines = listed.0.into_values().map(|line| (line, true));
    for (found, is_listed) in lines.chain(spans.0.into_values().map(|line| (line, false))) {
        for path in found.paths {
            if all.iter().all(|known| known.path != path) {
                let is_listed = is_listed && is_named_file(&path);
                all.push(Citation { path, line: found.line, is_listed });
            }
        }
    }
    all
}

/// Whether a path ends as files do; the text after a path with an ending is a remark.
pub(super) fn is_named_file(path: &str) -> bool {
    let is_remark = path.split_once(' ').is_some_and(|(first, _)| extension(first).is_some());
    extension(path).is_some() && !is_remark && !path.contains('[')
}

/// The paths that an entry may cite, and what may be the name of a folder: its code spans, and the files of its Raw
/// Concept. In no order, and without a look at each word of the prose, as [`citing_lines`] takes.
pub fn cited_and_spans(document: &Document) -> CitingLine {
    let mut lines = CitingLines::default();
    for span in document.blocks().iter().flat_map(|block| &block.code_spans) {
        lines.add_whole_span(0, &single_spaced(span));
    }
    let mut all = lines.0.remove(&0).unwrap_or_default();
    for file in document.concept().files {
        all.paths.extend(concept_paths(&file));
        all.names.push(file.trim_matches('`').to_owned());
    }
    all
}

/// The paths that a file of the Raw Concept may be: the text after a path is a remark.
fn concept_paths(file: &str) -> impl Iterator<Item = String> + use<> {
    let word = file.split_whitespace().next().unwrap_or_default().trim_matches('`');
    [path(file), path(word)].into_iter().flatten()
}

#[derive(Default)]
struct CitingLines(BTreeMap<usize, CitingLine>);

impl CitingLines {
    fn at(&mut self, line: usize) -> &mut CitingLine {
        self.0.entry(line).or_insert_with(|| CitingLine { line, ..CitingLine::default() })
    }

    fn add_path(&mut self, line: usize, path: String) {
        let paths = &mut self.at(line).paths;
        if !paths.contains(&path) {
            paths.push(path);
        }
    }

    fn add_name(&mut self, line: usize, name: &str) {
        let names = &mut self.at(line).names;
        if name.len() <= LONGEST && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }

    /// The files of the Raw Concept, each on the line where it first stands below that heading.
    fn add_concept(&mut self, document: &Document) {
        let files = document.concept().files;
        if files.is_empty() {
            return;
        }
        let text = document.text();
        let from = text.to_ascii_lowercase().find("raw concept").unwrap_or(0);
        let first = text[..from].matches('\n').count();
        for file in files {
            let line = text.lines().enumerate().skip(first).find(|(_, line)| line.contains(&file));
            let line = line.map_or(first, |(at, _)| at) + 1;
            concept_paths(&file).for_each(|path| self.add_path(line, path));
        }
    }

    fn add_span(&mut self, line: usize, span: &str) {
        let span = single_spaced(span);
        let bare = self.add_whole_span(line, &span);
        let parts = bare.split("::").flat_map(|part| part.split('#')).flat_map(|part| part.split("->"));
        let is_word = |part: &&str| part.len() > 2 && part.chars().all(is_word_char) && has_letters(part);
        if !bare.contains(' ') && !bare.contains('/') {
            parts.filter(is_word).for_each(|part| self.add_name(line, part));
        }
        self.add_identifiers(line, &span);
    }

    /// Add what the code spans may be, each on the line that its offset in the body stands for.
    fn add_whole_spans(&mut self, document: &Document, line_of: impl Fn(usize) -> usize) {
        let body = &*without_reasons(document);
        if !body.contains('`') {
            return;
        }
        for (event, range) in Parser::new_ext(body, Options::ENABLE_TABLES).into_offset_iter() {
            if let Event::Code(span) = event {
                self.add_whole_span(line_of(range.start), &single_spaced(&span));
            }
        }
    }

    /// Add the path that a span may be, and its name, which is returned.
    fn add_whole_span<'s>(&mut self, line: usize, span: &'s str) -> &'s str {
        if let Some(path) = Some(span).filter(|span| is_path_like(span)).and_then(path) {
            self.add_path(line, path);
        }
        let bare = span.split_once('(').map_or(span, |(name, _)| name).trim_end();
        if is_sign(span) {
            self.add_name(line, span);
        } else if has_letters(bare) {
            self.add_name(line, bare);
        }
        bare
    }

    /// The subject of a fact: one word may be the name of what the fact is about.
    fn add_subject(&mut self, line: usize, subject: &str) {
        let is_word = |char: char| is_word_char(char) || matches!(char, '-' | ':');
        if subject.chars().count() > 2 && subject.chars().all(is_word) && has_letters(subject) {
            self.add_name(line, subject);
        }
    }

    fn add_identifiers(&mut self, line: usize, text: &str) {
        // the parts of a path name nothing
        let words = text.split_whitespace().filter(|word| !word.contains('/'));
        for word in words.flat_map(|word| word.split(|char| !is_word_char(char) && char != '.')) {
            let word = word.trim_matches('.');
            let is_dotted = word.contains('.');
            let parts =
                word.split('.').filter(|part| is_identifier(part) && (!is_dotted || is_own_name(part)));
            parts.for_each(|part| self.add_name(line, part));
        }
    }
}

fn has_letters(name: &str) -> bool {
    name.chars().filter(|char| char.is_alphanumeric()).count() > 1
}

/// Whether a name is a sign, which code has as a literal: `;`.
pub(super) fn is_sign(name: &str) -> bool {
    (1..=3).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_punctuation())
}

/// What an identifier consists of.
pub(super) fn is_word_char(char: char) -> bool {
    char.is_alphanumeric() || char == '_' || char == '$'
}

/// Whether a part of a dotted word is a name: the parts of a setting (`core.fsmonitor`, `core.sshCommand`) are none, a field
/// (`self.max_open`) and a type (`ApiClient.send`) are.
fn is_own_name(part: &str) -> bool {
    part.starts_with(char::is_uppercase) || part.trim_matches('_').contains('_')
}

/// Whether a word of prose can only be the name of something in code: it has an underscore, a digit behind a letter, a
/// capital behind a small letter, or `$` before a letter.
pub(super) fn is_identifier(word: &str) -> bool {
    match word.as_bytes() {
        [] | [_] | [_, _] => return false,
        // nearly every word
        [first, rest @ ..] if !matches!(first, b'_' | b'$') && rest.iter().all(u8::is_ascii_lowercase) => {
            return false;
        }
        _ => {}
    }
    let starts = word.starts_with(|char: char| char.is_alphabetic() || matches!(char, '_' | '$'));
    let (mut before, mut count) = ('_', 0);
    let (mut has_inner, mut has_letter) = (false, false);
    for char in word.chars() {
        has_inner |= before.is_lowercase() && char.is_uppercase();
        has_letter |= char.is_alphabetic();
        (before, count) = (char, count + 1);
    }
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let has_score = word.trim_matches('_').contains('_') || word.starts_with('_') && count > 3;
    if let Some(name) = word.strip_prefix('$') {
        return count > 2 && name.starts_with(|char: char| char.is_alphabetic() || char == '_') && has_letter;
    }
    count > 2 && starts && has_letter && (has_inner || has_digit || has_score)
}

/// Names that files have without an ending.
pub(super) const FILE_NAMES: [&str; 9] = [
    "Makefile",
    "Dockerfile",
    "Justfile",
    "justfile",
    "Procfile",
    "Rakefile",
    "Gemfile",
    "LICENSE",
    "CODEOWNERS",
];

/// Whether a code span may be a path of the code. One with blanks needs a folder before them, and an ending.
fn is_path_like(span: &str) -> bool {
    match span.split_once(' ') {
        None => span.contains(['/', '.']) || FILE_NAMES.contains(&span),
        Some((first, _)) => first.contains('/') && extension(span).is_some() && !span.contains(" -"),
    }
}

/// The letters and digits behind the last dot of a path's name, if there is a letter among them, without what says a
/// place in the file.
pub(super) fn extension(path: &str) -> Option<&str> {
    let path = path.split(['#', ':']).next().unwrap_or_default();
    let (stem, ending) = path.rsplit('/').next()?.rsplit_once('.')?;
    let is_ending = ending.chars().all(char::is_alphanumeric) && ending.contains(char::is_alphabetic);
    (is_ending && !stem.is_empty()).then_some(ending)
}

/// A path below the root of the code, as it was written, without `./`, a line number or an anchor.
fn path(written: &str) -> Option<String> {
    let written = written.trim().trim_end_matches([',', ';']);
    let written = written.strip_prefix("./").unwrap_or(written);
    let written = written.split_once('#').map_or(written, |(path, _)| path);
    let is_place = |place: &str| place.starts_with(|char: char| char.is_ascii_digit());
    let bare = match written.split_once(':') {
        Some((path, place)) if is_place(place) => path,
        _ => written,
    };
    let is_plain = !bare.contains(['*', '?', '<', '>', '{', '}', '|', '"', '\\', '\0', ':', '\n', '(', ')']);
    let is_part = |part: &str| !part.is_empty() && part != "." && part != "..";
    let is_below = !bare.starts_with('~') && bare.split('/').all(is_part);
    (is_plain && is_below && bare.len() <= LONGEST).then(|| bare.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<(usize, Vec<String>, Vec<String>)> {
        let lines = citing_lines(&Document::parse(text)).into_iter();
        lines.map(|line| (line.line, line.paths, line.names)).collect()
    }

    #[test]
    fn what_cites_a_file_is_told_by_the_paths_of_its_lines() {
        for text in [
            "See `src/a.rs:3` and `fn b()`.\n",
            "## Raw Concept\n**Files:**\n- src/b.rs (the loop)\n- ./c.md\n\n`d/e.py`\n",
            "## Facts\n- **Retry**: reverted 2026-02-04 since `x/y.rs` is gone: see `z/w.rs`\n",
            "| a | `t/u.rs` |\n|---|---|\n| `v/w.rs` | x |\n",
            "no code, src/a.rs only as a word\n",
        ] {
            let document = Document::parse(text);
            let paths = cited_paths(&document);
            for path in ["src/a.rs", "src/b.rs", "c.md", "d/e.py", "x/y.rs", "z/w.rs", "t/u.rs", "v/w.rs"] {
                let is_cited = cites_any(&document, |known| known == path);
                assert_eq!(is_cited, paths.iter().any(|known| known == path), "{path} in {text}");
            }
            assert_eq!(cites_any(&document, |_| true), !paths.is_empty(), "{text}");
        }
    }

    fn all(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn files_of_the_raw_concept_and_spans_cite_and_name() {
        let text = "---\ntitle: T\n---\n# T\n\n## Raw Concept\n**Files:**\n- `src/a.rs:12` (the loop)\n- ./Cargo.toml\n\n## Facts\n- **retries**: `MAX_RETRIES` in `src/a.rs` is 5, see `Client::connect()`\n";
        assert_eq!(
            lines(text),
            [
                (8, all(&["src/a.rs"]), all(&["src/a.rs:12"])),
                (9, all(&["Cargo.toml"]), vec![]),
                (
                    12,
                    all(&["src/a.rs"]),
                    all(&["retries", "MAX_RETRIES", "src/a.rs", "Client::connect", "Client", "connect"])
                ),
            ]
        );
    }

    #[test]
    fn prose_names_what_can_only_be_code() {
        let names = |text: &str| lines(text).into_iter().flat_map(|(_, _, names)| names).collect::<Vec<_>>();
        assert_eq!(
            names("The maxRetries of a TokenStore is read by read_config and sha256.\n"),
            ["maxRetries", "TokenStore", "read_config", "sha256"]
        );
        assert_eq!(names("An API of GNU, 3 times in 2024, e.g. _ and __ here.\n"), Vec::<String>::new());
        assert_eq!(names("```rust\nlet x = fetch_all();\n```\n"), ["fetch_all"]);
    }

    #[test]
    fn a_variable_is_a_name_and_a_part_of_a_dotted_word_is_none() {
        let names = |text: &str| lines(text).into_iter().flat_map(|(_, _, names)| names).collect::<Vec<_>>();
        assert_eq!(names("`core.fsmonitor`\n"), ["core.fsmonitor"]);
        assert_eq!(names("`core.sshCommand`\n"), ["core.sshCommand"]);
        assert_eq!(
            names("core.sshCommand and self.max_open, ApiClient.send. See workDone.\n"),
            ["max_open", "ApiClient", "workDone"]
        );
        assert_eq!(names("`ApiClient.page_size`\n"), ["ApiClient.page_size", "ApiClient", "page_size"]);
        assert_eq!(names("`$KEEP`, $PORT and $5 of $100k\n"), ["$KEEP", "$PORT"]);
    }

    #[test]
    fn a_sign_is_a_name() {
        let names = |text: &str| lines(text).into_iter().flat_map(|(_, _, names)| names).collect::<Vec<_>>();
        assert_eq!(names("split at `;` or `::`, not at `....` or `a;`\n"), [";", "::"]);
    }

    #[test]
    fn the_subject_of_a_fact_is_a_name_if_it_is_one_word() {
        let names = |text: &str| lines(text).into_iter().flat_map(|(_, _, names)| names).collect::<Vec<_>>();
        assert_eq!(names("- **dedent**: ends with a newline\n- **two words**: x\n"), ["dedent"]);
        assert_eq!(
            names("- **X-Request-Id**: x\n\n- **Dialer::dial**: y\n"),
            ["X-Request-Id", "Dialer::dial"]
        );
        assert_eq!(names("A **word**: x\n- **strong** words: x\n- a **word**: x\n"), Vec::<String>::new());
    }

    #[test]
    fn why_something_was_reverted_names_nothing() {
        let text = "## Facts\n- reverted 2026-02-04: `fs_é` and workDone of `src/b.rs` are slow; was: decision: `fs_a` in\n  `src/a.rs`\n- **x**: fs_c; was: fs_d\n";
        assert_eq!(
            lines(text),
            [
                (2, vec![], all(&["fs_a"])),
                (3, all(&["src/a.rs"]), all(&["src/a.rs"])),
                (4, vec![], all(&["fs_c", "fs_d"])),
            ]
        );
    }

    /// The definition, letter by letter.
    fn is_identifier_by_definition(word: &str) -> bool {
        let chars: Vec<char> = word.chars().collect();
        let starts = chars.first().is_some_and(|char| char.is_alphabetic() || matches!(char, '_' | '$'));
        let has_inner = chars.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase());
        let has_digit = chars.iter().any(char::is_ascii_digit);
        let has_score = word.trim_matches('_').contains('_') || word.starts_with('_') && chars.len() > 3;
        let has_letter = chars.iter().any(|char| char.is_alphabetic());
        if chars.first() == Some(&'$') {
            let is_start = |char: &char| char.is_alphabetic() || *char == '_';
            return chars.len() > 2 && has_letter && chars.get(1).is_some_and(is_start);
        }
        chars.len() > 2 && starts && has_letter && (has_inner || has_digit || has_score)
    }

    /// Pieces of markdown, with what cites and what only looks like it.
    const PIECES: [&str; 14] = [
        "`src/a.rs`",
        "`src/net/`",
        "`./x y/`",
        "`a::b(c)`",
        "maxRetries",
        "text",
        "\n",
        "\n\n",
        "    ",
        "```\n",
        "- ",
        "## Raw Concept\n\n**Files:**\n- src/b.rs\n- src/c/\n\n",
        "| a |\n|---|\n",
        "``a/ ` b/``",
    ];

    proptest::proptest! {
        #![proptest_config(crate::cases::held_to(2_000))]

        #[test]
        fn identifiers_are_told_by_a_short_look_too(word in "[a-cA-C0-1_$éÉß]{0,6}") {
            proptest::prop_assert_eq!(is_identifier(&word), is_identifier_by_definition(&word));
        }

        #[test]
        fn spans_alone_have_the_same_paths_and_folders(
            pieces in proptest::collection::vec(proptest::sample::select(PIECES.to_vec()), 0..12),
        ) {
            let document = Document::parse(pieces.concat());
            let sorted = |names: Vec<String>| {
                names.into_iter().filter(|name| name.ends_with('/')).collect::<std::collections::BTreeSet<_>>()
            };
            let found = cited_and_spans(&document);
            let lines = citing_lines(&document);
            let names = lines.into_iter().flat_map(|line| line.names);
            let files = document.concept().files.into_iter().map(|file| file.trim_matches('`').to_owned());
            let names = files.chain(names).collect();
            proptest::prop_assert_eq!(sorted(found.names), sorted(names));
            let paths: std::collections::BTreeSet<String> = found.paths.into_iter().collect();
            let cited: std::collections::BTreeSet<String> = cited_paths(&document).into_iter().collect();
            proptest::prop_assert_eq!(&paths, &cited);
            proptest::prop_assert_eq!(citations(&document).into_iter().map(|one| one.path).collect::<std::collections::BTreeSet<_>>(), cited);
        }
    }

    #[test]
    fn a_listed_file_is_told_from_what_may_be_one() {
        let text = "`src/a.rs` of `self.max`\n\n## Raw Concept\n**Files:**\n- src/a.rs#L1\n- src/Maß zwei.rs\n- b.rs the loop.rs\n- Makefile\n- see v1.2\n";
        let found = citations(&Document::parse(text));
        let of = |is_listed: bool| -> Vec<(usize, &str)> {
            let found = found.iter().filter(|one| one.is_listed == is_listed);
            found.map(|one| (one.line, &*one.path)).collect()
        };
        assert_eq!(of(true), [(5, "src/a.rs"), (6, "src/Maß zwei.rs"), (7, "b.rs")]);
        let others = ["src/Maß", "b.rs the loop.rs", "Makefile", "see v1.2", "see", "self.max"];
        assert_eq!(of(false).into_iter().map(|(_, path)| path).collect::<Vec<_>>(), others);
    }

    #[test]
    fn what_is_no_path_below_the_code_cites_nothing() {
        let paths = |text: &str| cited_paths(&Document::parse(text));
        for none in
            ["`../a.rs`", "`/etc/a.rs`", "`~/a.rs`", "`src/*.rs`", "`http://a.b/c`", "`a::b.c()`", "a.rs"]
        {
            assert_eq!(paths(none), Vec::<String>::new(), "{none}");
        }
        assert_eq!(paths("`src/a.rs#L3` `./b.rs` `Makefile` `src/`"), ["src/a.rs", "b.rs", "Makefile"]);
    }
}
