//! The address of the project, and of what it releases.

/// The address that Cargo.toml has; empty if it has none.
pub const ADDRESS: &str = env!("CARGO_PKG_REPOSITORY");

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Where the files of this version's release are; `None` if the project has no address.
pub fn release(address: &str) -> Option<String> {
    (!address.is_empty()).then(|| format!("{address}/releases/download/v{VERSION}"))
}
