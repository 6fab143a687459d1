//! What somebody may have meant who typed a name that there is not.
//!
//! Knows letters, not what the names stand for.

/// The least likeness at which one name is offered for another, of 1 for equal ones.
const LIKENESS: f64 = 0.72;

/// The names most like `typed`, best first, at most `count`, none that is unlike.
///
/// Likeness is that of Damerau and Levenshtein, over the length; case does not count. Where the last part of a path is the
/// same, the path is like enough: folders are what people forget.
#[must_use]
pub fn nearest<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>, count: usize) -> Vec<&'a str> {
    let typed = typed.to_lowercase();
    let typed_stem = stem(&typed);
    let mut found: Vec<(f64, &str)> = names
        .into_iter()
        .filter_map(|name| {
            let lower = name.to_lowercase();
            let whole = strsim::normalized_damerau_levenshtein(&typed, &lower);
            let last = 0.95 * likeness_of_stems(typed_stem, stem(&lower));
            let likeness = whole.max(last);
            (likeness >= LIKENESS).then_some((likeness, name))
        })
        .collect();
    found.sort_by(|(one, a), (other, b)| other.total_cmp(one).then_with(|| a.cmp(b)));
    found.into_iter().take(count).map(|(_, name)| name).collect()
}

/// The last part without its ending.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".md").unwrap_or(name)
}

fn likeness_of_stems(one: &str, other: &str) -> f64 {
    // lengths that differ much cannot be alike: most names end here
    let (short, long) = (one.len().min(other.len()), one.len().max(other.len()));
    if (short as f64) < LIKENESS * long as f64 / 2.0 {
        return 0.0;
    }
    strsim::normalized_damerau_levenshtein(one, other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_and_forgotten_folders_are_found_and_strangers_are_not() {
        let names = ["auth/sessions/token_lifetime.md", "auth/context.md", "ops/deploy.md", "lock.timeout"];
        for (typed, found) in [
            ("token_lifetime", "auth/sessions/token_lifetime.md"),
            ("auth/token_lifetime.md", "auth/sessions/token_lifetime.md"),
            ("auth/sessions/token_lifetmie.md", "auth/sessions/token_lifetime.md"),
            ("Ops/Deploy", "ops/deploy.md"),
            ("lock.tiemout", "lock.timeout"),
        ] {
            assert_eq!(nearest(typed, names, 1), [found], "{typed}");
        }
        assert_eq!(nearest("billing/invoice.md", names, 3), [""; 0]);
    }
}
