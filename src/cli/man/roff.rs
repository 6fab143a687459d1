//! Writes a manual page in troff with the macros of man(7), and escapes its text.

use std::fmt::Write as _;

/// A page being written.
pub(super) struct Page {
    text: String,
}

impl Page {
    /// A page of section 1.
    pub fn new(name: &str, version: &str) -> Self {
        let title = escaped(&name.to_uppercase());
        Self { text: format!(".TH \"{title}\" \"1\" \"\" \"brv {}\" \"brv manual\"\n", escaped(version)) }
    }

    /// A heading.
    pub fn section(&mut self, title: &str) {
        self.line(&format!(".SH \"{}\"", escaped(title)));
    }

    /// A paragraph that is filled.
    pub fn paragraph(&mut self, text: &str) {
        if !self.text.trim_end().lines().last().is_some_and(|line| line.starts_with(".SH ")) {
            self.line(".PP");
        }
        self.filled(text);
    }

    /// A term and what it means.
    pub fn item(&mut self, term: &str, meaning: &str) {
        self.line(".TP");
        self.line(&format!("\\fB{}\\fR", escaped(term)));
        match meaning {
            // otherwise the term would swallow the next one
            "" => self.line("\\ "),
            meaning => self.filled(meaning),
        }
    }

    /// Preformatted lines.
    pub fn example(&mut self, text: &str) {
        self.line(".nf");
        text.lines().for_each(|line| self.line(&guarded(&escaped(line))));
        self.line(".fi");
    }

    /// The whole page.
    pub fn finish(self) -> String {
        self.text
    }

    fn filled(&mut self, text: &str) {
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            self.line(&guarded(&escaped(line.trim())));
        }
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "{line}").expect("memory takes all text");
    }
}

/// Escapes text for troff: dashes that can be copied, literal backslashes and quotes, letters beyond ASCII by their
/// numbers.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for char in text.chars() {
        match char {
            '\\' => out.push_str("\\e"),
            '-' => out.push_str("\\-"),
            '"' => out.push_str("\\(dq"),
            '\'' => out.push_str("\\(aq"),
            '`' => out.push_str("\\(ga"),
            '~' => out.push_str("\\(ti"),
            '^' => out.push_str("\\(ha"),
            char if char.is_ascii() => out.push(char),
            char => write!(out, "\\[u{:04X}]", char as u32).expect("memory takes all text"),
        }
    }
    out
}

/// Escapes a line that begins with a dot, which troff would read as a request.
fn guarded(line: &str) -> String {
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_a_request() {
        let mut page = Page::new("a-b", "1");
        page.section("NAME");
        page.paragraph(".so /etc/passwd\n\n\\fBx");
        page.example(".x\n  'y'");
        let text = page.finish();
        let expected = ".TH \"A\\-B\" \"1\" \"\" \"brv 1\" \"brv manual\"\n.SH \"NAME\"\n\\&.so /etc/passwd\n\\efBx\n.nf\n\\&.x\n  \\(aqy\\(aq\n.fi\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn an_item_without_words_does_not_take_the_next() {
        let mut page = Page::new("a", "1");
        page.item("-x", "");
        page.item("é", "y");
        assert!(page.finish().ends_with(".TP\n\\fB\\-x\\fR\n\\ \n.TP\n\\fB\\[u00E9]\\fR\ny\n"));
    }
}
