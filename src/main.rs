//! `brv`: calls [`brv::cli`].

/// The allocator of musl holds one lock for all threads, and gives small blocks slowly.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    brv::cli::main()
}
