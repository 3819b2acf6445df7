//! Requests for charts: bounded in size, time and redirects. Credentials go to the server that they were given for
//! and to no other, and are shown nowhere. Errors are in the words of Go's HTTP client, which scripts around Helm
//! know.

use std::fmt;
use std::io::{self, Read};
use std::time::{Duration, Instant};

use trueline_diagnostic::Code;
use trueline_helm::quote;
use trueline_helm::repository::{OFFLINE, REDIRECT, TOO_LARGE};
use ureq::http::{HeaderMap, Response, header};
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{ConnectProxyConnector, Connector, TcpConnector};
use ureq::{Agent, Body};
use url::Url;

use crate::certificates::{self, Secured};
use crate::http::{agent_config, shown};
use crate::progress::Progress;

/// How many redirects are followed.
const REDIRECTS: usize = 10;
/// The longest silence of a server.
const SILENCE: Duration = Duration::from_secs(30);
/// Bytes that are read at a time.
const PIECE: usize = 64 << 10;

/// What is asked for.
#[derive(Debug, Clone)]
pub(crate) struct Ask<'a> {
    /// Without a name and password.
    pub(crate) url: &'a str,
    /// The value of an `Authorization` header.
    pub(crate) authorization: Option<Secret>,
    /// Whether other servers get it too, if this one redirects there.
    pub(crate) reach: Reach,
    /// Which kinds of content are welcome.
    pub(crate) accept: Option<&'static str>,
    /// Bytes that an answer may have.
    pub(crate) limit: u64,
    /// A form to be posted; without one it is a plain request.
    pub(crate) form: Option<Secret>,
}

/// Which servers get credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The one that was asked.
    Server,
    /// All to which it redirects.
    Everyone,
}

/// A string that is shown nowhere.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(pub(crate) String);

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(…)")
    }
}

/// What a server answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// The status with its name, such as `404 Not Found`.
    pub(crate) status_text: String,
    headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    /// Where the answer came from in the end.
    pub(crate) url: String,
}

impl Answer {
    /// A header.
    pub(crate) fn header(&self, name: &header::HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Whether it is a web page, whatever was asked for.
    pub(crate) fn is_web_page(&self) -> bool {
        let mime = self.header(&header::CONTENT_TYPE).unwrap_or_default().to_ascii_lowercase();
        crate::http::is_web_page(mime.split(';').next().unwrap_or_default().trim(), &self.body)
    }
}

/// The certificates of a connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tls {
    /// Who is trusted, in place of those that everybody trusts: PEM.
    pub(crate) authorities: Option<Vec<u8>>,
    /// The certificate and the key that we show: PEM.
    pub(crate) identity: Option<(Vec<u8>, Vec<u8>)>,
    pub(crate) verification: Verification,
}

/// Whether the certificate of a server is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Verification {
    #[default]
    Done,
    Skipped,
}

/// Sends requests.
pub(crate) trait Transport: fmt::Debug {
    /// The answer, or in Go's words why there is none.
    fn send(&self, ask: &Ask<'_>, tls: &Tls, total: Duration, progress: &Progress) -> Result<Answer, String>;
}

/// A transport that sends nothing.
#[derive(Debug)]
pub(crate) struct Closed;

impl Transport for Closed {
    fn send(&self, ask: &Ask<'_>, _: &Tls, _: Duration, _: &Progress) -> Result<Answer, String> {
        let words = coded("it would have to be fetched, and the network is not to be used", &OFFLINE);
        Err(failed(ask.url, &words))
    }
}

/// A transport over the network.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) proxy: fn() -> Option<ureq::Proxy>,
}

impl Transport for Open {
    fn send(&self, ask: &Ask<'_>, tls: &Tls, total: Duration, progress: &Progress) -> Result<Answer, String> {
        let deadline = Instant::now() + total;
        let agent = self.agent(tls, total)?;
        let mut url = Url::parse(ask.url).map_err(|error| failed(ask.url, &error.to_string()))?;
        let origin = url.origin();
        for _ in 0..REDIRECTS {
            let gets_credentials = ask.reach == Reach::Everyone || url.origin() == origin;
            let authorization = ask.authorization.as_ref().filter(|_| gets_credentials);
            let response = request(&agent, ask, &url, authorization, deadline)?;
            if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) || ask.form.is_some() {
                return read(ask, &url, response, progress);
            }
            let location = response.headers().get(header::LOCATION).and_then(|value| value.to_str().ok());
            let Some(location) = location else {
                return Err(failed(url.as_str(), "it redirects, but does not say where to"));
            };
            let next = url
                .join(location)
                .map_err(|_| failed(url.as_str(), &coded("it redirects to what is no address", &REDIRECT)))?;
            follow(&url, &next).map_err(|words| failed(url.as_str(), &coded(words, &REDIRECT)))?;
            url = next;
        }
        Err(failed(url.as_str(), &format!("stopped after {REDIRECTS} redirects")))
    }
}

