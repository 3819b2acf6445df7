//! Selectors of devices: what they see, and what they may cost.

use std::sync::Arc;

use trueline_cel::cost;
use trueline_cel::function::{Size, Sizes};
use trueline_cel::shape::Shape;
use trueline_cel::types::Type;
use trueline_kube_cel::environment;
use trueline_kube_cel::quantity::QUANTITY;
use trueline_kube_facts::Failure;
use trueline_kube_facts::KubeVersion;

use super::admission::{compile, go_text, object};

/// What a selector may cost by its estimate.
pub(crate) const PER_SELECTOR: u64 = 1_000_000;

/// The first version that looks at the estimate.
const ESTIMATED: u16 = 32;

/// The first version in which devices say by default whether they are shared.
const SHARED: u16 = 36;

/// The largest sizes of what a device has.
const ENTRIES: u64 = 32;
const DOMAIN: u64 = 63;
const NAME: u64 = 32;
const DRIVER: u64 = 63;
const ATTRIBUTE: u64 = 64;

/// A selector that compiles.
#[derive(Debug)]
pub(crate) struct DeviceSelector {
    /// What evaluating it may cost.
    pub(crate) max_cost: u64,
}

/// Compiles the selector of a device.
pub(crate) fn compile_device_selector(text: &str, version: KubeVersion) -> Result<DeviceSelector, Failure> {
    let mut env = environment(u32::from(version.minor.saturating_sub(1)));
    env.syntax.bindings = true;
    let values = |of: Type| Shape::Map(Arc::new(Shape::Map(Arc::new(Shape::Other(of)))));
    let shared = (version.minor >= SHARED).then_some(("allowMultipleAllocations", Shape::Bool));
    let fields = [
        ("driver", Shape::String),
        ("attributes", values(Type::Any)),
        ("capacity", values(Type::Opaque(&QUANTITY))),
    ];
    let device = object("kubernetes.DRADevice", fields.into_iter().chain(shared));
    env.add_variable("device", device.declared());
    // What attributes hold is known only when a device is there.
    let checked = compile(&env, text, &[Type::Bool, Type::Any], |found| {
        format!("must evaluate to bool or the unknown type, not {}", go_text(found))
    })?;
    let max_cost = match version.minor {
        ..ESTIMATED => 0,
        _ => cost::estimate(&checked, &Device).max,
    };
    Ok(DeviceSelector { max_cost })
}

/// How large what a device has can be.
struct Device;

impl Sizes for Device {
    fn size(&self, path: &[Arc<str>], _: &Type) -> Option<Size> {
        let path: Vec<&str> = path.iter().map(|step| &**step).collect();
        let is_value = |step: &str| matches!(step, "@items" | "@values");
        let most = match path.as_slice() {
            ["device"] => 0,
            ["device", "driver"] => DRIVER,
            ["device", "allowMultipleAllocations"] => 1,
            ["device", "attributes" | "capacity"] => ENTRIES,
            ["device", "attributes" | "capacity", "@keys"] => DOMAIN,
            ["device", "attributes" | "capacity", domain] if is_value(domain) => ENTRIES,
            ["device", "attributes" | "capacity", domain, "@keys"] if is_value(domain) => NAME,
            // All attributes have one size, whatever their names are.
            ["device", "attributes", domain, name] if is_value(domain) && *name != "@keys" => ATTRIBUTE,
            ["device", "capacity", domain, name] if is_value(domain) && is_value(name) => 0,
            _ => return None,
        };
        Some(Size::between(0, most))
    }
}
