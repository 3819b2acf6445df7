//! Who logs in to a registry: the flags, then Helm's file, then Docker's.

use std::path::Path;
use std::time::Duration;

use trueline_helm::repository::oci::{Credentials, RegistryConfig, Stored};
use trueline_source::{Ending, Finished, Program};

use super::Remote;
use crate::world::World;

/// How long a program that keeps credentials may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// Bytes of what it says.
const LARGEST_ANSWER: u64 = 64 << 10;

impl Remote {
    /// What is known about a registry.
    pub(super) fn credentials(&self, registry: &str, world: &World) -> Option<Credentials> {
        let options = &self.options;
        if !options.username.is_empty() && !options.password.0.is_empty() {
            return Some(Credentials {
                username: options.username.clone(),
                password: options.password.0.clone(),
                ..Credentials::default()
            });
        }
        let docker = world.non_empty_variable("DOCKER_CONFIG").unwrap_or_else(|| {
            let home = world.variable("HOME").unwrap_or_default();
            format!("{home}/.docker")
        });
        let files = [self.paths.registry.clone(), format!("{docker}/config.json")];
        files.iter().find_map(|file| {
            let config = RegistryConfig::read(&world.read_file(file).ok()?);
            match config.get(registry)? {
                Stored::Here(found) => Some(found),
                Stored::Helper(name) => ask(&name, registry, world),
            }
        })
    }
}

/// Asks a program that keeps credentials. One that does not answer as it should knows nothing.
fn ask(name: &str, registry: &str, world: &World) -> Option<Credentials> {
    let program = format!("docker-credential-{name}");
    let program = Program {
        path: Path::new(&program),
        arguments: &["get".to_owned()],
        variables: &[],
        input: registry.as_bytes(),
        patience: Some(PATIENCE),
        most: LARGEST_ANSWER,
    };
    let Finished { ending, output: said, .. } = world.system().run(&program).ok()?;
    if ending != Ending::Code(0) {
        return None;
    }
    let answer: serde_json::Value = serde_json::from_slice(&said).ok()?;
    let text = |key: &str| answer.get(key).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
    let (username, secret) = (text("Username"), text("Secret"));
    Some(match username.as_str() {
        // This says that the secret is a token.
        "<token>" => Credentials { refresh_token: secret, ..Credentials::default() },
        _ => Credentials { username, password: secret, ..Credentials::default() },
    })
}
