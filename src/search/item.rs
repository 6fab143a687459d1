//! What is indexed of one file: its terms by piece and field, and the figures by which it is scored.
//!
//! Each item of Highlights and Rules of an entry is indexed as if it were a file of its own ([`ItemRole::Highlight`]): it is
//! scored, found and shown singly.
//!
//! Pure. Knows neither the index nor questions.

use brv_base::content::{ContentId, fnv};
use brv_base::path::{Derived, PathKind, TreePath, archived_original};
use brv_text::doc::{self, Document, Meta};

use super::pieces;
use super::text::dates::Day;
use super::text::folding;
use super::text::language;
use super::text::stop_words;
use super::text::tokens::{self, TextToken};
use brv_text::words::stems::{Language, Stems};

pub const FIELDS: usize = 4;

/// The fields of a piece: title and meta stand at the first piece of an item only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    Title,
    Body,
    /// Summary, tags, keywords, the words of folders, and words of the file's name that the title lacks.
    Meta,
    /// What stands out at the beginning of a line: a bold lead, or the first words of a list item. A part of the text.
    Lead,
}

/// The prefix of the term of a tag, which no word has. Such terms stand in [`Field::Meta`] and count as no words.
pub const TAG: char = '#';

/// The prefix of the term of a link, likewise.
const LINK: char = '>';

/// The prefix of the term of a whole title, likewise.
const TITLE: char = '=';

/// How many words at the beginning of a list item without bold text are its lead.
const LEAD_WORDS: usize = 3;

/// The kinds of file that are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Searched {
    Entry,
    Overview,
    Stub,
}

impl Searched {
    /// The kind of the file at `path`; `None` if it is not searched.
    pub fn of(path: &TreePath) -> Option<Self> {
        match path.kind() {
            PathKind::Entry => Some(Self::Entry),
            PathKind::NodeOverview => Some(Self::Overview),
            PathKind::Derived(Derived::Stub) => Some(Self::Stub),
            _ => None,
        }
    }
}

/// What of a file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ItemRole {
    /// All but its highlights.
    File,
    /// One item of Highlights or Rules with a bold lead.
    Highlight,
    /// One that was reverted or superseded.
    Marked,
    /// All but its highlights of an entry that says nothing else, and whose highlights are all reverted or superseded.
    Bare,
}

impl ItemRole {
    pub const fn is_file(self) -> bool {
        matches!(self, Self::File | Self::Bare)
    }

    /// Whether it comes last.
    pub const fn is_marked(self) -> bool {
        matches!(self, Self::Marked | Self::Bare)
    }
}

/// How often the title of a highlight counts beside its place in the text: three times in all.
const TITLE_TIMES: usize = 2;

/// A file without its highlights, or one of these, analysed.
#[derive(Debug, Clone)]
pub struct Item {
    pub path: TreePath,
    pub role: ItemRole,
    /// The id of the bytes that were analysed.
    pub id: ContentId,
    pub kind: Searched,
    /// The language by which Latin words were stemmed.
    pub language: Language,
    /// The day of `createdAt`.
    pub day: Option<Day>,
    /// The time of the last change that it tells, in seconds since 1970.
    pub changed: Option<i64>,
    /// The number of distinct terms of the title that are not function words.
    pub title_terms: usize,
    pub title_words: usize,
    /// See `title_words`.
    pub meta_words: usize,
    /// Its pieces, in order; at least one.
    pub pieces: Vec<Analysed>,
}

/// A piece, analysed.
#[derive(Debug, Clone)]
pub struct Analysed {
    /// The terms of each [`Field`], with a blank after each.
    pub terms: [String; FIELDS],
    pub words: usize,
    /// Its first line in the file, counted from 1.
    pub line: usize,
    /// The number of its lines; 0 if it has no text.
    pub lines: usize,
    /// Whether it is one item under `## Facts`.
    pub is_fact: bool,
    /// Whether it is in `## Raw Concept`.
    pub is_concept: bool,
}

