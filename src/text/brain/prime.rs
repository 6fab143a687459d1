//! What an agent must know to use this tree well: its domains, how to ask and to write here, what is undecided.
//!
//! Every line has a number, a name or a path of this tree in it; what holds for any tree is left to `brv help`. The text
//! depends on the tree alone: no clock and no machine is in it.

use super::room::tokens;
use crate::doc::Document;
use brv_base::sorting;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The most that the document has, in tokens of four characters.
pub const MOST_TOKENS: u64 = 1_500;

/// How many rows a list has, and how many characters the text of a row, from the longest form to the shortest.
const FORMS: [(usize, usize); 6] = [(40, 100), (40, 40), (20, 40), (10, 40), (5, 30), (2, 20)];

/// The longest path that is shown; longer ones are left out, since a path that is cut cannot be typed.
const MOST_PATH: usize = 160;

/// What the document is made of.
#[derive(Debug, Default)]
pub struct PrimeTree {
    /// Where the tree is, relative to the project.
    pub place: String,
    /// The number of entries.
    pub entries: usize,
    pub domains: Vec<Domain>,
    pub habits: Habits,
    /// The changes that wait for review: path and why.
    pub pending: Vec<(String, String)>,
    /// Entries with disputed subjects.
    pub disputed: Vec<(String, Vec<String>)>,
    /// An entry to show as an example.
    pub example: Option<Example>,
}

/// A folder at the top.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Domain {
    pub name: String,
    pub entries: usize,
    /// What it is about, if its overview says so.
    pub about: String,
}

/// An entry to show as an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    pub path: String,
    pub title: String,
}

/// How often each word is used.
type WordTally = BTreeMap<String, usize>;

/// How entries are written here, by those that were looked at.
#[derive(Debug, Default)]
pub struct Habits {
    entries: usize,
    facts: usize,
    subjects: usize,
    sections: WordTally,
    fields: WordTally,
    categories: WordTally,
    tags: WordTally,
}

impl Habits {
    /// Look at one more entry.
    pub fn add(&mut self, document: &Document) {
        self.entries += 1;
        let (outline, meta) = (document.outline(), document.meta());
        let below = (1..outline.sections().len()).filter(|at| outline.sections()[*at].level > 1);
        // the heading of level 1 is the title of the entry
        let named = |at: usize| {
            let path = outline.path(at);
            let first = path.len() - path.len().min(usize::from(outline.sections()[at].level) - 1);
            path[first..].join(" › ")
        };
        count(&mut self.sections, below.map(named));
        count(
            &mut self.fields,
            document.fields().iter().filter_map(|(key, _)| key.as_str().map(str::to_owned)),
        );
        count(&mut self.tags, meta.tags.into_iter());
        for fact in document.facts() {
            self.facts += 1;
            self.subjects += usize::from(fact.subject.is_some());
            let category = fact.category.map_or("none", |category| category.as_str());
            *self.categories.entry(category.to_owned()).or_default() += 1;
        }
    }
}

/// Count each word of an entry once.
fn count(tally: &mut WordTally, words: impl Iterator<Item = String>) {
    for word in words.collect::<BTreeSet<_>>() {
        *tally.entry(word).or_default() += 1;
    }
}

/// The document, at most [`MOST_TOKENS`] long.
pub fn document(tree: &PrimeTree) -> String {
    if tree.entries == 0 {
        return nothing(tree);
    }
    let forms = FORMS.iter().map(|(rows, width)| written(tree, *rows, *width));
    let mut last = String::new();
    for form in forms {
        if tokens(&form) <= MOST_TOKENS {
            return form;
        }
        last = form;
    }
    cut(&last, MOST_TOKENS as usize * 4)
}

fn nothing(tree: &PrimeTree) -> String {
    format!(
        "# Knowledge in `{}`\n\nNothing is stored yet.\n\n\
         - Take in what the latest commits of the code teach: `brv curate --commit HEAD~20..HEAD`\n\
         - Write the first entry: `brv curate \"Why it is so.\" --into DOMAIN/TOPIC --title TITLE --reason WHY --fact \"SUBJECT: STATEMENT [convention]\"`\n\
         - Let commits feed the tree from now on: `brv hooks install`\n",
        tree.place
    )
}

