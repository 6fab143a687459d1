//! What the message of a commit says about the commits of the code that its lines were written for.
//!
//! It is read wherever a line of the message begins with it: whoever makes one commit of several keeps their messages one below
//! the other.

use super::origin::{LineEvidence, LineOrigin};
use crate::journal::{CodeHead, LineMark, LinesHead, SourceCommit};
use crate::read::history::provenance::{SOURCE_SUBJECT, Trailers};
use brv_git::commit::Commit;
use bstr::{BString, ByteSlice as _};
use std::collections::BTreeSet;

/// What the parts of a squashed message say.
#[derive(Debug, Default)]
pub struct Said {
    of_lines: Vec<LinesHead>,
    /// The evidence of all other lines, each once.
    others: Vec<LineEvidence>,
}

impl Said {
    pub fn of(message: &BString) -> Self {
        let text = message.to_str_lossy();
        let lines: Vec<&str> = text.lines().collect();
        let mut said = Self::default();
        for paragraph in lines.split(|line| line.trim().is_empty()) {
            said.of_lines.extend(values(paragraph, LinesHead::TRAILER).filter_map(LinesHead::parse));
            for told in of_paragraph(paragraph) {
                if !said.others.contains(&told) {
                    said.others.push(told);
                }
            }
        }
        // earlier versions name a commit as a person wrote it
        if let Some(recorded) = Trailers::of(message).get(SourceCommit::TRAILER)
            && said.others.is_empty()
        {
            said.others.push(LineEvidence::Source { recorded: recorded.to_owned(), subject: None });
        }
        said
    }

    /// What it says about a line that this commit wrote; of several values the older counts.
    pub fn told(&self, commit: &Commit, line: &[u8]) -> LineEvidence {
        let heads = self.heads_of(line);
        let of_line: Vec<LineEvidence> =
            heads.iter().map(|head| LineEvidence::Head(head.to_string())).collect();
        match if of_line.is_empty() { &self.others[..] } else { &of_line[..] } {
            [] => LineEvidence::Time,
            [only] => only.clone(),
            all => LineEvidence::Sides(all.iter().map(|told| origin(commit, told.clone())).collect()),
        }
    }

    /// The heads of a line that it names.
    pub fn heads_of(&self, line: &[u8]) -> BTreeSet<CodeHead> {
        let Some(mark) = LineMark::of(line) else { return BTreeSet::new() };
        self.of_lines.iter().filter(|one| one.marks.contains(&mark)).map(|one| one.head).collect()
    }

    /// Whether it names lines.
    pub fn names_lines(&self) -> bool {
        !self.of_lines.is_empty()
    }

    /// The heads of the code that it names for all other lines.
    pub fn heads(&self) -> Vec<CodeHead> {
        let head = |told: &LineEvidence| {
            if let LineEvidence::Head(head) = told { CodeHead::parse(head) } else { None }
        };
        self.others.iter().filter_map(head).collect()
    }

    /// Whether it names a commit that lines were learned from.
    pub fn is_learned(&self) -> bool {
        self.others.iter().any(|told| matches!(told, LineEvidence::Source { .. }))
    }

    /// The trailers that name heads.
    pub fn trailers(&self) -> Vec<(&'static str, String)> {
        let heads = self.heads().into_iter().map(|head| (CodeHead::TRAILER, head.to_string()));
        heads.chain(self.of_lines.iter().map(|one| (LinesHead::TRAILER, one.to_string()))).collect()
    }

    /// All commits of the code that it names, those that its lines were learned from among them.
    pub fn all_heads(&self) -> Vec<CodeHead> {
        let of_source = |told: &LineEvidence| match told {
            LineEvidence::Source { recorded, .. } => {
                SourceCommit::parse(recorded).map(|source| CodeHead { commit: source.commit, base: None })
            }
            _ => None,
        };
        let sources = self.others.iter().filter_map(of_source);
        self.heads().into_iter().chain(sources).chain(self.of_lines.iter().map(|one| one.head)).collect()
    }
}