/// Analyse the file at `path`: the file itself, and its highlights in their order. Nothing if files of its kind are not
/// searched.
pub fn analyse(path: &TreePath, bytes: &[u8], stems: &mut Stems) -> Vec<Item> {
    analyse_in(None, path, bytes, stems)
}

/// The same for a file of a tree whose name counts as a folder above its path; without links, for which no engine is asked.
pub fn analyse_in(tree: Option<&str>, path: &TreePath, bytes: &[u8], stems: &mut Stems) -> Vec<Item> {
    let Some(kind) = Searched::of(path) else { return Vec::new() };
    let document = Document::parse(bytes);
    // conflict markers are not text
    let document = document.our_side().unwrap_or(document);
    let meta = document.meta();
    let known_as = known_as(tree, path);
    let title = title(&known_as, kind, &document, &meta);
    let language = language::language_of(document.body());
    let mut writer = TermWriter { stems, language };
    let highlights = if kind == Searched::Entry { document.items() } else { Vec::new() };

    let mut pieces: Vec<Analysed> = Vec::new();
    let (mut at, mut line) = (0, document.line_of_body(0));
    let mut says = highlights.is_empty() || highlights.iter().any(|own| own.mark.is_none());
    for piece in pieces::pieces(&document, &highlights) {
        let text = &document.body()[piece.range.clone()];
        says |= !piece.is_concept && has_more_than_headings(text);
        line += newlines(&document.body()[at..piece.range.start]);
        at = piece.range.start;
        let mut terms: [String; FIELDS] = Default::default();
        let words = match kind {
            // the headings of an overview are those of a form
            Searched::Overview => {
                let prose = text.lines().filter(|line| !line.trim_start().starts_with('#'));
                prose.map(|line| writer.write(line, &mut terms[Field::Body as usize])).sum()
            }
            _ => writer.write(text, &mut terms[Field::Body as usize]),
        };
        for lead in leads(text) {
            writer.write(&lead, &mut terms[Field::Lead as usize]);
        }
        let lines = if text.is_empty() { 0 } else { newlines(text) + 1 };
        let pieces::PieceSpan { is_fact, is_concept, .. } = piece;
        pieces.push(Analysed { terms, words, line, lines, is_fact, is_concept });
    }
    let Some(head) = pieces.first_mut() else { return Vec::new() };
    let title_words = writer.write(&title, &mut head.terms[Field::Title as usize]);
    let title_terms = writer.content_terms(&title);
    let meta_words = writer.meta(&known_as, kind, &meta, &title, &mut head.terms[Field::Meta as usize]);
    let links = if tree.is_none() { doc::link_keys(&document, path.folder()) } else { Default::default() };
    for key in links {
        let to = &mut head.terms[Field::Meta as usize];
        to.push_str(&link_term(&key));
        to.push(' ');
    }
    if let Some(term) = title_term(&title) {
        let to = &mut head.terms[Field::Meta as usize];
        to.push_str(&term);
        to.push(' ');
    }
    let day = meta.created_at.as_deref().and_then(Day::of);
    let file = Item {
        path: path.clone(),
        role: if says { ItemRole::File } else { ItemRole::Bare },
        id: ContentId::of(bytes),
        kind,
        language,
        day,
        changed: meta.changed(),
        title_terms,
        title_words,
        meta_words,
        pieces,
    };
    let names = (&*known_as, &*title);
    let highlights: Vec<Item> =
        highlights.iter().map(|one| highlight(&file, (&document, &meta), names, one, &mut writer)).collect();
    std::iter::once(file).chain(highlights).collect()
}

