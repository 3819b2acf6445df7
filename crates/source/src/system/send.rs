//! Requests to servers that say more than documents: with headers, a status, credentials and certificates.

use std::fmt;
use std::time::Duration;

use super::Network;

/// What a server is asked for.
#[derive(Debug, Clone)]
pub struct Request<'r> {
    /// The address, without a name and password.
    pub url: &'r str,
    /// Whether servers may be asked at all.
    pub network: Network,
    /// The value of an `Authorization` header.
    pub authorization: Option<Secret>,
    /// Whether other servers get it too, if this one redirects there.
    pub reach: Reach,
    /// Which kinds of content are welcome.
    pub accept: Option<&'static str>,
    /// Bytes that an answer may have.
    pub limit: u64,
    /// How long it may take, redirects included.
    pub patience: Duration,
    /// A form to be posted; without one it is a plain request.
    pub form: Option<Secret>,
    /// The certificates of the connection.
    pub certificates: &'r Certificates,
}

/// Which servers get credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The one that was asked.
    Server,
    /// All to which it redirects.
    Everyone,
}

/// A string that is shown nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(…)")
    }
}

/// The certificates of a connection.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Certificates {
    /// Who is trusted, in place of those that everybody trusts: PEM.
    pub authorities: Option<Vec<u8>>,
    /// The certificate and the key that we show: PEM.
    pub identity: Option<(Vec<u8>, Vec<u8>)>,
    /// Whether the certificate of the server is looked at.
    pub verification: Verification,
}

impl fmt::Debug for Certificates {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The key is a secret.
        formatter
            .debug_struct("Certificates")
            .field("verification", &self.verification)
            .finish_non_exhaustive()
    }
}

/// Whether the certificate of a server is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verification {
    /// It is.
    #[default]
    Done,
    /// It is not.
    Skipped,
}

/// What a server answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The status with its name, such as `404 Not Found`.
    pub status_text: String,
    /// Names and values of headers, those that are text.
    pub headers: Vec<(String, String)>,
    /// The document.
    pub body: Vec<u8>,
    /// Where the answer came from in the end.
    pub url: String,
}

impl Response {
    /// A header, whatever case its name is written in.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(own, _)| own.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.as_str())
    }
}

/// Follows how much of an answer has come.
pub trait Receiving {
    /// That there is so much to come, if that is known.
    fn begin(&self, length: Option<u64>);
    /// That so many bytes more have come.
    fn advance(&self, bytes: u64);
}

/// Follows nothing.
#[derive(Debug, Clone, Copy)]
pub struct Unfollowed;

impl Receiving for Unfollowed {
    fn begin(&self, _: Option<u64>) {}
    fn advance(&self, _: u64) {}
}

/// A request without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendError {
    /// The address, that of the last redirect. It may have a name and password in it.
    pub url: String,
    /// Why there is no answer.
    pub kind: SendErrorKind,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendErrorKind {
    /// The network is not to be used.
    Offline,
    /// The address is none, and why.
    Address(String),
    /// The certificates that were given cannot be used.
    Certificates(CertificateFault),
    /// A redirect is not followed.
    Redirect(RedirectFault),
    /// The answer is larger than this.
    TooLarge(u64),
    /// It took too long.
    TimedOut(Phase),
    /// Nobody listens at this host and port.
    ConnectionRefused(String),
    /// The server broke the connection.
    ConnectionReset,
    /// No way leads to this host and port.
    NoRoute(String),
    /// No host has this name.
    UnknownHost(String),
    /// The proxy did not connect.
    Proxy,
    /// No trusted connection could be made.
    Untrusted(TrustFault),
    /// The connection ended before an answer came.
    Ended,
    /// The connection ended before the answer was whole.
    CutShort,
    /// The answer is not proper HTTP.
    Malformed,
}

/// What was waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The head of the answer.
    Head,
    /// Its body.
    Body,
}

/// Why a redirect is not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectFault {
    /// It does not say where to.
    NoTarget,
    /// It leads to what is not an address.
    NoAddress,
    /// It leads to what is neither http nor https.
    Scheme,
    /// It leads to an address with a user name.
    UserName,
    /// It leads from https to http.
    Downgrade,
    /// There were as many before it as are followed.
    TooMany(usize),
}

/// What is wrong with certificates that were given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CertificateFault {
    /// There is no authority in the file.
    NoAuthority,
    /// There is no certificate, or no key.
    NoIdentity,
    /// The key belongs to another certificate.
    OtherKey,
    /// The library's own words for anything else.
    Library(String),
}

/// Why a connection is not trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustFault {
    /// The server shows the certificate of an authority.
    Authority,
    /// The server asks for a certificate of ours.
    CertificateRequired,
    /// Nobody who is trusted has signed the certificate.
    UnknownIssuer,
    /// The certificate is for another name.
    OtherName,
    /// The certificate has expired, or does not count yet.
    Expired,
    /// The server does not speak TLS.
    NotTls,
    /// Anything else.
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_secret_is_shown() {
        let certificates =
            Certificates { identity: Some((Vec::new(), b"KEY".to_vec())), ..Certificates::default() };
        let request = Request {
            url: "https://x/",
            network: Network::Allowed,
            authorization: Some(Secret("Basic bWU6cHc=".to_owned())),
            reach: Reach::Server,
            accept: None,
            limit: 1,
            patience: Duration::ZERO,
            form: Some(Secret("password=pw".to_owned())),
            certificates: &certificates,
        };
        let shown = format!("{request:?}");
        assert!(!shown.contains("bWU6") && !shown.contains("pw") && !shown.contains("75, 69"), "{shown}");
    }
}
