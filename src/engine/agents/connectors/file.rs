//! One file of a host: what of brv is in it, and its bytes with that or without.

use super::block;
use super::compare::{Difference, TEXT, differences, is_ours, own_hook};
use super::json::{self, Addition, Dialect, JsonContent, JsonNode, JsonText, Member};
use super::splice::{Splice, apply};
use super::traces::{Mended, Traces};
use super::wanted::{Form, Item, Piece};
use super::{Unreadable, toml};
use serde_json::Value;
use std::ops::Range;

/// The markers of the rules.
pub const RULES_MARKERS: block::Markers = block::Markers::new("<!-- brv:rules -->", "<!-- /brv:rules -->");

/// What a file has of brv.
#[derive(Debug, Clone, PartialEq)]
pub enum Seen {
    Absent,
    Installed,
    /// As it is there; how it differs.
    Drifted(Vec<Difference>),
    /// Something else has the name.
    Foreign,
}

/// The bytes of a file without brv.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StrippedFile {
    pub bytes: Vec<u8>,
    /// Whether nothing is left that anybody needs.
    pub is_bare: bool,
}

/// Look at a file; `None` is one that does not exist.
pub fn look(form: &Form, bytes: Option<&[u8]>) -> Result<Seen, Unreadable> {
    let Some(bytes) = bytes else { return Ok(Seen::Absent) };
    match form {
        Form::Json { dialect, pieces } => {
            let json = json::parse(bytes, *dialect)?;
            let each = pieces.iter().map(|piece| look_in_json(&json, piece));
            Ok(together(each.collect::<Result<Vec<Seen>, Unreadable>>()?))
        }
        Form::Toml { pieces } => {
            let toml = toml::parse(bytes)?;
            let each = pieces.iter().map(|piece| Ok(seen(piece, toml.find(piece)?.as_ref())));
            Ok(together(each.collect::<Result<Vec<Seen>, Unreadable>>()?))
        }
        Form::Block(text) => look_at_block(bytes, text),
        Form::Whole(text) if bytes == text.as_bytes() => Ok(Seen::Installed),
        Form::Whole(text) => {
            let is_ours = bytes.starts_with(b"---\nname: brv\n");
            Ok(if is_ours { drifted_text(bytes, text.as_bytes()) } else { Seen::Foreign })
        }
    }
}

fn drifted_text(found: &[u8], wanted: &[u8]) -> Seen {
    let text = |bytes: &[u8]| Value::from(String::from_utf8_lossy(bytes));
    Seen::Drifted(vec![Difference { key: TEXT, found: Some(text(found)), wanted: text(wanted) }])
}

fn look_at_block(bytes: &[u8], text: &str) -> Result<Seen, Unreadable> {
    let found = RULES_MARKERS.find(bytes).map_err(|why| Unreadable(why.to_owned()))?;
    let Some(at) = found else { return Ok(Seen::Absent) };
    let wanted = RULES_MARKERS.written(Some(bytes), Some(at.clone()), text);
    let end = wanted.len() - (bytes.len() - at.end);
    Ok(if wanted == bytes {
        Seen::Installed
    } else {
        drifted_text(&bytes[at.clone()], &wanted[at.start..end])
    })
}

fn seen(piece: &Piece, found: Option<&Value>) -> Seen {
    match found {
        None => Seen::Absent,
        Some(found) if !is_ours(&piece.item, found) => Seen::Foreign,
        Some(found) => match differences(&piece.item, found) {
            none if none.is_empty() => Seen::Installed,
            some => Seen::Drifted(some),
        },
    }
}

/// One word for all pieces: some of them are absent after a part was taken out by hand, or came with a newer brv.
fn together(all: Vec<Seen>) -> Seen {
    let is_all = |one: &Seen| all.iter().all(|seen| seen == one);
    if all.contains(&Seen::Foreign) {
        return Seen::Foreign;
    }
    if is_all(&Seen::Absent) || is_all(&Seen::Installed) {
        return all.into_iter().next().unwrap_or(Seen::Absent);
    }
    let mut differences = Vec::new();
    for seen in all {
        match seen {
            Seen::Drifted(some) => differences.extend(some),
            Seen::Absent => differences.push(Difference {
                key: "hook",
                found: None,
                wanted: Value::from("one more event"),
            }),
            Seen::Installed | Seen::Foreign => {}
        }
    }
    Seen::Drifted(differences)
}

