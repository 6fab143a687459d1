//! Refspecs as `git push` reads them: `[+]SOURCE[:DESTINATION]`, `:DESTINATION`, `:`, `^PATTERN`.
//!
//! Pure: reads no refs. The rules are those of `gitrevisions` and `git push`, "REFSPEC".

use bstr::{BStr, BString, ByteSlice as _};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refspec {
    /// Whether it began with `+`.
    pub forced: bool,
    pub wish: Wish,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// `:`, every branch that both sides have.
    Matching,
    /// `^refs/heads/x` or `^refs/heads/x/*`: excluded from patterns.
    Exclude(RefPattern),
    /// `:name`
    Delete(BString),
    /// `name`, `name:other`
    One {
        /// A name or any expression for an object.
        source: BString,
        /// `None`: the same name.
        destination: Option<BString>,
    },
    /// `refs/heads/*:refs/other/*`
    Every { source: RefPattern, destination: RefPattern },
}

/// A full name, or one with a star for any text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefPattern {
    /// `refs/heads/main`
    Full(BString),
    /// The text before and after the star.
    Star(BString, BString),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a refspec that can be pushed", crate::printable(.0))]
pub struct MalformedRefspec(pub BString);

impl RefPattern {
    fn parse(text: &BStr) -> Option<Self> {
        match text.find_byte(b'*') {
            None => is_ref_name(text).then(|| Self::Full(text.to_owned())),
            Some(at) => {
                let (before, after) = (text[..at].as_bytes(), text[at + 1..].as_bytes());
                let sample = [before, b"x", after].concat();
                let valid = after.find_byte(b'*').is_none() && is_ref_name(sample.as_bstr());
                valid.then(|| Self::Star(before.into(), after.into()))
            }
        }
    }

    /// The text that the star stands for in `name`; empty for the name itself.
    pub fn matched<'n>(&self, name: &'n BStr) -> Option<&'n BStr> {
        match self {
            Self::Full(own) => (own == name).then_some(BStr::new("")),
            Self::Star(before, after) => {
                let rest = name.strip_prefix(before.as_slice())?;
                rest.strip_suffix(after.as_slice()).map(BStr::new)
            }
        }
    }

    /// The name with this text in place of the star.
    pub fn filled(&self, star: &BStr) -> BString {
        match self {
            Self::Full(own) => own.clone(),
            Self::Star(before, after) => [before.as_slice(), star, after].concat().into(),
        }
    }

    /// The prefix of all names, up to a slash.
    pub fn folder(&self) -> &BStr {
        let (Self::Full(text) | Self::Star(text, _)) = self;
        let end = text.rfind_byte(b'/').map_or(0, |at| at + 1);
        text[..end].as_bstr()
    }

    const fn is_star(&self) -> bool {
        matches!(self, Self::Star(..))
    }
}

pub fn parse(text: &BStr) -> Result<Refspec, MalformedRefspec> {
    let malformed = || MalformedRefspec(text.to_owned());
    if let Some(rest) = text.strip_prefix(b"^") {
        let name = RefPattern::parse(rest.as_bstr()).filter(|_| rest.starts_with(b"refs/"));
        return name.map(|name| Refspec { forced: false, wish: Wish::Exclude(name) }).ok_or_else(malformed);
    }
    let (forced, rest) = match text.strip_prefix(b"+") {
        Some(rest) => (true, rest.as_bstr()),
        None => (false, text),
    };
    let wish = match rest.rsplit_once_str(":") {
        Some((b"", b"")) => Some(Wish::Matching),
        Some((b"", destination)) => RefPattern::parse(destination.as_bstr())
            .filter(|name| !name.is_star())
            .map(|_| Wish::Delete(destination.into())),
        Some((source, destination)) => pair(source.as_bstr(), destination.as_bstr()),
        None => alone(rest),
    };
    wish.map(|wish| Refspec { forced, wish }).ok_or_else(malformed)
}

/// `source:destination`
fn pair(source: &BStr, destination: &BStr) -> Option<Wish> {
    let destination = RefPattern::parse(destination)?;
    match (source.find_byte(b'*').is_some(), destination) {
        (true, destination @ RefPattern::Star(..)) => {
            Some(Wish::Every { source: RefPattern::parse(source)?, destination })
        }
        (false, RefPattern::Full(destination)) => {
            Some(Wish::One { source: expression(source), destination: Some(destination) })
        }
        _ => None,
    }
}

