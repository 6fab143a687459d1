//! What brv adds to a call of a language model: a server that answers at once, so that all that is left is brv's share.

use crate::lab::Lab;
use crate::table::Sample;
use brv_base::config;
use brv_engine::agents::model::{Model, Purpose, Request, Shape};
use serde_json::json;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

const CALL: &str = "a call of a model that answers at once, in this process";

pub fn run(lab: &Lab) {
    static NEVER: AtomicBool = AtomicBool::new(false);
    if !lab.wants(&[CALL]) {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || listener.incoming().flatten().for_each(|stream| drop(answer(stream))));
    let url = config::Setting { value: Some(url), source: config::ConfigSource::default() };
    let setting = config::ModelConfig { url, ..config::ModelConfig::default() };
    let text = "Tokens live 24 hours.\n".repeat(200);
    lab.solo(CALL, 20 * lab.options.rounds, || {
        // a new one each time, as each command has its own
        let mut model = Model::of(&setting, &lab.env.environment(), &NEVER).unwrap();
        let shape = Shape { name: "any", schema: json!({"type": "object"}) };
        let request =
            Request { most_output: 1, ..Request::new(Purpose::Query, "Answer.", text.as_str(), shape) };
        let start = Instant::now();
        model.ask(&request).unwrap();
        Sample::wall(start.elapsed().as_secs_f64())
    });
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    const BODY: &str =
        r#"{"choices":[{"message":{"content":"{}"}}],"usage":{"prompt_tokens":1,"completion_tokens":1}}"#;
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut line, mut length) = (String::new(), 0);
    while line != "\r\n" {
        line.clear();
        reader.read_line(&mut line)?;
        if let Some(value) = line.strip_prefix("content-length: ") {
            length = value.trim().parse().unwrap_or_default();
        }
    }
    reader.read_exact(&mut vec![0; length])?;
    write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{BODY}", BODY.len())
}