impl Open {
    fn agent(&self, tls: &Tls, total: Duration) -> Result<Agent, String> {
        let silence = SILENCE.min(total);
        let config = agent_config(silence, (self.proxy)())
            // Archives are compressed already, and their sums are those of what was sent.
            .accept_encoding("identity")
            .build();
        let connector = ConnectProxyConnector::default()
            .chain(TcpConnector::default())
            .chain(Secured(certificates::config(tls)?));
        Ok(Agent::with_parts(config, connector, DefaultResolver::default()))
    }
}

/// Whether a redirect may be followed.
fn follow(from: &Url, to: &Url) -> Result<(), &'static str> {
    if !matches!(to.scheme(), "http" | "https") {
        return Err("it redirects to what is neither http nor https");
    }
    if !to.username().is_empty() || to.password().is_some() {
        return Err("it redirects to an address with a user name");
    }
    if from.scheme() == "https" && to.scheme() == "http" {
        return Err("it redirects from https to plain http, which is not followed");
    }
    Ok(())
}

fn request(
    agent: &Agent,
    ask: &Ask<'_>,
    url: &Url,
    authorization: Option<&Secret>,
    deadline: Instant,
) -> Result<Response<Body>, String> {
    // A time limit of nothing would mean no limit.
    let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
    let mut headers: Vec<(header::HeaderName, &str)> = Vec::new();
    headers.extend(authorization.map(|secret| (header::AUTHORIZATION, secret.0.as_str())));
    headers.extend(ask.accept.map(|accept| (header::ACCEPT, accept)));
    let sent = match &ask.form {
        None => {
            let request = agent.get(url.as_str());
            let request = headers.iter().fold(request, |request, (name, value)| request.header(name, *value));
            request.config().timeout_global(Some(left)).build().call()
        }
        Some(form) => {
            let request = agent.post(url.as_str()).content_type("application/x-www-form-urlencoded");
            let request = headers.iter().fold(request, |request, (name, value)| request.header(name, *value));
            request.config().timeout_global(Some(left)).build().send(form.0.as_str())
        }
    };
    sent.map_err(|error| failed(url.as_str(), &words(&error, url, "while awaiting headers")))
}

/// Reads the body of an answer.
fn read(
    ask: &Ask<'_>,
    url: &Url,
    mut response: Response<Body>,
    progress: &Progress,
) -> Result<Answer, String> {
    let status = response.status();
    let too_large = || {
        let words = format!("{} is larger than {} bytes", shown(ask.url), ask.limit);
        coded(&words, &TOO_LARGE)
    };
    let length = response.body().content_length();
    if length.is_some_and(|length| length > ask.limit) {
        return Err(too_large());
    }
    progress.begin(length);
    let mut body = Vec::new();
    let mut piece = vec![0; PIECE];
    let mut reader = response.body_mut().as_reader().take(ask.limit.saturating_add(1));
    loop {
        match reader.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => {
                body.extend_from_slice(piece.get(..count).unwrap_or_default());
                progress.advance(count as u64);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(url.as_str(), &broken(error, url))),
        }
    }
    if body.len() as u64 > ask.limit {
        return Err(too_large());
    }
    Ok(Answer {
        status: status.as_u16(),
        status_text: status.to_string(),
        headers: response.headers().clone(),
        body,
        url: url.to_string(),
    })
}

/// What is said of an answer that ends before its length.
pub(crate) const CUT_SHORT: &str = "unexpected EOF";

fn broken(error: io::Error, url: &Url) -> String {
    const READING: &str = "or context cancellation while reading body";
    if matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock) {
        return timed_out(READING);
    }
    match error.downcast::<ureq::Error>() {
        Ok(error @ ureq::Error::Timeout(_)) => words(&error, url, READING),
        _ => CUT_SHORT.to_owned(),
    }
}

fn timed_out(when: &str) -> String {
    let joined = if when.starts_with("while") { "exceeded " } else { "" };
    format!("context deadline exceeded (Client.Timeout {joined}{when})")
}

