//! Keys, certificates and ciphers. All randomness comes from the caller, so a seed reproduces a run.

/// How many steps a microsecond of work with a known size costs: with a limit of 200 million steps a run then
/// ends within ten seconds even on a slow machine.
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
