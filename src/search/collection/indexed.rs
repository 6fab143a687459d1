//! What an outside engine indexes of a file: its terms, field by field.

use std::collections::HashMap;

use super::super::figures::FileFigures;
use super::super::item::{self, Analysed, Field, Item, Searched};
use super::super::text::dates::Day;
use brv_base::path::TreePath;
use brv_text::words::stems::Stems;

/// Increases when the terms of the same text become others: an engine must then be sent everything again.
pub const TOKENS_VERSION: u32 = 1;

/// How many terms a piece of a rest has at least.
const SHORTEST_PIECE: usize = 20;

/// The terms of a file and its highlights, each followed by a blank.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexedFile {
    pub title: String,
    /// Summary, tags, keywords, the words of the tree's name and of folders, and the terms of tags and whole titles.
    pub meta: String,
    pub body: String,
    pub figures: FileFigures,
    /// The languages of its items, as bits by number.
    pub languages: u8,
    /// Its day and those of its highlights, in order: each as `yyyymmdd`, and as `mmdd` for questions that name no year.
    pub days: Vec<i32>,
}

/// What an engine indexes of the file at `path` of `tree`, whose name counts as a folder above the path. `None` for kinds of
/// files that are not searched; archive stubs are in no repository.
pub fn indexed(tree: &str, path: &TreePath, bytes: &[u8], stems: &mut Stems) -> Option<IndexedFile> {
    let items = analysed(tree, path, bytes, stems);
    items.first()?;
    let mut file = IndexedFile::default();
    for item in &items {
        file.add(item);
    }
    file.days.sort_unstable();
    file.days.dedup();
    Some(file)
}

/// The items of a file that is sent to engines.
pub fn analysed(tree: &str, path: &TreePath, bytes: &[u8], stems: &mut Stems) -> Vec<Item> {
    match Searched::of(path) {
        Some(Searched::Entry | Searched::Overview) => item::analyse_in(Some(tree), path, bytes, stems),
        Some(Searched::Stub) | None => Vec::new(),
    }
}

impl IndexedFile {
    fn add(&mut self, item: &Item) {
        let figures = &mut self.figures;
        figures.items += 1;
        figures.pieces += item.pieces.len() as u32;
        figures.title_words += item.title_words as u32;
        figures.meta_words += item.meta_words as u32;
        self.languages |= 1 << item.language as u8;
        for piece in &item.pieces {
            figures.body_words += piece.words as u32;
            self.title.push_str(&piece.terms[Field::Title as usize]);
            self.body.push_str(&piece.terms[Field::Body as usize]);
            self.meta.push_str(&piece.terms[Field::Meta as usize]);
        }
        if let Some(day) = item.day {
            self.days.extend([number(day), number(Day { year: 0, ..day })]);
        }
    }

    /// The terms of the body that a part of the same file lacks: what is kept beside a text that was cut.
    pub fn rest(&self, part: &Self) -> String {
        let mut kept: HashMap<&str, usize> = HashMap::new();
        for term in part.body.split_ascii_whitespace() {
            *kept.entry(term).or_default() += 1;
        }
        let mut rest = String::new();
        for term in self.body.split_ascii_whitespace() {
            match kept.get_mut(term) {
                Some(count) if *count > 0 => *count -= 1,
                _ => {
                    rest.push_str(term);
                    rest.push(' ');
                }
            }
        }
        rest
    }
}

/// A day as `yyyymmdd`.
pub fn number(day: Day) -> i32 {
    day.year * 10_000 + day.month as i32 * 100 + day.day as i32
}

