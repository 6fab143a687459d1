//! The text of an entry, and the effect of each kind of edit.
//!
//! Edits choose lines by content, not by position, so that one edit does the same to two texts with the same lines in
//! another order.

use super::person::{is_prose_line, key, sentences};
use super::script::{Edit, Kind, Numbers};
use crate::corpus;
use crate::words::{CLAUSES, KINDS, NOUNS, VERBS};
use std::collections::BTreeMap;
use std::ops::Range;

/// The initial entries: those of the benchmarks, with the parts that grow over time.
pub fn first(count: usize) -> Vec<(String, String)> {
    let mut numbers = Numbers::new(200);
    let mut files = corpus::files(count);
    // the most edited entries are not the first ones
    files.sort_by_key(|file| hash(7, &file.path));
    files.into_iter().map(|file| (file.path, grown(&file.text, &mut numbers))).collect()
}

fn grown(text: &str, numbers: &mut Numbers) -> String {
    let Some(facts) = text.find("\n## Facts\n") else { return text.to_owned() };
    let mut parts = String::new();
    let mut part = |chance: usize, head: &str, mark: &dyn Fn(usize, String) -> String| {
        if numbers.below(chance) == 0 {
            parts.push_str(head);
            for at in 1..=3 + numbers.below(3) {
                let line = mark(at, says(numbers));
                parts.push_str(&line);
            }
        }
    };
    part(2, "\n### Tasks\n", &|_, says| format!("- [ ] {says}\n"));
    part(3, "\n### Limits\n| what | why |\n| --- | --- |\n", &|at, says| {
        format!("| limit {at} | {says} |\n")
    });
    part(4, "\n### Procedure\n", &|at, says| format!("{at}. {says}\n"));
    part(3, "\n### Changelog\n", &|at, says| format!("- 2025-11-{at:02}: {says}\n"));
    format!("{}{parts}{}", &text[..facts], &text[facts..])
}

/// A sentence without its number.
fn says(numbers: &mut Numbers) -> String {
    let [what, verb, other] = [numbers.pick(&NOUNS), numbers.pick(&VERBS), numbers.pick(&NOUNS)];
    format!("The {} {what} {verb} the {other} {}.", numbers.pick(&KINDS), numbers.pick(&CLAUSES))
}

/// A sentence that no other edit writes.
fn sentence(numbers: &mut Numbers, number: usize) -> String {
    let text = says(numbers);
    format!("{} (#{number}).", text.trim_end_matches('.'))
}

/// An entry as an agent first writes it.
pub fn new(edit: &Edit, time: &str) -> (String, String) {
    let mut numbers = Numbers::new(edit.seed);
    let title = format!("{} {} {}", numbers.pick(&KINDS), numbers.pick(&NOUNS), edit.number);
    let mut text = format!(
        "---\ntitle: {title}\nsummary: {}\ntags: [{}]\nkeywords: []\nrelated: []\ncreatedAt: '{time}'\nupdatedAt: '{time}'\n---\n\n\
         ## Raw Concept\n\n**Task:**\n{}\n\n## Narrative\n\n### Structure\n{}\n\n### Rules\n",
        says(&mut numbers),
        numbers.pick(&NOUNS),
        sentence(&mut numbers, edit.number),
        sentence(&mut numbers, edit.number),
    );
    for _ in 0..2 {
        text.push_str(&format!("- {}\n", sentence(&mut numbers, edit.number)));
    }
    text.push_str("\n## Facts\n");
    for _ in 0..3 {
        let fact =
            format!("- **{}**: {} [project]\n", subject(&mut numbers), sentence(&mut numbers, edit.number));
        text.push_str(&fact);
    }
    (title.replace(' ', "_") + ".md", text)
}

fn subject(numbers: &mut Numbers) -> String {
    format!("{} {}", numbers.pick(&NOUNS), numbers.pick(&NOUNS))
}

