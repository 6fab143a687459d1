//! The resources: documents of the tree by address.

use super::addresses::{DOCUMENTS, FAMILIES, Family, Meant, ResourceDocument, SKILL, meant, unknown};
use super::answer;
use super::client::{Client, CommandJob};
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

const MARKDOWN: &str = "text/markdown";

/// The most tokens of a resource: clients ask for these by hand, and cut them themselves.
const MOST_TOKENS: u64 = 50_000;

pub fn listed() -> Vec<Resource> {
    let one = |document: &ResourceDocument| {
        Resource::new(document.address, document.name)
            .with_description(document.about)
            .with_mime_type(MARKDOWN)
    };
    let skill = Resource::new(SKILL, "brv").with_description("How to use brv").with_mime_type(MARKDOWN);
    DOCUMENTS.iter().map(one).chain([skill]).collect()
}

pub fn templates() -> Vec<ResourceTemplate> {
    let one = |family: &Family| {
        ResourceTemplate::new(family.template, family.name)
            .with_description(family.about)
            .with_mime_type(MARKDOWN)
    };
    FAMILIES.iter().map(one).collect()
}

pub async fn read(
    client: &Client,
    address: &str,
    context: &RequestContext<RoleServer>,
) -> Result<ResourceContents, ErrorData> {
    let text = match meant(address).ok_or_else(|| unknown(address))? {
        Meant::Skill => brv_commands::connectors::SKILL.to_owned(),
        Meant::Command(command, input) => {
            let text = text(client, (command, input, None), context).await;
            text.map_err(|mut error| {
                if let Some(Value::Object(data)) = &mut error.data {
                    data.insert("uri".into(), address.into());
                }
                error
            })?
        }
    };
    Ok(ResourceContents::text(text, address).with_mime_type(MARKDOWN))
}

/// The text of a command as data.
///
/// # Errors
/// What the command could not do.
pub async fn text(
    client: &Client,
    (command, input, format): (&'static str, Value, Option<&'static str>),
    context: &RequestContext<RoleServer>,
) -> Result<String, ErrorData> {
    let root = client.usual_root(context).await;
    let work = CommandJob { command, input, format, read: Vec::new() };
    let reply = client.run(work, root, context).await?;
    match &reply.failure {
        Some(failure) if reply.text.is_empty() => {
            let data = json!({ "code": failure.exit.word(), "hint": failure.stop.hint });
            Err(ErrorData::resource_not_found(failure.stop.message.clone(), Some(data)))
        }
        _ => Ok(answer::markdown(&reply, MOST_TOKENS)),
    }
}
