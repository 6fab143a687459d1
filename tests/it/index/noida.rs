//! PyPI's `noida-db`, a program that speaks the REST interface of Elasticsearch 8.15. `.ci/run` fetches it into the folder of
//! `BRV_IT_SERVERS`.

use crate::env::Env;
use crate::servers::{Running, listening, packages};
use std::process::Command;

/// A server without documents, which ends with the test.
pub struct Noida {
    /// `http://127.0.0.1:1234`
    pub url: String,
    _running: Running,
}

impl Noida {
    /// Start it with its data below the folder of `env`; `None`, with a message, if it was not fetched or does not run.
    pub fn start(env: &Env) -> Option<Self> {
        let program = packages().map(|packages| packages.join("python/noida_db/noida-db"));
        let Some(program) = program.filter(|program| program.is_file()) else {
            println!("skipped: noida-db is not in BRV_IT_SERVERS");
            return None;
        };
        if !Command::new(&program).arg("version").output().is_ok_and(|output| output.status.success()) {
            println!("skipped: noida-db does not run here");
            return None;
        }
        let data = env.path("noida");
        std::fs::create_dir_all(&data).unwrap();
        let running = listening(|port| {
            let mut command = Command::new(&program);
            env.prepare(&mut command);
            command.args([
                "start",
                "--only",
                "elasticsearch",
                "--elasticsearch-port",
                &port.to_string(),
                "--data-dir",
            ]);
            command.arg(&data);
            command
        });
        Some(Self { url: format!("http://127.0.0.1:{}", running.port), _running: running })
    }
}
