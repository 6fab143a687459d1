//! Messages as lines of standard input and output.
//!
//! The transport of the protocol's own library drops a line that is too long or not JSON without a word; a client would
//! wait for its answer. Here it gets an error.

use super::desk::Desk;
use super::life;
use super::server::McpServer;
use super::tool_list::ToolList;
use crate::serve::memory;
use rmcp::RoleServer;
use rmcp::model::{ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, ServiceExt as _, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use tokio::sync::mpsc;

/// The longest line, in bytes.
pub const LONGEST: usize = 11 * 1024 * 1024;

/// How long a call may take to begin.
const BEGIN: Duration = Duration::from_millis(20);

/// Serve the client at standard input and output until it leaves.
///
/// # Errors
/// The runtime cannot be started.
pub fn serve(desk: Desk) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let desk = Arc::new(desk);
    runtime.block_on(async {
        let server = McpServer::new(desk.clone());
        let lines = StdioTransport {
            incoming: read_lines(),
            out: Arc::new(Mutex::new(io::stdout())),
            desk: desk.clone(),
            tool_list: server.tool_list(),
        };
        let client = async {
            // a client that leaves before its handshake gets no answer
            if let Ok(running) = server.serve(lines).await {
                running.waiting().await.ok();
            }
        };
        tokio::select! {
            () = client => {}
            () = async { desk.leaving.cancelled().await; tokio::time::sleep(life::LAST_WORDS).await } => {}
            () = life::parent_ends() => {}
            () = desk.activity.idles(life::IDLE) => {}
            () = desk.dreams() => {}
            () = memory::give_back(desk.activity.used()) => {}
        }
    });
    // threads that still run are left behind: their state is one that the next command puts right
    runtime.shutdown_background();
    Ok(())
}

/// A line of standard input.
enum InputLine {
    Whole(Vec<u8>),
    TooLong,
}