/// Where a piece goes: the innermost container that is there, and the keys that are still to be made.
struct InsertionPoint<'j> {
    container: &'j JsonNode,
    /// Members that lead to it, outermost first, each with the object that it is in.
    members: Vec<(&'j JsonNode, &'j Member)>,
    missing: &'static [&'static str],
}

fn way<'j>(json: &'j JsonText<'_>, piece: &Piece) -> Result<Option<InsertionPoint<'j>>, Unreadable> {
    let Some(root) = &json.root else { return Ok(None) };
    if !root.is_object() {
        return Err(Unreadable("has no object at its top".into()));
    }
    let mut way = InsertionPoint { container: root, members: Vec::new(), missing: piece.path };
    while let [key, rest @ ..] = way.missing {
        let Some(member) = way.container.get(key)? else { break };
        let wants_array = rest.is_empty() && piece.item.key().is_none();
        let fits = if wants_array { member.value.elements().is_some() } else { member.value.is_object() };
        if !fits {
            let wanted = if wants_array { "an array" } else { "an object" };
            return Err(Unreadable(format!("has something else than {wanted} as `{key}`")));
        }
        way.members.push((way.container, member));
        way.container = &member.value;
        way.missing = rest;
    }
    Ok(Some(way))
}

/// Where a piece is: its container, and its own range and value.
fn find<'j>(
    way: &InsertionPoint<'j>,
    piece: &Piece,
) -> Result<Option<(Range<usize>, &'j JsonNode)>, Unreadable> {
    if !way.missing.is_empty() {
        return Ok(None);
    }
    match &piece.item {
        Item::Entry { .. } => {
            let found = way.container.get(super::wanted::NAME)?;
            Ok(found.map(|member| (member.at.clone(), &member.value)))
        }
        Item::Hook { host, .. } => {
            let elements = way.container.elements().into_iter().flatten();
            let mut own = elements.filter(|element| own_hook(*host, &element.value()).is_some());
            Ok(own.next().map(|element| (element.at.clone(), element)))
        }
    }
}

fn look_in_json(json: &JsonText<'_>, piece: &Piece) -> Result<Seen, Unreadable> {
    let Some(way) = way(json, piece)? else { return Ok(Seen::Absent) };
    let found = find(&way, piece)?.map(|(_, node)| node.value());
    Ok(seen(piece, found.as_ref()))
}

/// The bytes with brv in them, and what it takes to undo that. What is there already is mended.
///
/// # Errors
/// What the host could not read, and what is somebody else's.
pub fn put(form: &Form, bytes: Option<&[u8]>) -> Result<(Vec<u8>, Traces), Unreadable> {
    let before = bytes.unwrap_or_default();
    let mut traces = Traces::default();
    match form {
        Form::Json { dialect, pieces } => {
            // a file that is made is read by every host
            let dialect = if bytes.is_none() { Dialect { empty: true, ..*dialect } } else { *dialect };
            let mut after = before.to_vec();
            for (number, piece) in pieces.iter().enumerate() {
                let (splices, added) = put_in_json(&json::parse(&after, dialect)?, piece)?;
                let put = apply(&after, &splices);
                match added {
                    Some(text) => traces.inserted.push(text),
                    None => traces.mended.extend(mended(form, number, &after, &put)),
                }
                after = put;
            }
            Ok((after, traces))
        }
        Form::Toml { pieces } => {
            let mut after = before.to_vec();
            for (number, piece) in pieces.iter().enumerate() {
                let toml = toml::parse(&after)?;
                let found = toml.find(piece)?;
                let splices = match seen(piece, found.as_ref()) {
                    Seen::Absent => {
                        let splice = toml.add(piece)?;
                        traces.inserted.push(splice.text.clone());
                        vec![splice]
                    }
                    Seen::Drifted(all) => {
                        let set = |one: &Difference| toml.set(piece, one.key, &one.wanted);
                        all.iter().map(set).collect::<Result<_, _>>()?
                    }
                    Seen::Installed => Vec::new(),
                    Seen::Foreign => return Err(foreign()),
                };
                let put = apply(&after, &splices);
                traces.mended.extend(mended(form, number, &after, &put));
                after = put;
            }
            Ok((after, traces))
        }
        Form::Block(text) => {
            let at = RULES_MARKERS.find(before).map_err(|why| Unreadable(why.to_owned()))?;
            let after = RULES_MARKERS.written(bytes, at, text);
            traces.mended.extend(mended(form, 0, before, &after));
            Ok((after, traces))
        }
        Form::Whole(text) => match look(form, bytes)? {
            Seen::Foreign => Err(foreign()),
            _ => {
                traces.inserted.push((*text).to_owned());
                traces.mended.extend(bytes.and_then(|before| mended(form, 0, before, text.as_bytes())));
                Ok((text.as_bytes().to_vec(), traces))
            }
        },
    }
}

