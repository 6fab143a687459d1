//! The addresses of the resources, and the command that each shows.

use rmcp::ErrorData;
use serde_json::{Value, json};

/// The address of how to use brv, for hosts that know skills.
pub const SKILL: &str = "skill://brv/SKILL.md";

/// A resource that is a command's text.
pub struct ResourceDocument {
    pub address: &'static str,
    pub name: &'static str,
    pub about: &'static str,
    pub command: &'static str,
}

pub const DOCUMENTS: [ResourceDocument; 4] = [
    ResourceDocument {
        address: "brv://brain",
        name: "brain",
        about: "What to know before working on this project: brief, decisions, conventions, open problems",
        command: "brain show",
    },
    ResourceDocument {
        address: "brv://tree",
        name: "tree",
        about: "The folders and entries of the knowledge, with their summaries",
        command: "tree",
    },
    ResourceDocument {
        address: "brv://review",
        name: "review",
        about: "Changes of the knowledge that wait for a person's review, and comments that wait for an answer",
        command: "review pending",
    },
    ResourceDocument {
        address: "brv://served",
        name: "served",
        about: "Which entries agents were given on this machine, when, for what and why",
        command: "served",
    },
];

/// Addresses that go on with a name: the command that shows it, and its option.
pub struct Family {
    pub prefix: &'static str,
    pub template: &'static str,
    pub name: &'static str,
    pub about: &'static str,
    pub command: &'static str,
    option: &'static str,
    takes_several: bool,
}

pub const FAMILIES: [Family; 2] = [
    Family {
        prefix: "brv://entry/",
        template: "brv://entry/{+path}",
        name: "entry",
        about: "An entry or folder of the knowledge, by its path",
        command: "read",
        option: "paths",
        takes_several: true,
    },
    Family {
        prefix: "brv://op/",
        template: "brv://op/{id}",
        name: "operation",
        about: "What an operation of brv did, by its id",
        command: "op show",
        option: "operation",
        takes_several: false,
    },
];

/// What an address means.
pub enum Meant {
    Skill,
    Command(&'static str, Value),
}

pub fn meant(address: &str) -> Option<Meant> {
    if address == SKILL {
        return Some(Meant::Skill);
    }
    if let Some(document) = DOCUMENTS.iter().find(|document| document.address == address) {
        return Some(Meant::Command(document.command, json!({})));
    }
    FAMILIES.iter().find_map(|family| {
        let name = decoded(address.strip_prefix(family.prefix)?).filter(|name| !name.is_empty())?;
        let value = if family.takes_several { json!([name]) } else { json!(name) };
        Some(Meant::Command(family.command, json!({ family.option: value })))
    })
}

/// The path of an entry that an address names.
pub fn entry(address: &str) -> Option<String> {
    decoded(address.strip_prefix(FAMILIES[0].prefix)?)
}

/// Bytes that an address cannot have are written as `%` and two digits.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut pieces = text.split('%');
    bytes.extend_from_slice(pieces.next()?.as_bytes());
    for piece in pieces {
        bytes.push(u8::from_str_radix(piece.get(..2)?, 16).ok()?);
        bytes.extend_from_slice(&piece.as_bytes()[2..]);
    }
    String::from_utf8(bytes).ok()
}

pub fn unknown(address: &str) -> ErrorData {
    ErrorData::resource_not_found(
        format!("there is no resource `{address}`"),
        Some(json!({ "uri": address })),
    )
}

/// Whether the address is one of ours that may change: an operation never does.
pub fn check(address: &str) -> Result<(), ErrorData> {
    let is_path = |path: &str| !path.split('/').any(|part| part.is_empty() || part == "." || part == "..");
    let can_change =
        entry(address).is_none_or(|path| is_path(&path)) && !address.starts_with(FAMILIES[1].prefix);
    meant(address).filter(|_| can_change).map(|_| ()).ok_or_else(|| unknown(address))
}