/// The text after an edit if the entry has the part it needs; otherwise a fact or a sentence is added.
pub fn edited(text: &str, edit: &Edit, time: &str, others: &[&str]) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut draft = Draft { lines: &mut lines, edit, numbers: Numbers::new(edit.seed), others };
    let fallbacks = [edit.kind, Kind::AddFact, Kind::AddSentence];
    let done = fallbacks.into_iter().find(|kind| draft.apply(*kind).is_some());
    assert!(done.is_some(), "a sentence can be added to {text}");
    if let Some(line) = lines.iter_mut().find(|line| line.starts_with("updatedAt: ")) {
        *line = format!("updatedAt: '{time}'");
    }
    lines.join("\n") + "\n"
}

/// An entry under another name.
pub fn renamed(path: &str, text: &str, edit: &Edit, time: &str) -> (String, String) {
    let mut numbers = Numbers::new(edit.seed);
    let title = format!("{} {} {}", numbers.pick(&KINDS), numbers.pick(&NOUNS), edit.number);
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut text = text.to_owned();
    for (name, value) in [("title", title.clone()), ("updatedAt", format!("'{time}'"))] {
        if let Some(old) = text.lines().find(|line| line.starts_with(&format!("{name}: "))).map(str::to_owned)
        {
            text = text.replacen(&old, &format!("{name}: {value}"), 1);
        }
    }
    (format!("{folder}/{}.md", title.replace(' ', "_")), text)
}

struct Draft<'a> {
    lines: &'a mut Vec<String>,
    edit: &'a Edit,
    numbers: Numbers,
    /// Paths that may be related.
    others: &'a [&'a str],
}

