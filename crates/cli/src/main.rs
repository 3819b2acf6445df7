//! The trueline command.

use std::process::ExitCode;

/// Most of a run is small allocations on several threads, which the system's allocator is slow at.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    trueline_cli::run(std::env::args_os())
}