/// What one message says about all its lines: the commit that they were learned from, else the head of then.
fn of_paragraph(paragraph: &[&str]) -> Vec<LineEvidence> {
    let mut subjects = values(paragraph, SOURCE_SUBJECT).map(str::to_owned);
    let source =
        |recorded: &str| LineEvidence::Source { recorded: recorded.to_owned(), subject: subjects.next() };
    let sources =
        values(paragraph, SourceCommit::TRAILER).filter(|value| SourceCommit::parse(value).is_some());
    let sources: Vec<LineEvidence> = sources.map(source).collect();
    if !sources.is_empty() {
        return sources;
    }
    let heads = values(paragraph, CodeHead::TRAILER).filter_map(CodeHead::parse);
    heads.map(|head| LineEvidence::Head(head.to_string())).collect()
}

/// The values of a trailer.
fn values<'a>(paragraph: &'a [&'a str], key: &'static str) -> impl Iterator<Item = &'a str> {
    let value = move |line: &&'a str| line.strip_prefix(key)?.strip_prefix(": ").map(str::trim);
    paragraph.iter().filter_map(value).filter(|value| !value.is_empty())
}

/// What a commit says about a line that it wrote.
pub fn origin(commit: &Commit, told: LineEvidence) -> LineOrigin {
    let seconds = commit.author.seconds.min(commit.committer.seconds);
    LineOrigin { commit: commit.id.to_string(), seconds, told }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brv_git::{CommitId, Signature, TreeId};

    fn commit(message: &str) -> Commit {
        let who = Signature { name: "a".into(), email: "a@b.c".into(), seconds: 7, offset: 0 };
        let id = CommitId::from_hex(&"9".repeat(40)).unwrap();
        let (author, committer) = (who.clone(), who);
        Commit { id, tree: TreeId::empty(), parents: Vec::new(), author, committer, message: message.into() }
    }

    fn told(message: &str, line: &str) -> Vec<String> {
        let commit = commit(message);
        let name = |told: LineEvidence| match told {
            LineEvidence::Head(head) => head[..1].to_owned(),
            LineEvidence::Source { recorded, subject } => {
                format!("{} {}", &recorded[..1], subject.unwrap_or_default())
            }
            _ => "time".to_owned(),
        };
        match Said::of(&commit.message).told(&commit, line.as_bytes()) {
            LineEvidence::Sides(sides) => sides.into_iter().map(|side| name(side.told)).collect(),
            one => vec![name(one)],
        }
    }

    #[test]
    fn of_several_messages_in_one_each_counts() {
        let [one, two, three] = ["1", "2", "3"].map(|digit| digit.repeat(40));
        let head = |id: &str| format!("s\n\nBrv-Code-Head: {id}\n");
        assert_eq!(told("s\n", "a"), ["time"]);
        assert_eq!(told(&format!("{0}\n{0}", head(&one)), "a"), ["1"]);
        assert_eq!(told(&format!("{}\n{}\nplain words\n", head(&one), head(&two)), "a"), ["1", "2"]);
        assert_eq!(told(&format!("s\n\n    Brv-Code-Head: {one}\n"), "a"), ["time"], "quoted");
        let source =
            format!("s\n\nBrv-Source-Commit: {three}\nBrv-Code-Head: {one}\nBrv-Source-Subject: why\n");
        assert_eq!(
            told(&source, "a"),
            ["3 why"],
            "what a line was learned from goes before the head of then"
        );
        assert_eq!(told(&format!("{source}\n{}", head(&two)), "a"), ["3 why", "2"]);
        assert_eq!(told("s\n\nBrv-Source-Commit: abcd\n", "a"), ["a "]);
    }

    #[test]
    fn a_line_that_is_named_has_its_own_head() {
        let [one, two, three] = ["1", "2", "3"].map(|digit| digit.repeat(40));
        let mark = LineMark::of(b"new").unwrap();
        let of = |id: &str| format!("Brv-Code-Head-Of: {id} {mark}\n");
        let message = format!("s\n\nBrv-Code-Head: {one}\n{}", of(&two));
        assert_eq!((told(&message, "  new "), told(&message, "other")), (vec!["2".into()], vec!["1".into()]));
        assert_eq!(told(&format!("{message}{}", of(&three)), "new"), ["2", "3"]);
        assert_eq!(Said::of(&message.into()).all_heads().len(), 2);
    }
}
