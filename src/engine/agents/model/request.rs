//! A request to a model.

use super::Answer;
use serde_json::Value;

/// What the tokens are for, as the usage is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    Query,
    Curate,
    Summary,
    Dream,
}

impl Purpose {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Curate => "curate",
            Self::Summary => "summary",
            Self::Dream => "dream",
        }
    }
}

/// One request. The texts of the tree in it are fenced by [`super::fence::fenced`].
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub purpose: Purpose,
    /// What the model is to do.
    pub task: String,
    pub turns: Vec<Turn>,
    /// The JSON that is wanted; `None` for prose.
    pub shape: Option<Shape>,
    /// What the model may call.
    pub tools: Vec<ModelTool>,
    /// The most tokens of the answer.
    pub most_output: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Turn {
    User(String),
    Model(Answer),
    /// The results of the calls of the answer before, in their order.
    Results(Vec<String>),
}

/// The form of the JSON that is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Letters, digits and `_`.
    pub name: &'static str,
    /// A JSON Schema of an object.
    pub schema: Value,
}

/// A function that the model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelTool {
    pub name: &'static str,
    pub about: &'static str,
    /// A JSON Schema of an object.
    pub schema: Value,
}

impl Request {
    /// A request of one turn, with a JSON answer.
    pub fn new(purpose: Purpose, task: impl Into<String>, text: impl Into<String>, shape: Shape) -> Self {
        Self {
            purpose,
            task: task.into(),
            turns: vec![Turn::User(text.into())],
            shape: Some(shape),
            tools: Vec::new(),
            most_output: 4_096,
        }
    }
}
