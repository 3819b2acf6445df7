//! Who logs in to a registry: the flags, then Helm's file, then Docker's.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use trueline_helm::repository::oci::{Credentials, RegistryConfig, Stored};

use super::Remote;
use crate::world::World;

/// How long a program that keeps credentials may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// Bytes of what it says.
const LARGEST_ANSWER: usize = 64 << 10;

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
    let mut command = Command::new(format!("docker-credential-{name}"));
    command.arg("get").env_clear().envs(world.environment()).current_dir(world.directory());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    child.stdin.take()?.write_all(registry.as_bytes()).ok()?;
    let output = child.stdout.take()?;
    let reader = std::thread::spawn(move || {
        let mut said = Vec::new();
        let mut limited = std::io::Read::take(output, LARGEST_ANSWER as u64);
        std::io::Read::read_to_end(&mut limited, &mut said).ok().map(|_| said)
    });
    let start = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if start.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(10)),
            _ => {
                // It is ours, and has had its time.
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    };
    let said = reader.join().ok().flatten().filter(|_| status.success())?;
    let answer: serde_json::Value = serde_json::from_slice(&said).ok()?;
    let text = |key: &str| answer.get(key).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
    let (username, secret) = (text("Username"), text("Secret"));
    Some(match username.as_str() {
        // So it is told that the secret is a token.
        "<token>" => Credentials { refresh_token: secret, ..Credentials::default() },
        _ => Credentials { username, password: secret, ..Credentials::default() },
    })
}
