//! Characters that nobody sees, or that show a text in another order than agents read it: BRV008.
//!
//! By class of Unicode: controls, bidirectional controls, zero-width characters, fillers, tags, lone variation selectors, and
//! what is not assigned but shown as nothing. A joiner is legal where a script or an emoji needs it, a zero-width space where
//! a script without spaces needs it, tags in the flags of England, Scotland and Wales, one selector behind what it varies.
//! Bidirectional marks are legal nowhere, also not in Hebrew and Arabic, which need none in a line of their own. A soft
//! hyphen is not a character that markdown needs.
//! Source: Unicode 16, chapter 23 "Special Areas and Format Characters", and the property `Default_Ignorable_Code_Point`;
//! UTS 51, 1.4.6, B.1 and C.1; UAX 9, 2.

use super::lines::Lines;
use super::{Fault, Rule};

/// What makes a character one that is not seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Control,
    Bidirectional,
    ZeroWidth,
    Tag,
    Selector,
}

impl Class {
    const fn words(self) -> &'static str {
        match self {
            Self::Control => "control character",
            Self::Bidirectional => "bidirectional control character",
            Self::ZeroWidth => "zero-width character",
            Self::Tag => "tag character",
            Self::Selector => "variation selector",
        }
    }

    /// Whether nothing that a reader sees is lost without it.
    const fn is_removable(self) -> bool {
        matches!(self, Self::ZeroWidth | Self::Tag | Self::Selector)
    }
}

const fn class(c: char) -> Option<Class> {
    Some(match c {
        '\t' | '\n' | '\r' => return None,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => Class::Control,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Class::Bidirectional
        }
        '\u{ad}'
        | '\u{34f}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200d}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0080}'..='\u{e00ff}'
        | '\u{e01f0}'..='\u{e0fff}' => Class::ZeroWidth,
        '\u{e0000}'..='\u{e007f}' => Class::Tag,
        '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => {
            Class::Selector
        }
        _ => return None,
    })
}

/// A character that is not seen, and where it stands.
#[derive(Debug, Clone, Copy)]
struct Unseen {
    class: Class,
    c: char,
    offset: usize,
}

/// The flags of regions that are in use, behind their black flag: the tags of `gbeng`, `gbsct` and `gbwls`, and a cancel tag.
const FLAGS: [&str; 3] = [
    "\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
];

const BLACK_FLAG: char = '\u{1f3f4}';

/// Whether it has visible ASCII characters alone, as nearly all texts do.
fn is_plain(text: &str) -> bool {
    let is_seen = |byte: u8| {
        (byte.wrapping_sub(b' ') < 0x7f - b' ') | (byte == b'\n') | (byte == b'\t') | (byte == b'\r')
    };
    // without a branch in a piece, so that many bytes are looked at at once
    let hidden = |piece: &[u8]| piece.iter().fold(0, |hidden, byte| hidden | u8::from(!is_seen(*byte)));
    text.as_bytes().chunks(256).all(|piece| hidden(piece) == 0)
}

/// Those that nothing needs, in order.
fn unseen(text: &str) -> Vec<Unseen> {
    let mut found = Vec::new();
    if is_plain(text) {
        return found;
    }
    let mut before = PrecedingCharacter::default();
    let mut flag_end = 0;
    for (offset, c) in text.char_indices() {
        let Some(class) = class(c) else {
            before = PrecedingCharacter { seen: Some(c), is_varied: false };
            continue;
        };
        if class == Class::Tag && text[..offset].ends_with(BLACK_FLAG) {
            let flag = FLAGS.iter().find(|flag| text[offset..].starts_with(**flag));
            flag_end = flag.map_or(flag_end, |flag| offset + flag.len());
        }
        let rest = &text[offset + c.len_utf8()..];
        let is_legal = offset < flag_end || before.needs(class, c, rest) || (c == '\u{feff}' && offset == 0);
        if !is_legal {
            found.push(Unseen { class, c, offset });
        }
        before.is_varied |= class == Class::Selector;
    }
    found
}

/// What stands before a character, as far as it may need it.
#[derive(Default)]
struct PrecedingCharacter {
    seen: Option<char>,
    /// Whether a selector followed it.
    is_varied: bool,
}

impl PrecedingCharacter {
    fn needs(&self, class: Class, c: char, rest: &str) -> bool {
        let Some(seen) = self.seen else { return false };
        match class {
            Class::Control | Class::Bidirectional | Class::Tag => false,
            Class::Selector => !self.is_varied && is_varied(seen, c),
            Class::ZeroWidth => match c {
                '\u{200d}' if is_emoji(seen) => rest.chars().next().is_some_and(is_emoji),
                '\u{200c}' | '\u{200d}' => {
                    is_joining(seen) && rest.chars().next().is_some_and(|c| !is_blank(c))
                }
                '\u{200b}' => is_unspaced(seen) && rest.chars().next().is_some_and(is_unspaced),
                '\u{180e}' => is_mongolian(seen) && rest.chars().next().is_some_and(is_mongolian),
                _ => false,
            },
        }
    }
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || class(c).is_some()
}