/// The lines of standard input, read on a thread of its own: a read that waits cannot be ended.
fn read_lines() -> mpsc::Receiver<InputLine> {
    let (sender, lines) = mpsc::channel(16);
    let read = move || {
        let mut input = io::stdin().lock();
        while let Ok(Some(line)) = next_line(&mut input) {
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    };
    // without the thread there are no lines, as if the client had left
    thread::Builder::new().name("input".into()).spawn(read).ok();
    lines
}

/// The next line without its end; `None` at the end. Bytes after the last line end are not a line.
fn next_line(input: &mut impl io::BufRead) -> io::Result<Option<InputLine>> {
    let mut line = Vec::new();
    let mut is_too_long = false;
    loop {
        let available = match input.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if available.is_empty() {
            return Ok(None);
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let part = &available[..end.unwrap_or(available.len())];
        is_too_long |= line.len() + part.len() > LONGEST;
        if is_too_long {
            line = Vec::new();
        } else {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            return Ok(Some(if is_too_long { InputLine::TooLong } else { InputLine::Whole(line) }));
        }
    }
}

struct StdioTransport {
    incoming: mpsc::Receiver<InputLine>,
    out: Arc<Mutex<io::Stdout>>,
    desk: Arc<Desk>,
    tool_list: Arc<ToolList>,
}

impl Transport<RoleServer> for StdioTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let out = self.out.clone();
        async move {
            // a client that does not read must not stop what else runs
            let write = tokio::task::spawn_blocking(move || write(&out, &message));
            write.await.map_err(io::Error::other)?
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let Some(line) = self.incoming.recv().await else {
                self.desk.ending.cancel();
                // what the last line asked for has begun by then, or waits
                tokio::time::sleep(BEGIN).await;
                self.desk.drop_waiting();
                self.desk.activity.rest().await;
                self.desk.leaving.cancel();
                return None;
            };
            self.desk.activity.uses();
            match parse(&line) {
                Parsed::Message(message) => {
                    if is_hello(&message) && declares_list_changes(&line) {
                        self.tool_list.hear();
                    }
                    return Some(*message);
                }
                Parsed::Nothing => {}
                Parsed::Wrong(id, error) => {
                    if self.send(TxJsonRpcMessage::<RoleServer>::error(error, id)).await.is_err() {
                        return None;
                    }
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        Ok(())
    }
}

fn write(out: &Mutex<io::Stdout>, message: &TxJsonRpcMessage<RoleServer>) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
    out.write_all(&line)?;
    out.flush()
}

fn is_hello(message: &RxJsonRpcMessage<RoleServer>) -> bool {
    matches!(message, JsonRpcMessage::Request(request) if matches!(request.request, ClientRequest::InitializeRequest(_)))
}

/// Whether a client says in its first message that it hears of changes to the list of tools. The type of the message has no
/// such field.
fn declares_list_changes(line: &InputLine) -> bool {
    let InputLine::Whole(line) = line else { return false };
    let value = serde_json::from_slice::<Value>(line.trim_ascii()).unwrap_or_default();
    value.pointer("/params/capabilities/tools/listChanged") == Some(&Value::Bool(true))
}

/// What a line is.
enum Parsed {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// An empty line, or a notice or an answer that nobody here understands: none of them is answered.
    Nothing,
    /// Something that is answered with an error, under this id if it has one.
    Wrong(Option<RequestId>, ErrorData),
}

fn parse(line: &InputLine) -> Parsed {
    let wrong = |code, why: String| Parsed::Wrong(None, ErrorData::new(code, why, None));
    let line = match line {
        InputLine::Whole(line) => line.trim_ascii(),
        InputLine::TooLong => {
            let why = format!("a message may have at most {LONGEST} bytes");
            return wrong(ErrorCode::INVALID_REQUEST, why);
        }
    };
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    if line.is_empty() {
        return Parsed::Nothing;
    }
    let error = match serde_json::from_slice(line) {
        Ok(message) => return Parsed::Message(Box::new(message)),
        Err(error) => error,
    };
    let value = match serde_json::from_slice::<Value>(line) {
        Ok(value @ Value::Object(_)) => value,
        Ok(_) => {
            return wrong(ErrorCode::INVALID_REQUEST, "a message is an object; there are no batches".into());
        }
        Err(error) => return wrong(ErrorCode::PARSE_ERROR, format!("not JSON: {error}")),
    };
    let id = value.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
    match (value.get("method").and_then(Value::as_str), value.get("id")) {
        (Some(_), Some(_)) => Parsed::Wrong(
            id,
            ErrorData::new(ErrorCode::INVALID_REQUEST, format!("no request: {error}"), None),
        ),
        (Some(_), None) => Parsed::Nothing,
        (None, _) if value.get("result").is_some() || value.get("error").is_some() => Parsed::Nothing,
        (None, _) => {
            Parsed::Wrong(id, ErrorData::new(ErrorCode::INVALID_REQUEST, "`method` is missing", None))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(line: &[u8]) -> Option<i32> {
        match parse(&InputLine::Whole(line.to_vec())) {
            Parsed::Wrong(_, error) => Some(error.code.0),
            Parsed::Message(_) | Parsed::Nothing => None,
        }
    }

    #[test]
    fn what_is_no_message_is_answered_with_the_code_of_its_fault() {
        assert_eq!(code(b"{not json"), Some(-32700));
        assert_eq!(code(b"[]"), Some(-32600));
        assert_eq!(code(b"{\"jsonrpc\":\"2.0\",\"id\":1}"), Some(-32600));
        assert_eq!(
            code(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":7}"),
            Some(-32600)
        );
        assert_eq!(code(b""), None);
        assert_eq!(code(b"{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":1}"), None);
        assert!(matches!(parse(&InputLine::TooLong), Parsed::Wrong(None, error) if error.code.0 == -32600));
    }

    #[test]
    fn lines_are_cut_where_they_end_and_long_ones_are_passed_over() {
        let long = [vec![b'x'; LONGEST + 1], b"\nlast\nrest".to_vec()].concat();
        let mut input = io::BufReader::with_capacity(1000, &long[..]);
        assert!(matches!(next_line(&mut input), Ok(Some(InputLine::TooLong))));
        assert!(matches!(next_line(&mut input), Ok(Some(InputLine::Whole(line))) if line == b"last"));
        assert!(matches!(next_line(&mut input), Ok(None)));
    }
}
