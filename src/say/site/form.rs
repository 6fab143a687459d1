//! What a visitor may do from a page, and the forms for it.
//!
//! A form carries the secret of the run, the page it stands on, and the version of each entry that it shows, so that nobody
//! decides about a text that is not there any more.

use crate::say::sheet::Sheet;

/// What a visitor may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SiteRights {
    Reading,
    /// And say something about a change or an entry.
    Comments,
    Everything,
}

/// What is done by a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteAct {
    Approve,
    Reject,
    /// Take an approval back.
    Reopen,
    Comment,
    Answer,
    /// Settle what is disputed.
    Settle,
    /// Change one fact.
    Fix,
    /// Say that an entry still holds.
    Confirm,
    Archive,
    /// Bring a dream's branch in.
    Merge,
    /// Delete a dream's branch.
    Delete,
    Undo,
}

impl SiteAct {
    pub const ALL: [Self; 12] = [
        Self::Approve,
        Self::Reject,
        Self::Reopen,
        Self::Comment,
        Self::Answer,
        Self::Settle,
        Self::Fix,
        Self::Confirm,
        Self::Archive,
        Self::Merge,
        Self::Delete,
        Self::Undo,
    ];

    /// Its word in an address.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Reopen => "reopen",
            Self::Comment => "comment",
            Self::Answer => "answer",
            Self::Settle => "settle",
            Self::Fix => "fix",
            Self::Confirm => "confirm",
            Self::Archive => "archive",
            Self::Merge => "merge",
            Self::Delete => "delete",
            Self::Undo => "undo",
        }
    }

    /// The act of this word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|act| act.as_str() == word)
    }

    /// What its button says.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Approve => "Approve",
            Self::Reject => "Reject",
            Self::Reopen | Self::Undo => "Undo",
            Self::Comment => "Comment",
            Self::Answer => "Answer",
            Self::Settle => "Settle",
            Self::Fix => "Save",
            Self::Confirm => "It still holds",
            Self::Archive => "Archive",
            Self::Merge => "Merge",
            Self::Delete => "Delete the branch",
        }
    }

    /// What is said when it is done.
    pub const fn done(self) -> &'static str {
        match self {
            Self::Approve => "Approved.",
            Self::Reject => "Rejected: what it changed is taken back.",
            Self::Reopen => "It waits for review again.",
            Self::Comment => "The comment is saved; agents are shown it until it is answered.",
            Self::Answer => "The answer is saved.",
            Self::Settle => "Settled in the file, which is not committed yet: `brv vc commit` commits it.",
            Self::Fix => "The fact is changed.",
            Self::Confirm => "Confirmed: it still holds.",
            Self::Archive => "Archived.",
            Self::Merge => "Merged.",
            Self::Delete => "The branch is deleted.",
            Self::Undo => "Undone.",
        }
    }

    /// Who may do it.
    pub const fn needs(self) -> SiteRights {
        match self {
            Self::Comment | Self::Answer => SiteRights::Comments,
            _ => SiteRights::Everything,
        }
    }
}

/// The forms of a page.
#[derive(Debug, Clone, Copy)]
pub struct SiteForms<'a> {
    pub rights: SiteRights,
    /// What all addresses of pages begin with.
    pub base: &'a str,
    /// The secret of the run.
    pub secret: &'a str,
    /// The page that the forms stand on, below `base`.
    pub from: &'a str,
}

