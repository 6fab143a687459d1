//! `brv model usage`: how many requests and tokens the models of the user took, over all projects, by day.

use brv_engine::agents::model::{Purpose, StoredModelDay, Usages};
use brv_engine::{Context, Stop};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.model.usage/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ModelUsage")]
pub struct Outcome {
    /// The days on which something was asked, the last one first.
    pub days: Vec<DayUsage>,
}

/// One day of UTC.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ModelDay")]
pub struct DayUsage {
    /// `2026-11-26`
    pub day: String,
    /// How many requests were sent, those included that failed.
    pub calls: u64,
    /// How many of them had no usable answer.
    pub failed: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub by: By,
}

/// Tokens of both directions by what they were for.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ModelTokensBy")]
pub struct By {
    /// Also those of `brv model test`.
    pub query: u64,
    pub curate: u64,
    pub summary: u64,
    pub dream: u64,
}

/// Show the days, and what else to say of them.
///
/// # Errors
/// The count cannot be read.
pub fn run(cx: &Context<'_>) -> Result<(Outcome, Vec<String>), Stop> {
    let Usages { days, today, is_damaged } = Usages::read(&cx.environment)?;
    let mut warnings = Vec::new();
    if is_damaged {
        warnings.push("the count is damaged: it starts again with the next request".into());
    }
    let open = days.iter().find(|(day, _)| *day == today).map_or(0, |(_, day)| day.reserved);
    if open > 0 {
        warnings.push(format!(
            "{open} more tokens are set aside for requests that are under way, or that were killed: they count against `model.daily_tokens` until the day ends"
        ));
    }
    Ok((Outcome { days: days.into_iter().map(|(day, counted)| of(day, &counted)).collect() }, warnings))
}

fn of(day: String, counted: &StoredModelDay) -> DayUsage {
    let by = |purpose: Purpose| counted.by.get(purpose.word()).copied().unwrap_or_default();
    DayUsage {
        day,
        calls: counted.calls,
        failed: counted.failed,
        input_tokens: counted.input_tokens,
        output_tokens: counted.output_tokens,
        by: By {
            query: by(Purpose::Query),
            curate: by(Purpose::Curate),
            summary: by(Purpose::Summary),
            dream: by(Purpose::Dream),
        },
    }
}