/// The mending of a piece that was there.
fn mended(form: &Form, piece: usize, before: &[u8], after: &[u8]) -> Option<Mended> {
    Mended::of(piece, extent(form, piece, before).ok()??, before, after)
}

/// Where a piece is in a file, with all that its owner may have added to it.
fn extent(form: &Form, piece: usize, bytes: &[u8]) -> Result<Option<Range<usize>>, Unreadable> {
    match form {
        Form::Json { dialect, pieces } => {
            let json = json::parse(bytes, *dialect)?;
            let Some(piece) = pieces.get(piece) else { return Ok(None) };
            let Some(way) = way(&json, piece)? else { return Ok(None) };
            Ok(find(&way, piece)?.map(|(_, node)| node.at.clone()))
        }
        Form::Toml { pieces } => {
            let toml = toml::parse(bytes)?;
            Ok(pieces.get(piece).and_then(|piece| toml.extent(piece)))
        }
        Form::Block(_) => RULES_MARKERS.find(bytes).map_err(|why| Unreadable(why.to_owned())),
        Form::Whole(_) => Ok(Some(0..bytes.len())),
    }
}

fn foreign() -> Unreadable {
    Unreadable("has an entry `brv` that brv did not write".into())
}

fn put_in_json(json: &JsonText<'_>, piece: &Piece) -> Result<(Vec<Splice>, Option<String>), Unreadable> {
    let nested = |missing: &[&str], value: Value| {
        missing
            .iter()
            .rev()
            .fold(value, |inner, key| Value::Object([((*key).to_owned(), inner)].into_iter().collect()))
    };
    let own = match piece.item.key() {
        Some(key) => nested(&[key], piece.item.value().clone()),
        None => Value::Array(vec![piece.item.value().clone()]),
    };
    let Some(way) = way(json, piece)? else {
        let [first, rest @ ..] = piece.path else { return Err(Unreadable("is empty".into())) };
        let splice = json.whole(first, &nested(rest, own));
        let added = splice.text.clone();
        return Ok((vec![splice], Some(added)));
    };
    let found = find(&way, piece)?;
    let value = found.as_ref().map(|(_, node)| node.value());
    match seen(piece, value.as_ref()) {
        Seen::Installed => Ok((Vec::new(), None)),
        Seen::Foreign => Err(foreign()),
        Seen::Drifted(all) => {
            let node = found.map_or(way.container, |(_, node)| node);
            Ok((mend(json, piece, node, &all)?, None))
        }
        Seen::Absent => {
            let splice = match way.missing {
                [] => json.add(way.container, &Addition { key: piece.item.key(), value: piece.item.value() }),
                [first, rest @ ..] => {
                    json.add(way.container, &Addition { key: Some(first), value: &nested(rest, own) })
                }
            };
            let added = splice.text.clone();
            Ok((vec![splice], Some(added)))
        }
    }
}

/// Set the members that differ, one by one: the others are the user's.
fn mend(
    json: &JsonText<'_>,
    piece: &Piece,
    node: &JsonNode,
    all: &[Difference],
) -> Result<Vec<Splice>, Unreadable> {
    let mut splices: Vec<Splice> = Vec::new();
    for one in all {
        let holder = match &piece.item {
            Item::Hook { host, .. } if one.key == "command" => {
                let at = own_hook(*host, &node.value());
                let hooks = node.get("hooks")?.and_then(|member| member.value.elements());
                hooks.and_then(|hooks| hooks.get(at?)).unwrap_or(node)
            }
            _ => node,
        };
        let splice = match holder.get(one.key)? {
            Some(member) => json.replace(&member.value, &one.wanted),
            None => json.add(holder, &Addition { key: Some(one.key), value: &one.wanted }),
        };
        // several new members go in at one place
        match splices.iter_mut().find(|other| other.at == splice.at && splice.at.is_empty()) {
            Some(other) => other.text.push_str(&splice.text),
            None => splices.push(splice),
        }
    }
    Ok(splices)
}

