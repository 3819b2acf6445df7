//! The trueline command.

fn main() {}