/// What went wrong, in Go's words. The library's own are not shown: they may hold a proxy's address.
fn words(error: &ureq::Error, url: &Url, when: &str) -> String {
    use ureq::Error as E;
    let host = url.host_str().unwrap_or_default();
    let address = format!("{host}:{}", url.port_or_known_default().unwrap_or_default());
    match error {
        E::Timeout(_) => timed_out(when),
        E::Io(error) => match error.kind() {
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => timed_out(when),
            io::ErrorKind::ConnectionRefused => format!("dial tcp {address}: connect: connection refused"),
            io::ErrorKind::ConnectionReset => "read: connection reset by peer".to_owned(),
            io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable => {
                format!("dial tcp {address}: connect: no route to host")
            }
            io::ErrorKind::InvalidData => tls_words(&error.to_string()),
            _ if error.to_string().contains("lookup") => format!("dial tcp: lookup {host}: no such host"),
            _ => "EOF".to_owned(),
        },
        E::HostNotFound => format!("dial tcp: lookup {host}: no such host"),
        E::ConnectionFailed => format!("dial tcp {address}: connect: connection refused"),
        E::ConnectProxyFailed(_) | E::InvalidProxyUrl => {
            "proxyconnect tcp: the proxy did not connect".to_owned()
        }
        E::Rustls(error) => tls_words(&error.to_string()),
        E::Tls(_) | E::Pem(_) | E::TlsRequired => tls_words(""),
        _ => "malformed HTTP response".to_owned(),
    }
}

fn tls_words(detail: &str) -> String {
    const VERIFY: &str = "tls: failed to verify certificate: x509:";
    if detail.contains("CaUsedAsEndEntity") {
        format!(
            "{VERIFY} the server shows the certificate of an authority, and not one that an authority signed for it"
        )
    } else if detail.contains("CertificateRequired") {
        "remote error: tls: certificate required".to_owned()
    } else if detail.contains("UnknownIssuer") {
        format!("{VERIFY} certificate signed by unknown authority")
    } else if detail.contains("not valid for name") || detail.contains("NotValidForName") {
        format!("{VERIFY} certificate is not valid for this name")
    } else if detail.contains("expired") || detail.contains("Expired") {
        format!("{VERIFY} certificate has expired or is not yet valid")
    } else if detail.contains("corrupt message") || detail.contains("InvalidContentType") {
        "tls: first record does not look like a TLS handshake".to_owned()
    } else {
        "tls: no trusted connection could be made".to_owned()
    }
}

/// An error as Go's client puts it before an answer has come.
fn failed(url: &str, words: &str) -> String {
    format!("Get {}: {words}", quote(shown(url)))
}

/// Words of our own, with the code that explains them.
pub(crate) fn coded(words: &str, code: &Code) -> String {
    format!("{words} ({})", code.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_are_followed_with_care() {
        let url = |text: &str| Url::parse(text).unwrap();
        let from = url("https://x.example/a");
        assert_eq!(follow(&from, &url("https://y.example/")), Ok(()));
        for to in ["http://x.example/a", "file:///etc/passwd", "https://me:pw@x.example/"] {
            assert!(follow(&from, &url(to)).is_err(), "{to}");
        }
        assert_eq!(follow(&url("http://x.example"), &url("http://y.example")), Ok(()));
    }

    #[test]
    fn certificates_that_are_none_are_refused() {
        let tls = Tls { authorities: Some(b"junk".to_vec()), ..Tls::default() };
        assert_eq!(
            certificates::config(&tls).err().as_deref(),
            Some("can't create TLS config for client: failed to append certificates from pem block")
        );
        let tls = Tls { identity: Some((b"junk".to_vec(), b"junk".to_vec())), ..Tls::default() };
        assert!(certificates::config(&tls).is_err());
        assert!(certificates::config(&Tls { verification: Verification::Skipped, ..Tls::default() }).is_ok());
    }

    #[test]
    fn what_is_wrong_with_a_certificate_is_said() {
        for (detail, words) in [
            ("invalid peer certificate: UnknownIssuer", "certificate signed by unknown authority"),
            ("invalid peer certificate: certificate not valid for name \"x\"", "not valid for this name"),
            ("invalid peer certificate: Other(OtherError(CaUsedAsEndEntity))", "certificate of an authority"),
            ("invalid peer certificate: certificate expired: verification time", "has expired"),
            ("received fatal alert: CertificateRequired", "certificate required"),
            ("received corrupt message of type InvalidContentType", "does not look like a TLS handshake"),
            ("something else", "no trusted connection"),
        ] {
            assert!(tls_words(detail).contains(words), "{detail}: {}", tls_words(detail));
        }
    }

    #[test]
    fn nothing_secret_is_shown() {
        let ask = Ask {
            url: "http://me:pw@127.0.0.1:1/x",
            authorization: Some(Secret("Basic bWU6cHc=".to_owned())),
            reach: Reach::Server,
            accept: None,
            limit: 1,
            form: None,
        };
        assert!(!format!("{ask:?}").contains("bWU6"));
        let error = Closed.send(&ask, &Tls::default(), Duration::from_secs(1), &Progress::hidden());
        let error = error.unwrap_err();
        assert!(
            error.starts_with("Get \"http://…@127.0.0.1:1/x\": ") && error.ends_with("(TL1103)"),
            "{error}"
        );
    }
}
