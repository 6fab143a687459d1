//! `brv`: hands over to [`brv::cli`].

fn main() -> std::process::ExitCode {
    brv::cli::main()
}
