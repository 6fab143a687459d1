//! The SARIF log of a check is valid by the schema of the format.

use crate::env::Env;
use crate::servers::script;
use brv::say::review::sarif;
use brv_commands::vc::check::{Endpoint, Finding, Outcome as Check};

/// Prints what is wrong with the log in the file that is named last.
const VALIDATE: &str = "const own = name => require(require.resolve(name, { paths: [require.resolve('@microsoft/jest-sarif/package.json')] }));\n\
    const Ajv = own('ajv'), read = require('fs').readFileSync;\n\
    const ajv = new Ajv({ schemaId: 'auto', validateSchema: false, allErrors: true });\n\
    ajv.addMetaSchema(own('ajv/lib/refs/json-schema-draft-04.json'));\n\
    const validate = ajv.compile(own('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json'));\n\
    validate(JSON.parse(read(process.argv.at(-1), 'utf8'))); console.log(JSON.stringify(validate.errors));";

fn finding(rule: &'static str, path: &str, standing: &'static str) -> Finding {
    Finding {
        rule,
        severity: "error",
        path: path.into(),
        line: 3,
        column: 7,
        subject: Some("a subject".into()),
        message: "something is \u{202e} \"wrong\"".into(),
        fingerprint: "00112233445566ff".into(),
        standing,
        commit: Some("3".repeat(40)),
        fix: None,
    }
}

fn check(findings: Vec<Finding>) -> Check {
    let commit = |digit: &str| Endpoint { kind: "commit", commit: Some(digit.repeat(40)), name: None };
    Check { findings, fails: true, ..Check::new(commit("1"), commit("2")) }
}

/// What the schema has against the log: `null` if nothing.
fn faults(env: &Env, log: &str) -> Option<String> {
    let mut node = script(env, "node", &["-e", "require.resolve('@microsoft/jest-sarif/package.json')"])?;
    std::fs::write(env.path("log.sarif"), log).unwrap();
    let ran = node.args(["-e", VALIDATE, "--"]).arg(env.path("log.sarif")).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    Some(String::from_utf8(ran.stdout).unwrap().trim().to_owned())
}

#[test]
fn the_log_is_valid_by_the_schema() {
    let env = Env::new();
    let found = [
        finding("BRV006", "auth/a b#%.md", "present"),
        finding("BRV006", "auth/gone.md", "corrected"),
        finding("BRV009", ".", "present"),
    ];
    for prefix in ["", ".brv/context-tree/"] {
        for findings in [found.to_vec(), Vec::new()] {
            let log = sarif(&check(findings), prefix);
            let Some(faults) = faults(&env, &log) else { return };
            assert_eq!(faults, "null", "{log}");
        }
    }
    // the schema is there and strict
    let broken = sarif(&check(found.to_vec()), "").replace("\"ruleId\"", "\"rule_id\"");
    assert_ne!(faults(&env, &broken).as_deref(), Some("null"));
}