/// The bytes without brv. `traces` are those of `put`, if they are remembered: then the file is as before, byte for byte,
/// where nothing else came into it. An entry that was mended is put back as it was, if it still is as `put` left it.
///
/// # Errors
/// What the host could not read, and what is somebody else's.
pub fn take(form: &Form, bytes: &[u8], traces: &Traces) -> Result<StrippedFile, Unreadable> {
    let (put_back, back) = put_back(form, bytes, &traces.mended)?;
    let (bytes, inserted) = (&put_back[..], &traces.inserted[..]);
    let is_left = |(number, _): &(usize, &Piece)| !back.contains(number);
    match form {
        Form::Json { dialect, pieces } => {
            let pieces: Vec<&Piece> =
                pieces.iter().enumerate().filter(is_left).map(|(_, piece)| piece).collect();
            let mut after = bytes.to_vec();
            if let Some(cut) = cut_all(&after, inserted, |cut| is_without(&pieces, cut, *dialect)) {
                after = cut;
            } else {
                for piece in pieces.iter().rev() {
                    let splices = take_from_json(&json::parse(&after, *dialect)?, piece, inserted)?;
                    after = apply(&after, &splices);
                }
            }
            let is_bare = is_bare(&after);
            Ok(StrippedFile { bytes: after, is_bare })
        }
        Form::Toml { pieces } => {
            let pieces: Vec<&Piece> =
                pieces.iter().enumerate().filter(is_left).map(|(_, piece)| piece).collect();
            let is_without = |cut: &[u8]| {
                let toml = toml::parse(cut);
                toml.is_ok_and(|toml| pieces.iter().all(|piece| toml.find(piece) == Ok(None)))
            };
            let mut after = bytes.to_vec();
            if let Some(cut) = cut_all(&after, inserted, is_without) {
                after = cut;
            } else {
                for piece in pieces {
                    let toml = toml::parse(&after)?;
                    if seen(piece, toml.find(piece)?.as_ref()) == Seen::Foreign {
                        return Err(foreign());
                    }
                    let splices = toml.remove(piece)?;
                    after = apply(&after, &splices);
                }
            }
            let is_bare = after.trim_ascii().is_empty();
            Ok(StrippedFile { bytes: after, is_bare })
        }
        Form::Block(_) | Form::Whole(_) if !back.is_empty() => {
            Ok(StrippedFile { bytes: put_back, is_bare: false })
        }
        Form::Block(_) => {
            let at = RULES_MARKERS.find(bytes).map_err(|why| Unreadable(why.to_owned()))?;
            let left = at.map_or_else(|| Some(bytes.to_vec()), |at| RULES_MARKERS.without(bytes, at));
            Ok(StrippedFile { is_bare: left.is_none(), bytes: left.unwrap_or_default() })
        }
        Form::Whole(_) => Ok(StrippedFile { bytes: Vec::new(), is_bare: true }),
    }
}

/// The bytes with all as it was that was mended, and the numbers of these pieces.
fn put_back(form: &Form, bytes: &[u8], mended: &[Mended]) -> Result<(Vec<u8>, Vec<usize>), Unreadable> {
    let (mut after, mut back) = (bytes.to_vec(), Vec::new());
    for one in mended {
        let at = extent(form, one.piece, &after)?;
        if let Some(at) = at.filter(|at| one.is_left(form, &after[at.clone()])) {
            after = apply(&after, &[Splice { at, text: one.before.clone() }]);
            back.push(one.piece);
        }
    }
    Ok((after, back))
}

/// Cut each text out where it stands once, the last first. `None` if one of them does not, or the rest is not right.
fn cut_all(bytes: &[u8], inserted: &[String], is_right: impl Fn(&[u8]) -> bool) -> Option<Vec<u8>> {
    use bstr::ByteSlice as _;
    let mut after = bytes.to_vec();
    for text in inserted.iter().rev() {
        let mut places = after.find_iter(text);
        let at = places.next()?;
        if places.next().is_some() {
            return None;
        }
        after.drain(at..at + text.len());
    }
    (!inserted.is_empty() && is_right(&after)).then_some(after)
}

