//! `brv`: calls [`brv::cli`].

fn main() -> std::process::ExitCode {
    brv::cli::main()
}
