//! Keys, certificates and ciphers. Everything random comes from the caller, so that a seed repeats a run.

/// How many steps stand for a microsecond of work whose size is known beforehand: with a limit of 200 million
/// steps a run then ends within ten seconds on a slow machine too.
pub(crate) const STEPS_PER_MICROSECOND: u64 = 28;

pub(crate) mod certificate;
mod der;
mod dsa;
mod elliptic;
pub(crate) mod key;
mod modular;
mod pem;
mod prime;
mod rsa;