fn is_without(pieces: &[&Piece], cut: &[u8], dialect: Dialect) -> bool {
    let empty = Dialect { empty: true, ..dialect };
    json::parse(cut, empty)
        .is_ok_and(|json| pieces.iter().all(|piece| look_in_json(&json, piece) == Ok(Seen::Absent)))
}

/// An empty file, or an object without members but the schema that a host adds.
fn is_bare(bytes: &[u8]) -> bool {
    let dialect = Dialect { empty: true, ..Dialect::LOOSE };
    let Ok(json) = json::parse(bytes, dialect) else { return bytes.trim_ascii().is_empty() };
    match json.root.as_ref().map(|root| &root.content) {
        None => true,
        Some(JsonContent::Object(members)) => {
            !json.has_comments() && members.iter().all(|member| member.key == "$schema")
        }
        Some(_) => false,
    }
}

/// Take a piece out, and the containers above it that are empty then, if brv made some.
fn take_from_json(
    json: &JsonText<'_>,
    piece: &Piece,
    inserted: &[String],
) -> Result<Vec<Splice>, Unreadable> {
    let Some(way) = way(json, piece)? else { return Ok(Vec::new()) };
    let Some((at, node)) = find(&way, piece)? else { return Ok(Vec::new()) };
    if !is_ours(&piece.item, &node.value()) {
        return Err(foreign());
    }
    if let Item::Hook { host, .. } = &piece.item {
        // others may have put a command of theirs into the same group
        let hooks = node.get("hooks")?.map(|member| &member.value);
        let elements = hooks.and_then(JsonNode::elements).map_or(0, Vec::len);
        if let (Some(hooks), Some(own)) = (hooks, own_hook(*host, &node.value()))
            && elements > 1
            && let Some(element) = hooks.elements().and_then(|all| all.get(own))
        {
            return Ok(json.remove(hooks, &element.at));
        }
    }
    let mut members = way.members.iter().rev();
    let (mut from, mut what) = (way.container, at);
    while from.number_of_children() == 1 {
        let Some((holder, member)) = members.next() else { break };
        let key = format!("{}:", Value::from(member.key.as_str()));
        if !inserted.iter().any(|text| text.contains(&key)) {
            break;
        }
        (from, what) = (holder, member.at.clone());
    }
    Ok(json.remove(from, &what))
}

/// brv's entry as it stands in a file; of hooks, the first group that is there.
pub fn entry_in(form: &Form, bytes: &[u8]) -> Option<Value> {
    match form {
        Form::Json { dialect, pieces } => {
            let json = json::parse(bytes, *dialect).ok()?;
            // those of an array go in from the end
            pieces.iter().rev().find_map(|piece| {
                let way = way(&json, piece).ok()??;
                let (_, node) = find(&way, piece).ok()??;
                Some(node.value())
            })
        }
        Form::Toml { pieces } => toml::parse(bytes).ok()?.find(pieces.first()?).ok()?,
        Form::Block(_) | Form::Whole(_) => None,
    }
}

/// The command line that a host runs as a hook.
pub fn command_in(form: &Form, bytes: &[u8]) -> Option<String> {
    let Form::Json { pieces, .. } = form else { return None };
    let Item::Hook { host, .. } = &pieces.first()?.item else { return None };
    let group = entry_in(form, bytes)?;
    let own = own_hook(*host, &group)?;
    group["hooks"][own]["command"].as_str().map(str::to_owned)
}

/// What a person can add by hand.
pub fn lines_to_add(form: &Form) -> String {
    match form {
        Form::Json { pieces, .. } => {
            let mut whole = Value::Object(serde_json::Map::new());
            // those of an array go in from the end
            for piece in pieces.iter().rev() {
                let mut place = &mut whole;
                for key in piece.path {
                    place = &mut place[*key];
                }
                match piece.item.key() {
                    Some(key) => place[key] = piece.item.value().clone(),
                    None => *place = Value::Array(vec![piece.item.value().clone()]),
                }
            }
            serde_json::to_string_pretty(&whole).unwrap_or_default()
        }
        Form::Toml { pieces } => pieces.iter().flat_map(toml::lines).collect::<Vec<_>>().join("\n"),
        Form::Block(text) => RULES_MARKERS.wrapped(text),
        Form::Whole(text) => (*text).to_owned(),
    }
}
