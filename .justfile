# `just` lists the recipes.

[private]
default:
    @just --list --unsorted

# the main job, in a temporary folder
demo *folder:
    cargo run --release -- demo {{ folder }}

# all tests, or those whose names contain the words
test *words:
    cargo test {{ words }}

# what a change must pass, as CI runs it
ci:
    .ci/run

# format and lint
tidy:
    cargo fmt --all
    cargo clippy --workspace --all-targets -- -D warnings

# licences, advisories, sources of the dependencies (needs cargo-deny)
deny:
    cargo deny check --config .deny.toml

# the crate documentation, which is the architecture
doc:
    cargo doc --no-deps --workspace --open

# the program as it is shipped
dist:
    cargo build --profile dist
