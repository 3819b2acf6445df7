//! Keys, certificates and ciphers. Everything random comes from the caller, so that a seed repeats a run.

pub(crate) mod certificate;
mod der;
mod dsa;
mod elliptic;
pub(crate) mod key;
mod modular;
mod pem;
mod prime;
mod rsa;
