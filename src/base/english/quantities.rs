//! Units and amounts as they are written in English, and the quantity that they mean: `90 s` and `1 min 30 s` are one.
//!
//! Pure. Does not judge what a quantity is about.

use super::list;
use std::collections::HashMap;
use std::sync::LazyLock;

/// What a quantity measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dimension {
    /// In seconds. A month has 30.4375 days, a year 365.25.
    Time,
    /// In bits. The decimal prefixes are powers of 1,000, `Ki`, `Mi` and so on powers of 1,024.
    Data,
    /// In per cent.
    Share,
    /// In events a second.
    Frequency,
    /// In pixels.
    Length,
    /// How often: `3 times`.
    Times,
}

/// A unit: its symbol, what it measures, and how many of the dimension's own units it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    pub symbol: &'static str,
    pub dimension: Dimension,
    pub factor: f64,
}

/// Symbol, dimension, factor, and the forms in which it is written.
static ROWS: list::Rows<4> = list::Rows::of(include_str!("lists/units.txt"));

/// The units by their forms.
static UNITS: LazyLock<HashMap<&str, Unit>> = LazyLock::new(|| {
    let units = ROWS.iter().filter_map(|[symbol, dimension, factor, forms]| {
        Some((forms, Unit { symbol, dimension: dimension_called(dimension)?, factor: factor.parse().ok()? }))
    });
    units.flat_map(|(forms, unit)| list::cells(forms).map(move |form| (form, unit))).collect()
});

fn dimension_called(name: &str) -> Option<Dimension> {
    Some(match name {
        "time" => Dimension::Time,
        "data" => Dimension::Data,
        "share" => Dimension::Share,
        "frequency" => Dimension::Frequency,
        "length" => Dimension::Length,
        "times" => Dimension::Times,
        _ => return None,
    })
}

impl Unit {
    /// A form that is the same for equal amounts: `900s` for `15` minutes. Of what is not a number, it is the number as
    /// written with the symbol.
    pub fn key(self, number: &str) -> String {
        let base = match self.dimension {
            Dimension::Time => "s",
            Dimension::Data => "bit",
            _ => self.symbol,
        };
        let factor = if base == self.symbol { 1.0 } else { self.factor };
        match number.parse::<f64>() {
            Ok(number) => format!("{}{base}", (number * factor * ROUNDED).round() / ROUNDED),
            Err(_) => format!("{number}{}", self.symbol),
        }
    }
}

/// Parts of a second or a bit that are told apart: nanoseconds.
const ROUNDED: f64 = 1e9;

/// The unit that is written so. The case of letters counts only where it tells one unit from another: `Minutes`, `KB`, `Kb`
/// and `kb`, but not `M`.
pub fn unit(text: &str) -> Option<Unit> {
    let is_written_large = text.len() > 1 && text.contains(char::is_uppercase);
    let in_any_case = || is_written_large.then(|| UNITS.get(text.to_lowercase().as_str())).flatten();
    UNITS.get(text).or_else(in_any_case).copied()
}

const DAY: f64 = 86_400.0;

/// Whether two amounts of one dimension are the same: `30 days` are a month, `365 days` a year, and nothing else that
/// differs by more than the rounding of a sum.
pub fn is_same_amount(dimension: Dimension, one: f64, other: f64) -> bool {
    let near = |share: f64| (one - other).abs() <= share * one.abs().max(other.abs());
    let is_calendar = dimension == Dimension::Time && one.min(other) >= 28.0 * DAY;
    near(1e-9) || is_calendar && near(0.02)
}

/// A number without the separators of thousands: `10,000`, `10_000`, `1.5`.
pub fn plain_number(number: &str) -> String {
    let number = number.trim_end_matches(['.', ',', ':']).replace('_', "");
    let mut groups = number.split(',');
    let is_grouped = groups.next().is_some_and(|first| first.len() <= 3)
        && groups.all(|group| group.len() == 3 || group.contains('.'));
    if is_grouped { number.replace(',', "") } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_the_same_in_every_unit() {
        let key = |number: &str, name: &str| unit(name).unwrap().key(number);
        assert_eq!(key("60", "s"), key("1", "minute"));
        assert_eq!(key("0.1", "min"), key("6", "seconds"));
        assert_eq!(key("8", "MiB"), key("8192", "kib"));
        assert_eq!(key("2", "MB"), key("2000", "kB"));
        assert_ne!(key("1", "MB"), key("1", "MiB"));
        assert_eq!((key("5", "per cent"), key("1.2.3", "s")), ("5%".to_owned(), "1.2.3s".to_owned()));
        assert_eq!((unit("Minutes"), unit("KIB")), (unit("min"), unit("kib")));
        assert_eq!((unit("furlong"), unit("M")), (None, None));
    }

    #[test]
    fn each_form_is_of_one_unit() {
        for [symbol, dimension, _, forms] in ROWS.iter() {
            for form in list::cells(forms) {
                let unit = unit(form).unwrap();
                assert_eq!(
                    (unit.symbol, Some(unit.dimension)),
                    (symbol, dimension_called(dimension)),
                    "{form}"
                );
            }
        }
    }

    #[test]
    fn a_month_is_thirty_days_or_a_few_hours_more() {
        let days = |days: f64, other: f64| is_same_amount(Dimension::Time, days * DAY, other * DAY);
        assert!(days(30.0, 30.4375) && days(365.0, 365.25) && !days(14.0, 14.2) && !days(28.0, 30.4375));
        assert!(
            is_same_amount(Dimension::Data, 0.1 + 0.2, 0.3) && !is_same_amount(Dimension::Data, 100.0, 101.0)
        );
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        assert_eq!(["10,000", "10_000", "1,5", "1.2."].map(plain_number), ["10000", "10000", "1,5", "1.2"]);
    }
}