impl SiteForms<'_> {
    pub fn may(&self, act: SiteAct) -> bool {
        self.rights >= act.needs()
    }

    /// Write a form with what it is about, by name, and its visible part; nothing where the visitor may not do it.
    pub(super) fn write(
        &self,
        sheet: &mut Sheet,
        act: SiteAct,
        about: &[(&str, &str)],
        visible: impl FnOnce(&mut Sheet),
    ) {
        if !self.may(act) {
            return;
        }
        self.begin(sheet, act, about);
        visible(sheet);
        sheet.own("</form>\n");
    }

    /// A form that is a button.
    pub(super) fn button(&self, sheet: &mut Sheet, act: SiteAct, about: &[(&str, &str)]) {
        self.write(sheet, act, about, |sheet| button(sheet, act.label()));
    }

    fn begin(&self, sheet: &mut Sheet, act: SiteAct, about: &[(&str, &str)]) {
        // what a page is for stands out
        sheet.own(if act == SiteAct::Approve {
            "<form method=\"post\" class=\"act first\" action=\""
        } else {
            "<form method=\"post\" class=\"act\" action=\""
        });
        sheet.exact(self.base).own("/act/").own(act.as_str());
        sheet.own("\">");
        let own = [("secret", self.secret), ("from", self.from)];
        for (name, value) in own.iter().chain(about) {
            sheet
                .own("<input type=\"hidden\" name=\"")
                .exact(name)
                .own("\" value=\"")
                .exact(value)
                .own("\">");
        }
    }
}

pub(super) fn button(sheet: &mut Sheet, label: &'static str) {
    sheet.own("<button>").own(label).own("</button>");
}

/// A field for a text; what was typed and not sent is kept by the script under the name of the draft.
pub(super) fn field(sheet: &mut Sheet, name: &'static str, label: &'static str, draft: &str, text: &str) {
    sheet
        .own("<label>")
        .own(label)
        .own(" <textarea name=\"")
        .own(name)
        .own("\" rows=\"2\" data-draft=\"")
        .bare(draft);
    // the first line break in the element is not part of its text
    sheet.own("\" dir=\"auto\">\n").exact(text).own("</textarea></label> ");
}

/// The version of an entry, as a form says it.
pub fn seen(version: Option<&str>, path: &str) -> String {
    format!("{} {path}", version.unwrap_or("-"))
}

/// What was done, told on the page that follows.
#[derive(Debug, Clone)]
pub struct ActDone {
    pub act: SiteAct,
    /// What the command had to say besides.
    pub warnings: Vec<String>,
    /// What takes it back, and what about.
    pub undo: Option<(SiteAct, Vec<(String, String)>)>,
}

/// The banner of what was done.
pub(super) fn banner(sheet: &mut Sheet, forms: &SiteForms<'_>, done: &ActDone) {
    sheet
        .own("<div id=\"done\" class=\"done\" role=\"status\" tabindex=\"-1\"><p>")
        .own(done.act.done())
        .own("</p>");
    for warning in &done.warnings {
        sheet.own("<p class=\"soft\">").value(warning).own("</p>");
    }
    if let Some((act, about)) = &done.undo {
        let about: Vec<(&str, &str)> = about.iter().map(|(name, value)| (&**name, &**value)).collect();
        forms.button(sheet, *act, &about);
    }
    sheet.own("</div>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(rights: SiteRights) -> SiteForms<'static> {
        SiteForms { rights, base: "/r", secret: "s3", from: "/entry/a.md" }
    }

    #[test]
    fn a_form_is_there_for_who_may_and_escapes_what_it_is_about() {
        let written = |rights, act| {
            let mut sheet = Sheet::masking();
            forms(rights).button(&mut sheet, act, &[("path", "a\"><b>.md")]);
            sheet.finish()
        };
        let form = written(SiteRights::Everything, SiteAct::Archive);
        assert!(form.contains("action=\"/r/act/archive\"") && form.contains("value=\"s3\""), "{form}");
        assert!(form.contains("value=\"a&quot;&gt;&lt;b&gt;.md\"") && !form.contains("<b>"), "{form}");
        assert_eq!(written(SiteRights::Comments, SiteAct::Archive), "");
        assert_eq!(written(SiteRights::Reading, SiteAct::Comment), "");
        assert!(written(SiteRights::Comments, SiteAct::Comment).contains("/r/act/comment"));
    }

    #[test]
    fn each_act_has_a_word_of_its_own() {
        for act in SiteAct::ALL {
            assert_eq!(SiteAct::of(act.as_str()), Some(act));
        }
        assert_eq!(SiteAct::of("push"), None);
    }
}