/// Scripts in which a joiner changes the shape of a word: Arabic and its kin, those of India and South-East Asia, Mongolian.
const fn is_joining(c: char) -> bool {
    matches!(c,
        '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{e80}'..='\u{eff}' | '\u{f00}'..='\u{109f}'
        | '\u{1780}'..='\u{18af}' | '\u{1a20}'..='\u{1c4f}' | '\u{1cd0}'..='\u{1cff}' | '\u{a840}'..='\u{a8ff}'
        | '\u{a980}'..='\u{aaff}' | '\u{abc0}'..='\u{abff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'
        | '\u{10a00}'..='\u{10a5f}' | '\u{11000}'..='\u{11fff}' | '\u{1e900}'..='\u{1e95f}')
}

/// Scripts that write no spaces between words, where a zero-width space shows where a line may break: Thai, Lao, Burmese,
/// Khmer (Unicode 16, 16.1 to 16.4).
const fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e01}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{19e0}'..='\u{19ff}'
        | '\u{a9e0}'..='\u{a9ff}' | '\u{aa60}'..='\u{aa7f}')
}

/// Letters of Mongolian, between which a separator of vowels may stand, and which have selectors of their own.
const fn is_mongolian(c: char) -> bool {
    matches!(c, '\u{1820}'..='\u{18aa}')
}