fn written(tree: &PrimeTree, rows: usize, width: usize) -> String {
    let mut text = format!(
        "# Knowledge in `{}`\n\n{} in {}.\n",
        tree.place,
        many(tree.entries, "entry", "entries"),
        many(tree.domains.len(), "domain", "domains")
    );
    domains(&mut text, tree, rows, width);
    ask(&mut text, tree);
    write(&mut text, tree, rows);
    let pending: Vec<String> =
        tree.pending.iter().map(|(path, why)| format!("`{path}`: {}", cut(why, width.max(40)))).collect();
    list(&mut text, "Pending review: `brv review`", &pending, rows / 4);
    let disputed: Vec<String> = tree
        .disputed
        .iter()
        .map(|(path, subjects)| format!("`{path}`: {}", cut(&subjects.join(", "), width.max(40))))
        .collect();
    list(&mut text, "Disputed, both claims are kept: `brv vc resolve`", &disputed, rows / 4);
    text
}

fn domains(text: &mut String, tree: &PrimeTree, rows: usize, width: usize) {
    let mut sorted: Vec<&Domain> = tree.domains.iter().collect();
    sorting::sort_by_key(&mut sorted, |domain| (Reverse(domain.entries), &domain.name));
    let line = |domain: &&Domain| {
        let about = cut(&domain.about, width);
        let about = if about.is_empty() { about } else { format!(": {about}") };
        format!("`{}` {}{about}", domain.name, domain.entries)
    };
    let lines: Vec<String> = sorted.iter().map(line).collect();
    list(text, "Domains, with their entries: `brv tree DOMAIN`", &lines, rows);
}

fn ask(text: &mut String, tree: &PrimeTree) {
    let Some(example) = tree.example.as_ref().filter(|example| example.path.len() <= MOST_PATH) else {
        return;
    };
    let words = cut(&example.title.replace(['"', '`', '$', '\\', '!'], " "), 60);
    let path = &example.path;
    let _ = write!(
        text,
        "\n## Ask\n\n- `brv query \"{words}\"` answers, or says that no entry covers it\n- `brv search \"{words}\"` lists entries"
    );
    if let Some((tag, number)) = most(&tree.habits.tags, 1).first() {
        let _ = write!(text, "; `brv search tag:{tag}` those with this tag ({number})");
    }
    let _ = write!(
        text,
        "\n- `brv read {path}` prints all of it, `--level l1` its key points\n- `brv brain --for FILE` shows what is known about a file of the code, before you edit it\n"
    );
}

fn write(text: &mut String, tree: &PrimeTree, rows: usize) {
    let habits = &tree.habits;
    let _ = write!(text, "\n## Write\n\n");
    if let Some((folder, _)) = tree.example.as_ref().and_then(|example| example.path.rsplit_once('/')) {
        let _ = writeln!(
            text,
            "- `brv curate --ops -` takes operations as JSON (`brv schema curate.ops`); one as flags: `brv curate \"WHY\" --into {folder} --title TITLE --reason REASON --fact \"SUBJECT: STATEMENT [{}]\"`",
            most(&habits.categories, 7)
                .into_iter()
                .find(|(word, _)| *word != "none")
                .map_or("project", |(word, _)| word)
        );
    }
    let seen = seen(habits, rows);
    if !seen.is_empty() {
        let all = if habits.entries < tree.entries { " looked at" } else { "" };
        let _ = writeln!(text, "- Of {}{all}:", many(habits.entries, "entry", "entries"));
        for line in seen {
            let _ = writeln!(text, "  - {line}");
        }
    }
}

/// What is usual, each on a line with its numbers.
fn seen(habits: &Habits, rows: usize) -> Vec<String> {
    // what only one entry has is not a habit, unless there are hardly any
    let least = if habits.entries > 2 { 2 } else { 1 };
    let tallies = [("sections", &habits.sections), ("frontmatter", &habits.fields), ("tags", &habits.tags)];
    let mut lines = Vec::new();
    for (name, tally) in tallies {
        let words = most(tally, (rows / 2).clamp(4, 12)).into_iter().filter(|(_, number)| *number >= least);
        let words: Vec<String> = words.map(|(word, number)| format!("{} {number}", cut(word, 40))).collect();
        if !words.is_empty() {
            lines.push(format!("{name}: {}", words.join(", ")));
        }
    }
    if habits.facts > 0 {
        let words = most(&habits.categories, 8);
        let words: Vec<String> = words.iter().map(|(word, number)| format!("{word} {number}")).collect();
        let (facts, words) = (many(habits.facts, "fact", "facts"), words.join(", "));
        lines.push(format!("{facts}, {} with a bold subject; categories: {words}", habits.subjects));
    }
    lines
}

