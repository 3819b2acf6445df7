//! The digest of lock files: whether they were made for the dependencies that a chart has now.

use trueline_gostd::hash::sha256_text;
use trueline_yaml::json::{KeyOrder, WriteOptions};
use trueline_yaml::{Data, Value, json};

use crate::chart::Dependency;

/// The digest of what a chart asks for together with what was chosen.
pub fn digest(wanted: &[Dependency], locked: &[Dependency]) -> String {
    of(&[list(wanted), list(locked)].into_iter().collect())
}

/// The digest that Helm 2 wrote: that of what a chart asks for.
pub fn digest_of_helm2(wanted: &[Dependency]) -> String {
    of(&[("dependencies", list(wanted))].into_iter().collect())
}

fn of(value: &Value) -> String {
    let options = WriteOptions { order: KeyOrder::Given, ..WriteOptions::default() };
    format!("sha256:{}", sha256_text(json::write(value, options).unwrap_or_default().as_bytes()))
}

fn list(dependencies: &[Dependency]) -> Value {
    match dependencies {
        [] => Value::new(Data::Null),
        dependencies => dependencies.iter().map(Dependency::to_value).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_helm() {
        let wanted = Dependency {
            name: "loc".into(),
            version: "~0.3.0".into(),
            repository: "file://../loc".into(),
            ..Dependency::default()
        };
        let locked = Dependency { version: "0.3.1".into(), ..wanted.clone() };
        assert_eq!(
            digest(std::slice::from_ref(&wanted), std::slice::from_ref(&locked)),
            format!(
                "sha256:{}",
                sha256_text(
                    br#"[[{"name":"loc","version":"~0.3.0","repository":"file://../loc"}],[{"name":"loc","version":"0.3.1","repository":"file://../loc"}]]"#
                )
            )
        );
        assert_eq!(
            digest_of_helm2(&[wanted]),
            format!(
                "sha256:{}",
                sha256_text(
                    br#"{"dependencies":[{"name":"loc","version":"~0.3.0","repository":"file://../loc"}]}"#
                )
            )
        );
        assert_eq!(digest(&[], &[]), format!("sha256:{}", sha256_text(b"[null,null]")));
    }
}