/// `source`, which must then be a name
fn alone(source: &BStr) -> Option<Wish> {
    let source = expression(source);
    match RefPattern::parse(source.as_bstr())? {
        RefPattern::Full(source) => Some(Wish::One { source, destination: None }),
        star => Some(Wish::Every { source: star.clone(), destination: star }),
    }
}

/// `@` is short for `HEAD`.
fn expression(source: &BStr) -> BString {
    if source == "@" { "HEAD".into() } else { source.to_owned() }
}

/// Whether git accepts it as the name of a ref, full or not.
fn is_ref_name(name: &BStr) -> bool {
    !name.starts_with(b"-") && <&gix::refs::PartialNameRef>::try_from(name).is_ok()
}

/// The full names that `name` may stand for, in two rounds; the second counts only if the first finds nothing: the name
/// with or without `refs/`, a tag, a branch; then a remote branch, or the remote's `HEAD` (`gitrevisions`,
/// "<refname>").
pub(super) fn readings(name: &BStr) -> [Vec<BString>; 2] {
    if !is_ref_name(name) {
        return [Vec::new(), Vec::new()];
    }
    let below = |folder: &str| -> BString { [folder.as_bytes(), name].concat().into() };
    let mut own: Vec<BString> = ["refs/", "refs/tags/", "refs/heads/"].map(below).into();
    if name.starts_with(b"refs/") {
        own.insert(0, name.to_owned());
    }
    let of_remote = below("refs/remotes/");
    let checked_out = [of_remote.as_slice(), b"/HEAD"].concat().into();
    [own, vec![of_remote, checked_out]]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(text: &str) -> Option<(bool, Wish)> {
        parse(text.into()).ok().map(|refspec| (refspec.forced, refspec.wish))
    }

    fn one(source: &str, destination: Option<&str>) -> Wish {
        Wish::One { source: source.into(), destination: destination.map(Into::into) }
    }

    #[test]
    fn a_refspec_says_what_moves_where() {
        assert_eq!(wish("main"), Some((false, one("main", None))));
        assert_eq!(wish("+main:trunk"), Some((true, one("main", Some("trunk")))));
        assert_eq!(wish("@:refs/heads/x"), Some((false, one("HEAD", Some("refs/heads/x")))));
        assert_eq!(wish("HEAD~1:x"), Some((false, one("HEAD~1", Some("x")))));
        assert_eq!(wish(":old"), Some((false, Wish::Delete("old".into()))));
        assert_eq!(wish(":"), Some((false, Wish::Matching)));
        assert_eq!(wish("+:"), Some((true, Wish::Matching)));
        let tags = RefPattern::Star("refs/tags/v".into(), "".into());
        assert_eq!(
            wish("refs/tags/v*"),
            Some((false, Wish::Every { source: tags.clone(), destination: tags.clone() }))
        );
        assert_eq!(wish("^refs/tags/v*"), Some((false, Wish::Exclude(tags))));
    }

    #[test]
    fn what_git_refuses_is_refused() {
        for text in [
            "",
            "+",
            "main:",
            "a b",
            "HEAD~1",
            "refs/heads/*:x",
            "x:refs/heads/*",
            "refs/*/*:refs/*/*",
            ":refs/heads/*",
            "^main",
            "^refs/heads/a:b",
            "main:a..b",
            "-x",
            "x:-y",
            "refs/heads/*:",
        ] {
            assert_eq!(wish(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_star_stands_for_any_text() {
        let name = RefPattern::Star("refs/heads/a".into(), "/x".into());
        assert_eq!(name.matched("refs/heads/ab/c/x".into()), Some("b/c".into()));
        assert_eq!(name.matched("refs/heads/b/x".into()), None);
        assert_eq!(name.filled("1".into()), "refs/heads/a1/x");
        assert_eq!(name.folder(), "refs/heads/");
    }

    #[test]
    fn a_name_is_looked_for_as_written_then_as_tag_and_branch_and_last_below_remotes() {
        let texts = |name: &str| readings(name.into()).map(|round| round.join(&b", "[..]));
        assert_eq!(
            texts("a").map(BString::from),
            ["refs/a, refs/tags/a, refs/heads/a", "refs/remotes/a, refs/remotes/a/HEAD"]
        );
        assert!(texts("refs/heads/a")[0].starts_with(b"refs/heads/a, refs/refs/heads/a, "));
        assert_eq!(texts("HEAD~1"), [b"", b""], "an expression is not a name");
    }
}
