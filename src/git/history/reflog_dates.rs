//! Dates in revisions: `main@{yesterday}`, `@{2.weeks.ago}`.
//!
//! gitoxide reads fewer dates than git, and takes the time from the machine. brv reads them as any other date, and gives
//! gitoxide the moment.

use brv_base::clock::{self, Clock};
use brv_base::environment::Environment;
use std::borrow::Cow;

/// The revision with the moment in place of the date; `None` if the text is not a date.
pub(super) fn settled<'a>(name: &'a str, environment: &Environment) -> Option<Cow<'a, str>> {
    match parts(name) {
        Some((start, date, rest)) => {
            let moment = clock::moment(date, Clock::from_environment(environment).seconds())?;
            Some(format!("{start}@{{{moment} +0000}}{rest}").into())
        }
        None => Some(name.into()),
    }
}

/// What stands before `@{`, in it and after it, unless it is `@{1}`, `@{-1}`, `@{u}` or the like.
pub(super) fn parts(name: &str) -> Option<(&str, &str, &str)> {
    let (start, inner) = name.split_once("@{")?;
    let (inner, rest) = inner.split_once('}')?;
    let is_number = inner.strip_prefix(['-', '+']).unwrap_or(inner).bytes().all(|byte| byte.is_ascii_digit());
    let is_branch = ["u", "upstream", "push"].iter().any(|word| inner.eq_ignore_ascii_case(word));
    // the text of `:/TEXT`, `^{/TEXT}` and `REV:PATH` may be anything
    let is_text = start.contains([':', '{']);
    (!is_number && !is_branch && !is_text).then_some((start, inner, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_becomes_the_moment_that_it_means() {
        let environment: Environment =
            [(clock::CLOCK_VARIABLE, "2023-11-14T22:13:20Z")].into_iter().collect();
        let settled = |name: &'static str| settled(name, &environment);
        assert_eq!(settled("main@{yesterday}~1").as_deref(), Some("main@{1699913600 +0000}~1"));
        assert_eq!(settled("@{2.weeks.ago}:a.md").as_deref(), Some("@{1698790400 +0000}:a.md"));
        assert_eq!(settled("@{2023-11-01 10:00Z}").as_deref(), Some("@{1698832800 +0000}"));
        assert_eq!(settled("main@{soonish}"), None);
        for same in
            ["main", "main@{1}", "@{-1}", "@{u}", "a@{Push}", "HEAD^{/a@{b}}", "HEAD:a@{noon}", "a@{b"]
        {
            assert_eq!(settled(same).as_deref(), Some(same));
        }
    }
}