/// Pictures, their skin tones, and the signs that sequences are made with.
const fn is_emoji(c: char) -> bool {
    matches!(c,
        '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{25a0}'..='\u{27bf}' | '\u{2900}'..='\u{297f}'
        | '\u{2b00}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

/// A selector behind a character that has more than one look: emoji, key caps, symbols; ideographs; letters of Mongolian.
fn is_varied(c: char, selector: char) -> bool {
    let is_ideograph = matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}');
    if selector >= '\u{e0100}' {
        return is_ideograph;
    }
    if selector <= '\u{180f}' {
        return is_mongolian(c);
    }
    is_ideograph
        || is_emoji(c)
        || matches!(c, '#' | '*' | '0'..='9' | '\u{a9}' | '\u{ae}')
        || matches!(c, '\u{1000}'..='\u{109f}' | '\u{2000}'..='\u{22ff}' | '\u{3000}'..='\u{33ff}' | '\u{a840}'..='\u{a87f}'
            | '\u{2460}'..='\u{24ff}' | '\u{2a00}'..='\u{2aff}' | '\u{ff01}'..='\u{ff1f}' | '\u{1d400}'..='\u{1d7ff}')
}

/// Whether it is shown as nothing, needed or not. Controls are not counted.
pub(crate) const fn is_unseen(c: char) -> bool {
    !matches!(class(c), None | Some(Class::Control))
}

/// Whether there is one.
pub(super) fn is_in(text: &str) -> bool {
    !unseen(text).is_empty()
}

pub(super) fn find(text: &str, lines: &mut Lines<'_>) -> Vec<Fault> {
    let mut faults: Vec<(usize, Class, Fault, usize, char)> = Vec::new();
    for Unseen { class, c, offset } in unseen(text) {
        let (line, column) = lines.place(offset);
        if let Some((_, _, _, count, _)) =
            faults.iter_mut().rev().take_while(|one| one.0 == line).find(|one| one.1 == class)
        {
            *count += 1;
            continue;
        }
        let shown: String = lines.line(offset).chars().filter(|c| self::class(*c).is_none()).collect();
        let name = format!("U+{:04X}", u32::from(c));
        let key = format!("{name} {shown}");
        let fault = Fault::new(Rule::Hidden, (line, column), "", &key).about(name);
        faults.push((line, class, fault, 1, c));
    }
    let worded = |(_, class, mut fault, count, _): (usize, Class, Fault, usize, char)| {
        let name = fault.subject.as_deref().unwrap_or_default();
        fault.message = match count {
            1 => format!("{} {name}", class.words()),
            _ => format!("{count} {}s, the first {name}", class.words()),
        };
        fault.fixed_by(class.is_removable().then(|| "remove it".to_owned()))
    };
    faults.into_iter().map(worded).collect()
}

/// The text without the zero-width characters, tags and lone selectors that nothing needs; `None` if there are none.
pub fn without_hidden(text: &str) -> Option<String> {
    let gone: Vec<Unseen> = unseen(text).into_iter().filter(|one| one.class.is_removable()).collect();
    let mut kept = String::with_capacity(text.len());
    let mut end = 0;
    for Unseen { c, offset, .. } in &gone {
        kept.push_str(&text[end..*offset]);
        end = offset + c.len_utf8();
    }
    kept.push_str(&text[end..]);
    (!gone.is_empty()).then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        find(text, &mut Lines::of(text)).into_iter().map(|fault| fault.message).collect()
    }

    #[test]
    fn what_nobody_sees_is_named_by_its_class() {
        for (text, message) in [
            ("a\u{200b}b", "zero-width character U+200B"),
            ("a\u{202e}b", "bidirectional control character U+202E"),
            ("a\u{1b}[31m", "control character U+001B"),
            ("x\u{e0041}\u{e0042}", "2 tag characters, the first U+E0041"),
            ("x\u{fe0f}", "variation selector U+FE0F"),
            ("pass\u{ad}word", "zero-width character U+00AD"),
            ("a\u{200d}b", "zero-width character U+200D"),
            ("😀\u{e0100}\u{e0101}", "2 variation selectors, the first U+E0100"),
            ("a \u{feff} b", "zero-width character U+FEFF"),
            ("שלום \u{200f}(a)", "bidirectional control character U+200F"),
            ("نص\u{200e}", "bidirectional control character U+200E"),
            ("ไทย\u{200b} a", "zero-width character U+200B"),
            ("ไทย\u{200b}\u{200b}ไทย", "zero-width character U+200B"),
            ("auf\u{200c}lage", "zero-width character U+200C"),
            ("שלום\u{200d}ש", "zero-width character U+200D"),
            ("می\u{200c} خواهم", "zero-width character U+200C"),
            ("👩\u{200d} a", "zero-width character U+200D"),
            ("co\u{ad}operate", "zero-width character U+00AD"),
            ("字\u{fe00}\u{fe00}", "variation selector U+FE00"),
            ("🏴\u{e0067}\u{e0062} open", "2 tag characters, the first U+E0067"),
            ("a\u{2066}b\u{2069}", "2 bidirectional control characters, the first U+2066"),
            ("ㅤ", "zero-width character U+3164"),
            ("a\u{180b}b", "variation selector U+180B"),
            ("a\u{180c}\u{180d}\u{180f}b", "3 variation selectors, the first U+180C"),
            ("a\u{180e}b", "zero-width character U+180E"),
            ("ᠠ\u{180b}\u{180c}", "variation selector U+180C"),
            ("a\u{fff0}\u{fff8}b", "2 zero-width characters, the first U+FFF0"),
            ("a\u{e0080}\u{e00ff}b", "2 zero-width characters, the first U+E0080"),
            ("字\u{e01f0}\u{e0fff}", "2 zero-width characters, the first U+E01F0"),
            ("🏴\u{e0075}\u{e0073}\u{e0074}\u{e0078}\u{e007f}", "5 tag characters, the first U+E0075"),
            ("🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}", "5 tag characters, the first U+E0067"),
            ("\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}", "6 tag characters, the first U+E0067"),
            ("🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}\u{e0041}", "tag character U+E0041"),
        ] {
            assert_eq!(messages(text), [message], "{text:?}");
        }
    }

    #[test]
    fn what_a_script_or_an_emoji_needs_is_legal() {
        for text in [
            "\u{feff}# Title",
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "👩\u{200d}💻",
            "❤\u{fe0f}",
            "👩🏽\u{200d}❤\u{fe0f}\u{200d}💋\u{200d}👨🏽",
            "1\u{fe0f}\u{20e3}",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} England",
            "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} Scotland",
            "🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f} Wales",
            "ᠠ\u{180b}ᠠ\u{180f}",
            "葛\u{e0100}城市",
            "ภาษา\u{200b}ไทย",
            "ພາສາ\u{200b}ລາວ",
            "ភាសា\u{200b}ខ្មែរ",
            "မြန်မာ\u{200b}စာ",
            "ശ്രീ\u{200d}യ ക്\u{200c}ഷ",
            "ক্\u{200d}ষ র\u{200d}্য",
            "ශ්\u{200d}රී",
            "نامه\u{200c}ای",
            "שלום עולם (abc) 123",
            "مرحبا، العالم 123",
            "ᠠ\u{180e}ᠠ",
            "🏳\u{fe0f}\u{200d}🌈 🏴\u{200d}☠\u{fe0f} ❤\u{fe0f}\u{200d}🔥 👨\u{200d}👩\u{200d}👧\u{200d}👦 👁\u{fe0f}\u{200d}🗨\u{fe0f}",
            "🇩🇪 🇯🇵 #\u{fe0f}\u{20e3} *\u{fe0f}\u{20e3} 9\u{fe0f}\u{20e3}",
            "☺\u{fe0e} ©\u{fe0f} Ⓜ\u{fe0f} ‼\u{fe0f} ㊗\u{fe0f} ℹ\u{fe0f}",
            "芦\u{fe00} 、\u{fe00} ！\u{fe00}",
            "tab\tand\r\nlines",
        ] {
            assert_eq!(messages(text), [""; 0], "{text:?}");
        }
    }

    #[test]
    fn what_is_taken_out_leaves_the_rest() {
        assert_eq!(
            without_hidden("a\u{200b}b\u{202e}c👩\u{200d}💻").as_deref(),
            Some("ab\u{202e}c👩\u{200d}💻")
        );
        assert_eq!(without_hidden("a b"), None);
        assert_eq!(without_hidden("a\u{180b}b\u{fff3}c\u{e0fff}").as_deref(), Some("abc"));
        let wales = "🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}";
        let texas = "🏴\u{e0075}\u{e0073}\u{e0074}\u{e0078}\u{e007f}";
        let fixed = without_hidden(&format!("{wales}{texas}{wales}\u{e0041}"));
        assert_eq!(fixed, Some(format!("{wales}🏴{wales}")));
    }
}