/// A highlight: its title, its text, and what its entry is called and filed under.
fn highlight(
    file: &Item,
    (document, meta): (&Document, &Meta),
    (known_as, entry): (&str, &str),
    own: &doc::Item,
    writer: &mut TermWriter<'_>,
) -> Item {
    let text = &document.body()[own.span.clone()];
    let mut terms: [String; FIELDS] = Default::default();
    let words = writer.write(text, &mut terms[Field::Body as usize]);
    writer.write(&own.title, &mut terms[Field::Lead as usize]);
    let title = &mut terms[Field::Title as usize];
    let title_words = (0..TITLE_TIMES).map(|_| writer.write(&own.title, title)).sum();
    let to = &mut terms[Field::Meta as usize];
    let mut meta_words = writer.write(entry, to);
    // the summary of an entry is about one of its highlights
    let about = Meta { summary: None, ..meta.clone() };
    meta_words += writer.meta(known_as, file.kind, &about, entry, to);
    if let Some(term) = title_term(&own.title) {
        to.push_str(&term);
        to.push(' ');
    }
    let month = own.month.as_ref().and_then(|month| Day::of(&format!("{month}-01")));
    let (line, lines) = (document.line_of_body(own.span.start), newlines(text) + 1);
    Item {
        role: if own.mark.is_some() { ItemRole::Marked } else { ItemRole::Highlight },
        day: month.or(file.day),
        title_terms: writer.content_terms(&own.title),
        title_words,
        meta_words,
        pieces: vec![Analysed { terms, words, line, lines, is_fact: false, is_concept: false }],
        path: file.path.clone(),
        ..*file
    }
}

fn has_more_than_headings(text: &str) -> bool {
    text.lines().map(str::trim).any(|line| !line.is_empty() && !line.starts_with('#'))
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b'\n').count()
}

/// The title, else a heading of level 1 at the beginning, else the words of the file's name, or of the folder's for its
/// overview, whose headings are those of a form. Other headings are parts of every entry, such as `Facts`.
fn title(known_as: &str, kind: Searched, document: &Document, meta: &Meta) -> String {
    if kind == Searched::Overview {
        return meta.title.clone().unwrap_or_else(|| name(known_as, kind).to_owned());
    }
    let heading =
        || document.sections().get(1).filter(|section| section.level == 1 && !section.title.is_empty());
    let given = meta.title.clone().or_else(|| heading().map(|section| section.title.clone()));
    given.unwrap_or_else(|| name(known_as, kind).to_owned())
}

/// The words of the name under which an item is known.
fn name(known_as: &str, kind: Searched) -> &str {
    let (folder, file) = known_as.rsplit_once('/').unwrap_or(("", known_as));
    match kind {
        Searched::Overview => folder.rsplit('/').next().unwrap_or(folder),
        _ => file.strip_suffix(".md").unwrap_or(file),
    }
}

/// The path below its tree's name, if that has one: of an archived entry the path that it had.
fn known_as(tree: Option<&str>, path: &TreePath) -> String {
    let original = archived_original(path.as_str()).unwrap_or_else(|| path.as_str().to_owned());
    match tree {
        Some(tree) => format!("{tree}/{original}"),
        None => original,
    }
}

struct TermWriter<'a> {
    stems: &'a mut Stems,
    language: Language,
}