/// Pieces with the terms of a rest, which are searched and never shown. Where those of the text end is not known any more:
/// each has as many terms as pieces have on the average.
pub fn pieces_of_rest(rest: &str, mean: usize) -> Vec<Analysed> {
    let words: Vec<&str> = rest.split_ascii_whitespace().collect();
    let piece = |words: &[&str]| {
        let mut terms: [String; item::FIELDS] = Default::default();
        terms[Field::Body as usize] = words.join(" ");
        Analysed { terms, words: words.len(), line: 1, lines: 0, is_fact: false, is_concept: true }
    };
    words.chunks(mean.max(SHORTEST_PIECE)).map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use brv_base::content::fnv;

    /// Texts in all languages and most scripts, with all that makes terms.
    const TEXTS: [(&str, &str); 9] = [
        (
            "auth/jwt/refresh_flow.md",
            "---\ntitle: Refresh tokens\nsummary: Rotated daily\ntags: [JWT auth, api]\nkeywords: [rotation]\ncreatedAt: 2024-05-03\n---\n# Flow\nCall `refreshTokenNow()` with --max-age 1,000, see [how](../login.md) and [[net/retry]]; v2.1.3, C++ or .NET 🚀.\n\n## Facts\n- **Lifetime**: 30 days\n- Anna's rotation isn\u{2019}t on\n",
        ),
        (
            "net/retry.md",
            "---\ntitle: Retry\n---\n## Raw Concept\n**Task:** x\n\n## Narrative\n### Highlights\n- **Retry twice**: once fails (2026-01)\n- **Old**: reverted 2026-02-04: rule: x\n\n### Rules\n- **Never**: retry a write\n",
        ),
        ("net/context.md", "# Net\n\n## Key Concepts\nRetries and pools.\n"),
        (
            "de.md",
            "Die Laufzeiten der Schlüssel werden in der Größe der Straßen gemessen und nicht gezählt.\n",
        ),
        (
            "fr.md",
            "La durée des jetons est fixée dans la configuration et ne change pas. Café, œuvre, l\u{2019}été.\n",
        ),
        ("es.md", "La vida de los tokens se fija en la configuración y no cambia con el tiempo.\n"),
        ("pt.md", "A duração dos tokens é fixada na configuração e não muda com o tempo.\n"),
        ("ru.md", "Срок жизни токена задан в настройках и не меняется; ёлка.\n"),
        (
            "заметки/観測計画.md",
            "RA観測計画を ﾄﾞｱ 校准帧 주기오차 السلامة الشمسية आकाश दर्शन ฝนดาวตก ﬁle ＡＰＩ\n",
        ),
    ];

    fn of(tree: &str, path: &str, text: &str) -> Option<IndexedFile> {
        let path = TreePath::parse(path.as_bytes()).unwrap();
        indexed(tree, &path, text.as_bytes(), &mut Stems::default())
    }

    #[test]
    fn other_terms_are_another_version() {
        let files = TEXTS.map(|(path, text)| of("git.example/team/payments", path, text).unwrap());
        let digest = fnv(format!("{files:?}").bytes());
        assert_eq!(
            (TOKENS_VERSION, digest),
            (1, 0xe387_ae27_b011_b11a),
            "the terms of these texts are no longer those that engines were sent. Increase TOKENS_VERSION, so that they are \
             sent anew, and write both numbers here: {digest:#x}"
        );
    }

    #[test]
    fn all_items_of_a_file_are_one_document() {
        let (path, text) = TEXTS[1];
        let file = of("git.example/team", path, text).unwrap();
        assert_eq!(file.title, "retri retri twice retri twice old old never never ");
        assert!(
            file.meta.starts_with("git exampl team net =") && file.body.contains("onc fail 2026 01 "),
            "{file:?}"
        );
        assert_eq!(file.days, [101, 20_260_101]);
        assert_eq!((file.figures.items, file.figures.title_words, file.languages), (4, 9, 1));
        let linked = of("team", TEXTS[0].0, TEXTS[0].1).unwrap();
        assert!(linked.meta.contains("#jwt-auth #api =") && !linked.meta.contains('>'), "{}", linked.meta);
        // the parts of `refreshTokenNow`, `.NET` beside `NET` and a pictograph are no words
        assert_eq!(linked.figures.body_words as usize, linked.body.split_ascii_whitespace().count() - 5);
        for path in ["_archived/a.stub.md", "_index.md", "a.txt", "README.md"] {
            assert_eq!(of("team", path, "text"), None, "{path}");
        }
    }

    #[test]
    fn a_rest_is_what_was_cut_off() {
        let whole = of("t", "a.md", "One two. Two three.\n\n## More\nThree four.\n").unwrap();
        let cut = of("t", "a.md", "One two. Two th").unwrap();
        assert_eq!(whole.rest(&cut), "three more three four ");
        assert_eq!(whole.rest(&whole), "");
    }
}