impl Draft<'_> {
    fn apply(&mut self, kind: Kind) -> Option<()> {
        let number = self.edit.number;
        let says = sentence(&mut self.numbers, number);
        match kind {
            Kind::AddFact => {
                let fact = format!("- **{}**: {says} [project]", subject(&mut self.numbers));
                self.append("## Facts", fact)
            }
            Kind::AddClaim => {
                let fact = self.lines[self.choose("## Facts", "- **")?].clone();
                let subject = fact.split("**").nth(1)?;
                self.append("## Facts", format!("- **{subject}**: {says} [project]"))
            }
            Kind::ChangeFact => self.change("## Facts", "- **"),
            Kind::RemoveFact => self.remove("## Facts", "- **"),
            Kind::AddRule => self.append("### Rules", format!("- {says}")),
            Kind::ChangeRule => self.change("### Rules", "- "),
            Kind::RemoveRule => self.remove("### Rules", "- "),
            Kind::AddTask => self.append("### Tasks", format!("- [ ] {says}")),
            Kind::TickTask => {
                let at = self.choose("### Tasks", "- [ ] ")?;
                self.lines[at] = self.lines[at].replacen("[ ]", "[x]", 1);
                Some(())
            }
            Kind::ChangeSentence => {
                self.in_paragraph(|found, chosen| found[chosen] = reworded(&found[chosen], number))
            }
            Kind::AddSentence => self.in_paragraph(|found, _| found.push(says)),
            Kind::AddParagraph => {
                let at = self
                    .paragraphs()
                    .into_iter()
                    .min_by_key(|lines| self.order(&self.lines[lines.start]))?
                    .end;
                self.put(at, [String::new(), says]);
                Some(())
            }
            Kind::AddSection => {
                let head = format!("### {} {number}", self.numbers.pick(&NOUNS));
                let at = self.lines.iter().position(|line| line == "## Facts")?;
                self.put(at, [head, says, String::new()]);
                Some(())
            }
            Kind::AddRow => self.append("### Limits", format!("| limit #{number} | {says} |")),
            Kind::ChangeRow => self.change("### Limits", "| limit"),
            Kind::LogChange => self.append("### Changelog", format!("- 2026-01-01: {says}")),
            Kind::AddTag => self.list("tags", &format!("tag-{number}")),
            Kind::AddKeyword => self.list("keywords", &format!("word-{number}")),
            Kind::AddRelated => {
                let other = self.numbers.pick(self.others);
                self.list("related", other)
            }
            Kind::ChangeSummary => {
                let at = self.lines.iter().position(|line| line.starts_with("summary: "))?;
                self.lines[at] = format!("summary: {says}");
                Some(())
            }
            Kind::AddStep => {
                let last = self.section("### Procedure")?.end;
                let count: usize = self.lines[last - 1].split_once(". ")?.0.parse().ok()?;
                self.put(last, [format!("{}. {says}", count + 1)]);
                Some(())
            }
            Kind::ChangeExample => {
                let at = self.lines.iter().position(|line| line == "```bash")? + 1;
                self.lines[at] = format!("{} --issue {number}", self.lines[at].split(" --issue").next()?);
                Some(())
            }
            Kind::Rewrap => self.rewrap(),
            Kind::ReorderSections => self.reorder(),
            Kind::NewEntry | Kind::RenameEntry | Kind::DeleteEntry => None,
        }
    }

    /// The lines below a heading, without blank ones at the end.
    fn section(&self, heading: &str) -> Option<Range<usize>> {
        let start = self.lines.iter().position(|line| line == heading)? + 1;
        let next = self.lines[start..].iter().position(|line| line.starts_with('#'));
        let end = next.map_or(self.lines.len(), |at| start + at);
        let end = (start..end).rev().find(|at| !self.lines[*at].is_empty()).map_or(start, |at| at + 1);
        Some(start..end)
    }

    fn put<const N: usize>(&mut self, at: usize, lines: [String; N]) {
        self.lines.splice(at..at, lines);
    }

    fn append(&mut self, heading: &str, line: String) -> Option<()> {
        let end = self.section(heading)?.end;
        self.put(end, [line]);
        Some(())
    }

    /// The chosen one of several, independent of position.
    fn order(&self, line: &str) -> u64 {
        hash(self.edit.seed, &key(line))
    }

    fn choose(&self, heading: &str, start: &str) -> Option<usize> {
        let found = self.section(heading)?.filter(|at| self.lines[*at].starts_with(start));
        found.min_by_key(|at| self.order(&self.lines[*at]))
    }

    fn change(&mut self, heading: &str, start: &str) -> Option<()> {
        let at = self.choose(heading, start)?;
        self.lines[at] = reworded(&self.lines[at], self.edit.number);
        Some(())
    }

    fn remove(&mut self, heading: &str, start: &str) -> Option<()> {
        let at = self.choose(heading, start)?;
        self.lines.remove(at);
        Some(())
    }

    /// Paragraphs of whole sentences.
    fn paragraphs(&self) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        let (mut rules, mut fences) = (0, 0);
        let is_entry = self.lines[0] == "---";
        for (at, line) in self.lines.iter().enumerate() {
            rules += usize::from(line == "---");
            fences += usize::from(line.starts_with("```"));
            if (is_entry && rules < 2) || fences % 2 == 1 || !is_prose_line(line) {
                continue;
            }
            match found.last_mut() {
                Some(last) if last.end == at => last.end = at + 1,
                _ => found.push(at..at + 1),
            }
        }
        found.retain(|lines| self.lines[lines.end - 1].ends_with('.'));
        found
    }

    fn in_paragraph(&mut self, act: impl FnOnce(&mut Vec<String>, usize)) -> Option<()> {
        let all = self.paragraphs().into_iter().flat_map(|lines| {
            let found = sentences(&self.lines[lines.clone()].join(" "));
            (0..found.len()).map(move |at| (lines.clone(), found.clone(), at))
        });
        let (lines, mut found, chosen) = all.min_by_key(|(_, found, at)| self.order(&found[*at]))?;
        act(&mut found, chosen);
        let text = found.join(" ");
        let text = if lines.len() > 1 { filled(&text) } else { vec![text] };
        self.lines.splice(lines, text);
        Some(())
    }

    fn list(&mut self, name: &str, item: &str) -> Option<()> {
        let at = self.lines.iter().position(|line| line.starts_with(&format!("{name}: [")))?;
        let line = self.lines[at].trim_end_matches(']');
        self.lines[at] =
            if line.ends_with('[') { format!("{line}{item}]") } else { format!("{line}, {item}]") };
        Some(())
    }

    /// Wrap the longest paragraph, or unwrap a wrapped one.
    fn rewrap(&mut self) -> Option<()> {
        let length = |lines: &Range<usize>| self.lines[lines.clone()].iter().map(String::len).sum::<usize>();
        let lines = self.paragraphs().into_iter().max_by_key(length)?;
        let text = self.lines[lines.clone()].join(" ");
        let text = if lines.len() > 1 { vec![text] } else { filled(&text) };
        self.lines.splice(lines, text);
        Some(())
    }

    /// Move a part of the narrative before the one above it.
    fn reorder(&mut self) -> Option<()> {
        let heads: Vec<usize> = (0..self.lines.len()).filter(|at| self.lines[*at].starts_with('#')).collect();
        let is_part = |at: usize| self.lines[at].starts_with("### ");
        let pairs = heads.windows(3).filter(|at| is_part(at[0]) && is_part(at[1]));
        let found = pairs.min_by_key(|at| self.order(&self.lines[at[1]]))?;
        let (above, own, end) = (found[0], found[1], found[2]);
        self.lines[above..end].rotate_left(own - above);
        Some(())
    }
}

