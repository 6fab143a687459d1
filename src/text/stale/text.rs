//! A file as lines, and the lines of it that introduce a name.

use super::declaration::{Declaration, declaration};
use super::names::{How, attributed, introduced, is_call, is_comment, is_import, stands};
use super::said::Said;
use crate::doc::single_spaced;

/// On how many lines a name may stand at most that nothing introduces, so that the first of them is what it is about: one
/// that stands everywhere is used, not told.
const FEW: usize = 2;

/// On how many lines of a file a lower-case word may stand at most: one that stands everywhere is a word, no name.
const OFTEN: usize = 20;

/// A name that is looked for in a file.
#[derive(Debug, Clone, Copy)]
pub struct NameQuery<'a> {
    pub name: &'a str,
    /// The line of the entry that has the name.
    pub said: &'a Said,
    /// Whether the file is a text for people, where a name may only be missing.
    pub is_prose: bool,
}

impl NameQuery<'_> {
    /// Whether the name is an ordinary word, as the subject of a fact is: it is one of the code only where a line declares it.
    pub(super) fn is_word(&self) -> bool {
        self.name.chars().all(char::is_alphabetic) && !self.said.names(self.name)
    }
}

/// A text as it is compared: its lines with blanks collapsed.
#[derive(Debug, Default)]
pub struct Text {
    pub(super) lines: Vec<String>,
    /// The lines in one, so that a name is looked for once, and where they begin in it.
    whole: String,
    starts: Vec<usize>,
}

/// What introduces a name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Introduction {
    /// Its line, counted from 0.
    pub line: usize,
    pub how: How,
    pub declaration: Declaration,
}

impl Text {
    pub fn new(text: &str) -> Self {
        let lines: Vec<String> = text.lines().map(single_spaced).collect();
        let (mut whole, mut starts) = (String::with_capacity(text.len()), Vec::with_capacity(lines.len()));
        for line in &lines {
            starts.push(whole.len());
            whole.push_str(line);
            whole.push('\n');
        }
        Self { lines, whole, starts }
    }

    /// Its lines, with blanks collapsed.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(String::as_str)
    }

    /// The lines on which a name stands, counted from 0.
    pub(super) fn standing<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
        let mut last = None;
        stands(&self.whole, name).filter_map(move |at| {
            let line = self.starts.partition_point(|start| *start <= at).checked_sub(1)?;
            (last.replace(line) != Some(line)).then(|| Some((line, self.lines.get(line)?.as_str())))?
        })
    }

    /// The first line that has a name, in any case of letters.
    pub(super) fn mentioning(&self, name: &str) -> Option<&str> {
        let name = name.to_lowercase();
        let has = |line: &&str| stands(&line.to_lowercase(), &name).next().is_some();
        self.lines.iter().map(String::as_str).find(has)
    }

    /// Whether a line declares a name or gives it a value.
    pub(super) fn gives(&self, name: &str) -> bool {
        let asked = NameQuery { name, said: &Said::default(), is_prose: false };
        self.introducing(&asked).iter().any(|one| one.how != How::Mentioned)
    }

    /// Whether a line declares a name.
    pub fn declares(&self, name: &str) -> bool {
        let asked = NameQuery { name, said: &Said::default(), is_prose: false };
        self.introducing(&asked).iter().any(|one| one.how <= How::Declared)
    }

    /// What introduces a name; where nothing does, the first line that is about it.
    pub(super) fn introducing(&self, asked: &NameQuery<'_>) -> Vec<Introduction> {
        let mut found = self.strongest(asked);
        if asked.is_word() {
            found.retain(|one| one.how != How::Variable);
        } else if found.is_empty() && self.standing(asked.name).nth(FEW).is_none() {
            found.extend(self.first_about(asked));
        }
        found
    }

    /// What introduces a name in the way that says most of it.
    fn strongest(&self, asked: &NameQuery<'_>) -> Vec<Introduction> {
        let (name, said) = (asked.name, asked.said);
        let mut found: Vec<Introduction> = self
            .standing(name)
            .filter(|(_, line)| !is_comment(line) && !is_import(line))
            .filter_map(|(line, text)| {
                let (at, how) = stands(text, name).find_map(|at| Some((at, introduced(text, at, name)?)))?;
                Some(Introduction {
                    line,
                    how,
                    declaration: declaration(&self.lines[line..], at, name, said),
                })
            })
            .collect();
        if let Some(strongest) = found.iter().map(|one| one.how).min().filter(|how| *how < How::Assigned) {
            found.retain(|one| one.how == strongest);
        } else if found.len() > 1 {
            // what counts up is not another beginning
            let is_first = |one: &Introduction| stands(&self.lines[one.line], name).nth(1).is_none();
            if found.iter().any(is_first) {
                found.retain(is_first);
            }
        }
        found
    }

    /// The first line that is about a name which nothing introduces.
    fn first_about(&self, asked: &NameQuery<'_>) -> Option<Introduction> {
        let (name, said) = (asked.name, asked.said);
        let is_about = |(_, text): &(usize, &str)| {
            !is_comment(text) && !is_import(text) && stands(text, name).any(|at| !is_call(text, at, name))
        };
        let (line, text) = self.standing(name).find(is_about)?;
        let (how, text) = match attributed(text, name) {
            Some(does) => (How::Attributed, does),
            None => (How::Mentioned, text),
        };
        Some(Introduction { line, how, declaration: Declaration::plain(text, said) })
    }

    /// Whether a name is a word that stands everywhere.
    pub(super) fn is_everywhere(&self, name: &str) -> bool {
        name.chars().all(char::is_lowercase)
            && self.standing(name).nth(OFTEN).is_some()
            && !self
                .standing(name)
                .any(|(_, line)| stands(line, name).any(|at| introduced(line, at, name) == Some(How::Item)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_on_lines_as_a_whole_word() {
        let text = Text::new("max = 1\n\n  max_two\nmax max\r\nmax");
        assert_eq!(text.standing("max").collect::<Vec<_>>(), [(0, "max = 1"), (3, "max max"), (4, "max")]);
        assert_eq!(text.standing("none").count(), 0);
        assert_eq!(Text::new("").standing("a").count(), 0);
    }

    #[test]
    fn what_says_most_of_a_name_introduces_it() {
        let said = Said::of("`limit` of it");
        let introducing = |text: &str| {
            let asked = NameQuery { name: "limit", said: &said, is_prose: false };
            Text::new(text).introducing(&asked).iter().map(|one| (one.line, one.how)).collect::<Vec<_>>()
        };
        assert_eq!(introducing("limit: 1\nfn limit() {}\nlet limit = 2;\n"), [(1, How::Item)]);
        assert_eq!(introducing("let limit = 2;\nlimit = 3\n"), [(0, How::Variable)]);
        assert_eq!(
            introducing("limit = 2\nlimit = limit + 1\nlimit = 4\n"),
            [(0, How::Assigned), (2, How::Assigned)]
        );
        assert_eq!(introducing("use(limit, 1)\n"), [(0, How::Mentioned)]);
        assert_eq!(introducing("#![deny(a, limit)]\n"), [(0, How::Attributed)]);
    }

    #[test]
    fn an_ordinary_word_is_a_name_where_it_is_declared() {
        let said = Said::of("- **limit**: three");
        let count = |text: &str| {
            let asked = NameQuery { name: "limit", said: &said, is_prose: false };
            Text::new(text).introducing(&asked).len()
        };
        assert_eq!(
            ["fn limit() {}", "limit: 3", "limit = 3", "let limit = 3;", "use(limit, 1)"].map(count),
            [1, 1, 1, 0, 0]
        );
    }
}
