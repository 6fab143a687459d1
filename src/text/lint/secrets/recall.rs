//! How many secrets are found: values of each published format, drawn at random with a fixed seed, in the places where
//! documents have them.

use super::*;
use brv_base::english::list;
use std::collections::BTreeMap;

/// Formats by kind. `{b40}` is 40 characters of a class: `a` letters and digits, `u` capitals and digits, `h` hexadecimal,
/// `b` base64, `s` base64url, `d` digits, `p` what passwords have. By the documentation of the providers.
static FORMATS: list::Rows<2> = list::Rows::of(include_str!("lists/formats.txt"));

/// Where a secret stands; `{}` is its place.
const PLACES: [&str; 9] = [
    "{}",
    "before {} after",
    "SETTING='{}'",
    "{\"setting\": \"{}\"}",
    "- **setting**: `{}`",
    "The secret is {}.",
    "| setting | {} |",
    "export SETTING=\"{}\" # of ours",
    "```sh\nrun --with {} --now\n```",
];

/// Xorshift (Marsaglia 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }

    fn value(&mut self, class: u8, length: usize) -> String {
        const ALL: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz";
        let (class, marks): (&[u8], &[u8]) = match class {
            b'u' => (b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", b""),
            b'h' => (b"0123456789abcdef", b""),
            b'd' => (b"0123456789", b""),
            b'b' => (ALL, b"+/"),
            b's' => (ALL, b"-_"),
            b'p' => (ALL, b"!~^+"),
            _ => (ALL, b""),
        };
        let class = [class, marks].concat();
        (0..length).map(|_| char::from(class[self.below(class.len())])).collect()
    }

    /// A text of a format, and the values in it that are long enough to be secret.
    fn filled(&mut self, format: &str) -> (String, Vec<String>) {
        let mut parts = format.split('{');
        let mut text = parts.next().unwrap().to_owned();
        let mut values = Vec::new();
        for part in parts {
            let (class, rest) = part.split_once('}').unwrap();
            let value = self.value(class.as_bytes()[0], class[1..].parse().unwrap());
            text = text + &value + rest;
            values.push(value);
        }
        (text, values)
    }
}

/// With the escapes that an editor of markdown puts before marks.
fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |all, c| match c {
        '_' | '-' | '~' | '+' | '*' => all + "\\" + c.encode_utf8(&mut [0; 4]),
        _ => all + c.encode_utf8(&mut [0; 4]),
    })
}

fn utf16(text: &str) -> Vec<u8> {
    [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

#[test]
fn of_each_kind_at_least_95_percent_are_found_and_masked() {
    const DRAWN: usize = 20;
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for [kind, format] in FORMATS.iter() {
        let format = format.replace("\\n", "\n");
        for place in PLACES.iter().cycle().take(DRAWN * PLACES.len()) {
            let (secret, values) = random.filled(&format);
            let text = place.replace("{}", &secret);
            let [found, all] = counts.entry(kind).or_default();
            for (text, bytes) in [
                (text.clone(), text.clone().into_bytes()),
                (escaped(&text), escaped(&text).into_bytes()),
                (text.clone(), utf16(&text)),
            ] {
                let faults = faults(&bytes);
                let is_found = faults.iter().any(|fault| fault.subject.as_deref() == Some(kind));
                let masked = masked(&text).replace('\\', "");
                // what stands before or behind may name an account
                let secret = if kind == "private-key" { &values[0] } else { values.last().unwrap() };
                let is_masked = is_found && !masked.contains(&secret[secret.len().saturating_sub(12)..]);
                *found += usize::from(is_masked);
                *all += 1;
            }
        }
    }
    assert_eq!(counts.len(), names().count());
    for (kind, [found, all]) in counts {
        println!("{kind:26} {:5.1} % of {all}", found as f64 * 100.0 / all as f64);
        assert!(found * 100 >= all * 95, "{kind}: {found} of {all}");
    }
}