/// The same with another end: the effect of a correction.
fn reworded(line: &str, number: usize) -> String {
    let (text, tail) = match line.rsplit_once('.') {
        Some((text, tail)) => (text, format!(".{tail}")),
        None => (line, String::new()),
    };
    let text = text.rsplit_once(" (#").map_or(text, |(text, _)| text);
    let mut words: Vec<&str> = text.split(' ').collect();
    let mut numbers = Numbers::new(number as u64);
    if words.len() > 4 {
        words.pop();
        words.push(numbers.pick(&NOUNS));
    }
    format!("{} (#{number}){tail}", words.join(" "))
}

/// Lines of at most 80 characters, or a few more if a number ends a sentence.
fn filled(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().expect("there is one from the start");
        if last.is_empty() {
            last.push_str(word);
        } else if last.len() + 1 + word.len() <= 80 || word.starts_with("(#") {
            last.push(' ');
            last.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// A hash of a text, the same on every machine (FNV-1a, mixed).
pub fn hash(seed: u64, text: &str) -> u64 {
    let folded = text.bytes().fold(0xcbf2_9ce4_8422_2325 ^ seed, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    Numbers::new(folded).next()
}

/// The statements of a text: items, rows, sentences, headings, tags and keywords, each with its count, and whether it
/// is ticked.
pub fn statements(text: &str) -> BTreeMap<String, Standing> {
    let mut found: BTreeMap<String, Standing> = BTreeMap::new();
    let mut add = |text: String, is_ticked: bool| {
        let standing = found.entry(text).or_default();
        standing.count += 1;
        standing.is_ticked |= is_ticked;
    };
    let (mut rules, mut paragraph) = (0, String::new());
    let is_entry = text.starts_with("---\n");
    for line in text.lines().chain([""]) {
        rules += usize::from(line == "---");
        if is_entry && rules < 2 {
            for name in ["tags: [", "keywords: ["] {
                if let Some(items) = line.strip_prefix(name) {
                    items
                        .trim_end_matches(']')
                        .split(", ")
                        .for_each(|item| add(format!("{name}{item}]"), false));
                }
            }
            continue;
        }
        if is_prose_line(line) {
            paragraph = if paragraph.is_empty() { line.to_owned() } else { format!("{paragraph} {line}") };
            continue;
        }
        if !paragraph.is_empty() {
            sentences(&std::mem::take(&mut paragraph)).into_iter().for_each(|sentence| add(sentence, false));
        }
        if line.starts_with(['-', '|', '#']) || line.starts_with(|c: char| c.is_ascii_digit()) {
            add(key(line), line.starts_with("- [x]"));
        }
    }
    found
}

/// How a statement occurs in a tree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standing {
    /// The maximum count in one file.
    pub count: usize,
    /// The number of files.
    pub files: usize,
    /// Whether one of them is ticked.
    pub is_ticked: bool,
}