impl TermWriter<'_> {
    /// Write the terms of `text`, with a blank after each; returns the number of words.
    fn write(&mut self, text: &str, to: &mut String) -> usize {
        let mut words = 0;
        tokens::each(text, |token| {
            words += usize::from(token.kind.is_plain());
            self.term(token, to);
        });
        words
    }

    /// A word's stem, those of its forms without marks, and the stems of its parts.
    fn term(&mut self, token: &TextToken<'_>, to: &mut String) {
        to.push_str(self.stems.of(token.low, self.language));
        to.push(' ');
        if token.kind == tokens::TokenKind::Word && !token.low.is_ascii() {
            self.folded(token.low, to);
        }
        for part in tokens::parts(token.raw) {
            to.push_str(self.stems.of(&tokens::lower(part), self.language));
            to.push(' ');
        }
    }

    /// The terms of a word without its marks, as far as their stems are others.
    fn folded(&mut self, word: &str, to: &mut String) {
        let own = self.stems.of(word, self.language).to_owned();
        for form in folding::forms(word) {
            let stem = self.stems.of(&form, self.language);
            if stem != own {
                to.push(folding::FOLDED);
                to.push_str(stem);
                to.push(' ');
            }
        }
    }

    /// The number of distinct terms that are not function words.
    fn content_terms(&mut self, text: &str) -> usize {
        let mut terms = Vec::new();
        tokens::each(text, |token| {
            let is_letter = token.low.len() == 1;
            if !is_letter && token.kind.is_plain() && !stop_words::contains(token.low, self.language) {
                terms.push(self.stems.of(token.low, self.language).to_owned());
            }
        });
        terms.sort_unstable();
        terms.dedup();
        terms.len()
    }

    fn meta(&mut self, known_as: &str, kind: Searched, meta: &Meta, title: &str, to: &mut String) -> usize {
        let mut words = self.write(meta.summary.as_deref().unwrap_or_default(), to);
        for word in meta.tags.iter().chain(&meta.keywords) {
            words += self.write(word, to);
        }
        words += self.write(known_as.rsplit_once('/').map_or("", |(folder, _)| folder), to);
        let mut known = String::from(" ");
        self.write(title, &mut known);
        let mut own = String::new();
        self.write(name(known_as, kind), &mut own);
        for term in own.split_ascii_whitespace().filter(|term| !known.contains(&format!(" {term} "))) {
            to.push_str(term);
            to.push(' ');
            words += 1;
        }
        for tag in &meta.tags {
            to.push_str(&tag_term(tag));
            to.push(' ');
        }
        words
    }
}

/// The term of a link to whatever has this [`doc::link_key`].
pub fn link_term(key: &str) -> String {
    format!("{LINK}{}", ContentId::of(key.as_bytes()))
}

/// The term of a whole title: all its words in order, function words included, unstemmed. `None` without a word.
pub fn title_term(title: &str) -> Option<String> {
    let mut words = String::new();
    tokens::each(title, |token| {
        if token.kind != tokens::TokenKind::Tail {
            words.push_str(token.low);
            words.push(' ');
        }
    });
    (!words.is_empty()).then(|| format!("{TITLE}{:016x}", fnv(words.bytes())))
}

/// The term of a tag: its words in lower case, joined.
pub fn tag_term(tag: &str) -> String {
    let mut term = String::from(TAG);
    tokens::each(tag, |token| {
        if term.len() > 1 {
            term.push('-');
        }
        term.push_str(token.low);
    });
    term
}

