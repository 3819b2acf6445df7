//! Expressions in CEL that are not about the schema of a CRD: those of admission, and selectors of devices.

mod admission;
mod device;

pub use admission::{Admission, Extra, Patch};
pub(crate) use device::{PER_SELECTOR, compile_device_selector};
