//! Whether a chart is made for a version of Kubernetes.

use crate::refusal::{Refusal, RefusalKind};
use trueline_sprig::semver::{Constraints, Prereleases, Version};

/// Whether the constraint of a chart allows a version: `normalized` is compared, `shown` is what the error says.
/// A constraint that cannot be read allows none.
pub fn check_kube_version(constraint: &str, normalized: &str, shown: &str) -> Result<(), Refusal> {
    let allows = || {
        let version = Version::parse(normalized).ok()?;
        let constraint = Constraints::parse(constraint).ok()?;
        Some(constraint.check(&version, Prereleases::Named))
    };
    if constraint.is_empty() || allows() == Some(true) {
        return Ok(());
    }
    let text =
        format!("chart requires kubeVersion: {constraint} which is incompatible with Kubernetes {shown}");
    Err(RefusalKind::Incompatible.of(text))
}

/// Whether a constraint can be read. Helm refuses every version where it cannot.
pub fn is_constraint(constraint: &str) -> bool {
    Constraints::parse(constraint).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_are_kept() {
        for constraint in ["", ">=1.21.0-0", ">=1.21.0", "^1.30", "~1.37.0 || <1"] {
            assert_eq!(check_kube_version(constraint, "v1.37.0", "v1.37.0"), Ok(()), "{constraint}");
        }
        for constraint in ["<1.20.0", "nonsense", ">1.37.0"] {
            let error = check_kube_version(constraint, "v1.37.0", "v1.37.0-gke.1").unwrap_err();
            assert_eq!(
                error.to_string(),
                format!(
                    "chart requires kubeVersion: {constraint} which is incompatible with Kubernetes v1.37.0-gke.1"
                )
            );
        }
    }
}