/// The leads of the lines of a text; see [`Field::Lead`].
fn leads(text: &str) -> impl Iterator<Item = String> {
    text.lines().filter_map(|line| {
        let item = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
        if let Some((bold, _)) =
            item.unwrap_or(line).strip_prefix("**").and_then(|rest| rest.split_once("**"))
        {
            return Some(bold.to_owned());
        }
        item.map(|item| item.split_whitespace().take(LEAD_WORDS).collect::<Vec<_>>().join(" "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(path: &str, text: &str) -> Vec<Item> {
        analyse(&TreePath::parse(path.as_bytes()).unwrap(), text.as_bytes(), &mut Stems::default())
    }

    fn item(path: &str, text: &str) -> Option<Item> {
        items(path, text).into_iter().next()
    }

    #[test]
    fn each_highlight_is_searched_by_itself() {
        let text = "---\ntitle: Net\nsummary: Retry twice\nkeywords: [retry]\n---\n## Narrative\n### Highlights\n- **Retry twice**: once fails (2026-01)\n- **Old**: reverted 2026-02-04: rule: x\n";
        let found = items("lib/net.md", text);
        let roles: Vec<ItemRole> = found.iter().map(|one| one.role).collect();
        assert_eq!(roles, [ItemRole::File, ItemRole::Highlight, ItemRole::Marked]);
        let field = |at: usize, field: Field| found[at].pieces[0].terms[field as usize].as_str();
        assert_eq!(field(1, Field::Title), "retri twice retri twice ");
        assert_eq!(field(1, Field::Body), "retri twice onc fail 2026 01 ");
        assert!(field(1, Field::Meta).starts_with("net retri lib "), "{}", field(1, Field::Meta));
        assert!(!field(2, Field::Meta).contains("twice") && !field(0, Field::Body).contains("fail"));
        assert_eq!((found[1].day, found[1].pieces[0].line), (Day::of("2026-01-01"), 8));
    }

    #[test]
    fn an_entry_all_of_whose_highlights_are_marked_is_marked_unless_it_says_more() {
        let text = "## Raw Concept\n**Task:** x\n\n## Narrative\n### Highlights\n- **Old**: reverted 2026-02-04: rule: x\n";
        let role = |text: &str| items("lib/net.md", text)[0].role;
        assert_eq!(role(text), ItemRole::Bare);
        assert_eq!(role(&format!("{text}- **New**: y (2026-02)\n")), ItemRole::File);
        assert_eq!(role(&format!("{text}\n## Facts\n- **A**: b\n")), ItemRole::File);
        assert_eq!(role("## Narrative\n"), ItemRole::File);
    }

    #[test]
    fn each_field_has_its_terms() {
        let text = "---\ntitle: Refresh tokens\nsummary: rotated daily\ntags: [JWT auth]\ncreatedAt: 2024-05-03\n---\n## Facts\n- **Lifetime**: 30 days\n- Rotation is on\n";
        let item = item("auth/jwt/refresh_flow.md", text).unwrap();
        let head = &item.pieces[0];
        assert_eq!(head.terms[Field::Title as usize], "refresh token ");
        assert_eq!(head.terms[Field::Body as usize], "lifetim 30 day ");
        assert_eq!(head.terms[Field::Lead as usize], "lifetim ");
        let own = title_term("refresh TOKENS").unwrap();
        let meta = format!("rotat daili jwt auth auth jwt flow #jwt-auth {own} ");
        assert_eq!(head.terms[Field::Meta as usize], meta);
        assert_eq!((item.title_terms, item.title_words, item.meta_words), (2, 2, 7));
        assert_eq!((head.line, head.lines, head.is_fact, head.words), (8, 1, true, 3));
        assert_eq!((item.pieces[1].line, item.pieces.len()), (9, 2));
        assert_eq!(item.pieces[1].terms[Field::Lead as usize], "rotat is on ");
        assert_eq!(item.day, Day::of("2024-05-03"));
    }

    #[test]
    fn a_word_with_marks_has_its_form_without_them() {
        let body = |text: &str| item("a.md", text).unwrap().pieces[0].terms[Field::Body as usize].clone();
        assert_eq!(body("Café\n"), "café ~cafe ");
        let text = "A duração dos tokens é fixada na configuração e não muda com o tempo.";
        assert!(body(text).contains("configur ~configuraca "), "{}", body(text));
    }

    #[test]
    fn a_whole_title_is_one_term() {
        assert_eq!(title_term("What's `new`?"), title_term("what\u{2019}s NEW"));
        for other in ["new what's", "What is new", "What's news", "new"] {
            assert_ne!(title_term("What's new"), title_term(other), "{other}");
        }
        assert_eq!(title_term("?!"), None);
    }

    #[test]
    fn only_knowledge_is_searched() {
        assert!(item("auth/_index.md", "x").is_none() && item("a.abstract.md", "x").is_none());
        assert_eq!(item("auth/context.md", "x").unwrap().kind, Searched::Overview);
        let stub = item("_archived/auth/old_name.stub.md", "x").unwrap();
        assert_eq!(stub.kind, Searched::Stub);
        assert_eq!(stub.pieces[0].terms[Field::Title as usize], "old name ");
        assert!(stub.pieces[0].terms[Field::Meta as usize].starts_with("auth ="));
    }

    #[test]
    fn any_bytes_are_analysed() {
        for bytes in ["", "\u{feff}---\n", "\0\u{7}", "## Facts\n-\n"] {
            assert!(!item("a.md", bytes).unwrap().pieces.is_empty());
        }
        let path = TreePath::parse(b"a.md").unwrap();
        assert!(analyse(&path, b"\xff\xfe binary \x80", &mut Stems::default()).len() == 1);
    }
}