/// A section with as many of the lines as there is room for; none where there are none.
fn list(text: &mut String, heading: &str, lines: &[String], most: usize) {
    if lines.is_empty() {
        return;
    }
    let _ = write!(text, "\n## {heading}\n\n");
    let fit = lines.iter().filter(|line| line.chars().count() <= MOST_PATH + 120);
    let shown: Vec<&String> = fit.take(most.max(1)).collect();
    for line in &shown {
        let _ = writeln!(text, "- {line}");
    }
    if shown.len() < lines.len() {
        let _ = writeln!(text, "- and {} more", lines.len() - shown.len());
    }
}

/// The words that are used most, with their numbers.
fn most(tally: &WordTally, most: usize) -> Vec<(&str, usize)> {
    let mut words: Vec<(&str, usize)> = tally.iter().map(|(word, number)| (word.as_str(), *number)).collect();
    sorting::sort_by_key(&mut words, |(word, number)| (Reverse(*number), *word));
    words.truncate(most);
    words
}

fn many(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// A text on one line, cut to so many characters.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> PrimeTree {
        let mut habits = Habits::default();
        for subject in ["lifetime", "rotation", "clock"] {
            let text = format!(
                "---\ntitle: T\ntags: [auth, auth]\n---\n# T\n\n## Narrative\n### Rules\n- x\n\n## Facts\n- **{subject}**: 12 hours [convention]\n- bare\n"
            );
            habits.add(&Document::parse(text));
        }
        let domain = |name: &str, entries| Domain { name: name.into(), entries, about: String::new() };
        PrimeTree {
            place: ".brv/context-tree".into(),
            entries: 3,
            domains: vec![domain("auth", 1), domain("zoo", 2)],
            habits,
            pending: vec![("auth/a.md".into(), "deleted".into())],
            disputed: vec![("zoo/b.md".into(), vec!["ttl".into()])],
            example: Some(Example { path: "auth/t/a.md".into(), title: "The \"best\" T".into() }),
        }
    }

    #[test]
    fn habits_count_entries_and_facts_and_the_larger_domain_comes_first() {
        let text = document(&tree());
        for line in [
            "3 entries in 2 domains.\n",
            "- `zoo` 2\n- `auth` 1\n",
            "  - sections: Facts 3, Narrative 3, Narrative › Rules 3\n",
            "  - frontmatter: tags 3, title 3\n",
            "  - tags: auth 3\n",
            "  - 6 facts, 3 with a bold subject; categories: convention 3, none 3\n",
            "`brv query \"The  best  T\"`",
            "--into auth/t --title",
            "- `auth/a.md`: deleted\n",
            "- `zoo/b.md`: ttl\n",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        assert!(!text.contains("looked at"), "all of them were");
    }

    #[test]
    fn an_enormous_tree_fits_and_says_what_is_left_out() {
        let long = "very long words ".repeat(20);
        let domains = (0..900)
            .map(|at| Domain { name: format!("domain_{at:03}"), entries: at, about: long.clone() })
            .collect();
        let rows = |at: usize| (format!("a/{at}/{}.md", "b".repeat(150)), long.clone());
        let tree = PrimeTree {
            entries: 24_000,
            domains,
            pending: (0..300).map(rows).collect(),
            disputed: (0..300).map(|at| (rows(at).0, vec![long.clone()])).collect(),
            ..tree()
        };
        let text = document(&tree);
        assert!(tokens(&text) <= MOST_TOKENS, "{}", tokens(&text));
        assert!(
            text.contains("`domain_899`")
                && text.contains(" more\n")
                && text.contains("Of 3 entries looked at:")
        );
    }

    #[test]
    fn an_empty_tree_says_how_to_begin() {
        let text = document(&PrimeTree { place: "x".into(), ..PrimeTree::default() });
        assert!(
            text.starts_with("# Knowledge in `x`\n\nNothing is stored yet.") && text.contains("brv curate")
        );
    }
}
