//! What is needed to reach a server: who logs in, with which certificates, for how long.

use std::fmt;
use std::time::Duration;

use trueline_helm::quote;
use trueline_helm::repository::Repository;
use trueline_helm::repository::authorization::{basic, same_server, split_user};
use trueline_source::{Certificates, Network, Reach, Secret, TypedReadError, Verification};

use super::super::flag::{Flag, Parsed};
use crate::world::World;

/// Helm gives a server this long.
const PATIENCE: Duration = Duration::from_secs(120);

/// The flags about reaching a server.
pub(crate) const FLAGS: &[Flag] = &[
    Flag::text("username", "the user name for the repository or registry"),
    Flag::text("password", "the password for it"),
    Flag::text("cert-file", "the certificate to show to the server (PEM)"),
    Flag::text("key-file", "the key of that certificate (PEM)"),
    Flag::text("ca-file", "the authorities to trust, in place of the usual ones (PEM)"),
    Flag::switch("insecure-skip-tls-verify", "do not verify the certificate of the server"),
    Flag::switch("plain-http", "talk to registries without https"),
];

/// What the flags say.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) username: String,
    pub(crate) password: Secret,
    pub(crate) pass_credentials: bool,
    pub(crate) cert_file: String,
    pub(crate) key_file: String,
    pub(crate) ca_file: String,
    pub(crate) insecure: bool,
    pub(crate) plain_http: bool,
    pub(crate) network: Network,
    /// How long a server may take for one answer.
    pub(crate) patience: Duration,
}

impl Options {
    pub(super) fn new(parsed: &Parsed, world: &World) -> Self {
        let text = |name: &str| parsed.text_or_empty(name).to_owned();
        let seconds = world.variable("TRUELINE_TIMEOUT").and_then(|text| text.trim().parse::<f64>().ok());
        let chosen = seconds.filter(|seconds| (0.001..1e6).contains(seconds)).map(Duration::from_secs_f64);
        Options {
            username: text("username"),
            password: Secret(text("password")),
            pass_credentials: parsed.is_on("pass-credentials"),
            cert_file: text("cert-file"),
            key_file: text("key-file"),
            ca_file: text("ca-file"),
            insecure: parsed.is_on("insecure-skip-tls-verify"),
            plain_http: parsed.is_on("plain-http"),
            network: if parsed.is_on("offline") { Network::Offline } else { Network::Allowed },
            patience: chosen.unwrap_or(PATIENCE),
        }
    }

    /// The access that the flags give to a server.
    pub(crate) fn access(&self, address: &str) -> Access {
        Access {
            address: address.to_owned(),
            username: self.username.clone(),
            password: self.password.clone(),
            reach: if self.pass_credentials { Reach::Everyone } else { Reach::Server },
            cert_file: self.cert_file.clone(),
            key_file: self.key_file.clone(),
            ca_file: self.ca_file.clone(),
            insecure: self.insecure,
        }
    }
}

/// Who logs in to which server, and with which certificates.
#[derive(Debug, Clone)]
pub(crate) struct Access {
    /// An address of the server that the credentials are for.
    pub(crate) address: String,
    pub(crate) username: String,
    pub(crate) password: Secret,
    pub(crate) reach: Reach,
    cert_file: String,
    key_file: String,
    ca_file: String,
    insecure: bool,
}

impl Access {
    /// The access that was given when a repository was added.
    pub(crate) fn of(repository: &Repository) -> Self {
        Access {
            address: repository.url.clone(),
            username: repository.username.clone(),
            password: Secret(repository.password.clone()),
            reach: if repository.pass_credentials_all { Reach::Everyone } else { Reach::Server },
            cert_file: repository.cert_file.clone(),
            key_file: repository.key_file.clone(),
            ca_file: repository.ca_file.clone(),
            insecure: repository.insecure_skip_tls_verify,
        }
    }

    /// What a repository was added with, over what the flags say.
    pub(crate) fn over(mut self, flags: &Access) -> Self {
        if self.username.is_empty() || self.password.0.is_empty() {
            self.username = flags.username.clone();
            self.password = flags.password.clone();
            self.reach = flags.reach;
        }
        if self.cert_file.is_empty() && self.key_file.is_empty() && self.ca_file.is_empty() {
            self.cert_file = flags.cert_file.clone();
            self.key_file = flags.key_file.clone();
            self.ca_file = flags.ca_file.clone();
        }
        self.insecure |= flags.insecure;
        self
    }

    /// The address without a name and password, and the header for those who get one.
    pub(super) fn authorize(&self, url: &str) -> (String, Option<Secret>) {
        let (plain, user) = split_user(url);
        let (server, _) = split_user(&self.address);
        let is_for_it = self.reach == Reach::Everyone || same_server(&server, &plain);
        let header = if is_for_it && !self.username.is_empty() && !self.password.0.is_empty() {
            Some(basic(&self.username, &self.password.0))
        } else {
            user.map(|(name, password)| basic(&name, &password))
        };
        (plain, header.map(Secret))
    }

    /// The certificates.
    pub(crate) fn certificates(&self, world: &World) -> Result<Certificates, UnreadCertificates> {
        let read =
            |file: &str, what| world.read_file(file).map_err(|error| UnreadCertificates { what, error });
        let identity = if self.cert_file.is_empty() || self.key_file.is_empty() {
            None
        } else {
            let certificate = read(&self.cert_file, "unable to read cert file")?;
            Some((certificate, read(&self.key_file, "unable to read key file")?))
        };
        let authorities = match self.ca_file.as_str() {
            "" => None,
            file => Some(read(file, "can't read CA file")?),
        };
        let verification = if self.insecure { Verification::Skipped } else { Verification::Done };
        Ok(Certificates { authorities, identity, verification })
    }
}

/// A file of certificates that cannot be read.
#[derive(Debug)]
pub(crate) struct UnreadCertificates {
    /// What failed, in Helm's words.
    what: &'static str,
    error: TypedReadError,
}

impl fmt::Display for UnreadCertificates {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnreadCertificates { what, error } = self;
        write!(formatter, "can't create TLS config for client: {what}: {}: {error}", quote(&error.typed))
    }
}

impl From<UnreadCertificates> for String {
    fn from(error: UnreadCertificates) -> Self {
        error.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_for_one_server_only() {
        let repository = Repository {
            url: "https://x.example/charts".to_owned(),
            username: "me".to_owned(),
            password: "pw".to_owned(),
            ..Repository::default()
        };
        let mut access = Access::of(&repository);
        let header = |access: &Access, url: &str| access.authorize(url).1.map(|secret| secret.0);
        let basic = Some("Basic bWU6cHc=".to_owned());
        assert_eq!(header(&access, "https://x.example/charts/a.tgz"), basic);
        for other in ["https://y.example/a.tgz", "http://x.example/a.tgz", "https://x.example:8443/a.tgz"] {
            assert_eq!(header(&access, other), None, "{other}");
        }
        access.reach = Reach::Everyone;
        assert_eq!(header(&access, "https://y.example/a.tgz"), basic);
        access.username.clear();
        assert_eq!(
            access.authorize("https://me:pw@y.example/a"),
            ("https://y.example/a".to_owned(), basic.map(Secret))
        );
    }
}
