//! Requests over the network: bounded in size, time and redirects. Credentials go to the server that they were given for
//! and to no other.

use std::io::{self, Read};
use std::time::{Duration, Instant};

use trueline_source::{
    Phase, Reach, Receiving, RedirectFault, Request, Response, Secret, SendError, SendErrorKind, TrustFault,
};
use ureq::http::{self, header};
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{ConnectProxyConnector, Connector, TcpConnector};
use ureq::{Agent, Body};
use url::Url;

use crate::certificates::{self, Secured};
use crate::http::agent_config;

/// How many redirects are followed.
const REDIRECTS: usize = 10;
/// The longest silence of a server.
const SILENCE: Duration = Duration::from_secs(30);
/// Bytes that are read at a time.
const PIECE: usize = 64 << 10;

/// Sends a request through a proxy, if there is one.
pub(crate) fn send(
    request: &Request<'_>,
    receiving: &dyn Receiving,
    proxy: Option<ureq::Proxy>,
) -> Result<Response, SendError> {
    let deadline = Instant::now() + request.patience;
    let mut url = request.url.to_owned();
    let sent = follow_all(request, receiving, proxy, deadline, &mut url);
    sent.map_err(|kind| SendError { url, kind })
}

/// Sends a request, and follows redirects. `at` is the address that was asked last.
fn follow_all(
    request: &Request<'_>,
    receiving: &dyn Receiving,
    proxy: Option<ureq::Proxy>,
    deadline: Instant,
    at: &mut String,
) -> Result<Response, SendErrorKind> {
    let agent = agent(request, proxy)?;
    let mut url = Url::parse(request.url).map_err(|error| SendErrorKind::Address(error.to_string()))?;
    let origin = url.origin();
    for _ in 0..REDIRECTS {
        *at = url.to_string();
        let gets_credentials = request.reach == Reach::Everyone || url.origin() == origin;
        let authorization = request.authorization.as_ref().filter(|_| gets_credentials);
        let response = ask(&agent, request, &url, authorization, deadline)?;
        if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) || request.form.is_some() {
            return read(request, &url, response, receiving).map_err(|kind| {
                if matches!(kind, SendErrorKind::TooLarge(_)) {
                    request.url.clone_into(at);
                }
                kind
            });
        }
        let location = response.headers().get(header::LOCATION).and_then(|value| value.to_str().ok());
        let location = location.ok_or(SendErrorKind::Redirect(RedirectFault::NoTarget))?;
        let next = url.join(location).map_err(|_| SendErrorKind::Redirect(RedirectFault::NoAddress))?;
        follow(&url, &next).map_err(SendErrorKind::Redirect)?;
        url = next;
    }
    *at = url.to_string();
    Err(SendErrorKind::Redirect(RedirectFault::TooMany(REDIRECTS)))
}

fn agent(request: &Request<'_>, proxy: Option<ureq::Proxy>) -> Result<Agent, SendErrorKind> {
    let config = agent_config(SILENCE.min(request.patience), proxy)
        // Archives are compressed already, and their sums are those of what was sent.
        .accept_encoding("identity")
        .build();
    let secured = certificates::config(request.certificates).map_err(SendErrorKind::Certificates)?;
    let connector = ConnectProxyConnector::default().chain(TcpConnector::default()).chain(Secured(secured));
    Ok(Agent::with_parts(config, connector, DefaultResolver::default()))
}

/// Whether a redirect may be followed.
fn follow(from: &Url, to: &Url) -> Result<(), RedirectFault> {
    if !matches!(to.scheme(), "http" | "https") {
        return Err(RedirectFault::Scheme);
    }
    if !to.username().is_empty() || to.password().is_some() {
        return Err(RedirectFault::UserName);
    }
    if from.scheme() == "https" && to.scheme() == "http" {
        return Err(RedirectFault::Downgrade);
    }
    Ok(())
}

fn ask(
    agent: &Agent,
    asked: &Request<'_>,
    url: &Url,
    authorization: Option<&Secret>,
    deadline: Instant,
) -> Result<http::Response<Body>, SendErrorKind> {
    // A time limit of nothing would mean no limit.
    let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
    let mut headers: Vec<(header::HeaderName, &str)> = Vec::new();
    headers.extend(authorization.map(|secret| (header::AUTHORIZATION, secret.0.as_str())));
    headers.extend(asked.accept.map(|accept| (header::ACCEPT, accept)));
    let sent = match &asked.form {
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
    sent.map_err(|error| failure(&error, url, Phase::Head))
}

/// Reads the body of an answer.
fn read(
    request: &Request<'_>,
    url: &Url,
    mut response: http::Response<Body>,
    receiving: &dyn Receiving,
) -> Result<Response, SendErrorKind> {
    let status = response.status();
    let length = response.body().content_length();
    if length.is_some_and(|length| length > request.limit) {
        return Err(SendErrorKind::TooLarge(request.limit));
    }
    receiving.begin(length);
    let mut body = Vec::new();
    let mut piece = vec![0; PIECE];
    let mut reader = response.body_mut().as_reader().take(request.limit.saturating_add(1));
    loop {
        match reader.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => {
                body.extend_from_slice(piece.get(..count).unwrap_or_default());
                receiving.advance(count as u64);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(broken(error, url)),
        }
    }
    if body.len() as u64 > request.limit {
        return Err(SendErrorKind::TooLarge(request.limit));
    }
    let text = |(name, value): (&header::HeaderName, &header::HeaderValue)| {
        Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
    };
    Ok(Response {
        status: status.as_u16(),
        status_text: status.to_string(),
        headers: response.headers().iter().filter_map(text).collect(),
        body,
        url: url.to_string(),
    })
}

/// Why a body ends before its length.
fn broken(error: io::Error, url: &Url) -> SendErrorKind {
    if matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock) {
        return SendErrorKind::TimedOut(Phase::Body);
    }
    match error.downcast::<ureq::Error>() {
        Ok(error @ ureq::Error::Timeout(_)) => failure(&error, url, Phase::Body),
        _ => SendErrorKind::CutShort,
    }
}

/// What went wrong. The library's own words are not kept: they may hold a proxy's address.
fn failure(error: &ureq::Error, url: &Url, phase: Phase) -> SendErrorKind {
    use ureq::Error as E;
    let host = url.host_str().unwrap_or_default();
    let address = || format!("{host}:{}", url.port_or_known_default().unwrap_or_default());
    match error {
        E::Timeout(_) => SendErrorKind::TimedOut(phase),
        E::Io(error) => match error.kind() {
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => SendErrorKind::TimedOut(phase),
            io::ErrorKind::ConnectionRefused => SendErrorKind::ConnectionRefused(address()),
            io::ErrorKind::ConnectionReset => SendErrorKind::ConnectionReset,
            io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable => {
                SendErrorKind::NoRoute(address())
            }
            io::ErrorKind::InvalidData => SendErrorKind::Untrusted(trust_fault(&error.to_string())),
            _ if error.to_string().contains("lookup") => SendErrorKind::UnknownHost(host.to_owned()),
            _ => SendErrorKind::Ended,
        },
        E::HostNotFound => SendErrorKind::UnknownHost(host.to_owned()),
        E::ConnectionFailed => SendErrorKind::ConnectionRefused(address()),
        E::ConnectProxyFailed(_) | E::InvalidProxyUrl => SendErrorKind::Proxy,
        E::Rustls(error) => SendErrorKind::Untrusted(trust_fault(&error.to_string())),
        E::Tls(_) | E::Pem(_) | E::TlsRequired => SendErrorKind::Untrusted(TrustFault::Other),
        _ => SendErrorKind::Malformed,
    }
}

/// What is wrong with a certificate. The library wraps its errors in those of the system, which keep only its words.
fn trust_fault(detail: &str) -> TrustFault {
    if detail.contains("CaUsedAsEndEntity") {
        TrustFault::Authority
    } else if detail.contains("CertificateRequired") {
        TrustFault::CertificateRequired
    } else if detail.contains("UnknownIssuer") {
        TrustFault::UnknownIssuer
    } else if detail.contains("not valid for name") || detail.contains("NotValidForName") {
        TrustFault::OtherName
    } else if detail.contains("expired") || detail.contains("Expired") {
        TrustFault::Expired
    } else if detail.contains("corrupt message") || detail.contains("InvalidContentType") {
        TrustFault::NotTls
    } else {
        TrustFault::Other
    }
}

#[cfg(test)]
mod tests {
    use trueline_helm::repository::unanswered;
    use trueline_source::{CertificateFault, Certificates, Verification};

    use super::*;

    #[test]
    fn redirects_are_followed_with_care() {
        let url = |text: &str| Url::parse(text).unwrap();
        let from = url("https://x.example/a");
        assert_eq!(follow(&from, &url("https://y.example/")), Ok(()));
        for (to, fault) in [
            ("http://x.example/a", RedirectFault::Downgrade),
            ("file:///etc/passwd", RedirectFault::Scheme),
            ("https://me:pw@x.example/", RedirectFault::UserName),
        ] {
            assert_eq!(follow(&from, &url(to)), Err(fault), "{to}");
        }
        assert_eq!(follow(&url("http://x.example"), &url("http://y.example")), Ok(()));
    }

    #[test]
    fn certificates_that_are_none_are_refused() {
        let given = Certificates { authorities: Some(b"junk".to_vec()), ..Certificates::default() };
        assert_eq!(certificates::config(&given).err(), Some(CertificateFault::NoAuthority));
        let given =
            Certificates { identity: Some((b"junk".to_vec(), b"junk".to_vec())), ..Certificates::default() };
        assert_eq!(certificates::config(&given).err(), Some(CertificateFault::NoIdentity));
        let given = Certificates { verification: Verification::Skipped, ..Certificates::default() };
        assert!(certificates::config(&given).is_ok());
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
            let kind = SendErrorKind::Untrusted(trust_fault(detail));
            let said = unanswered(&SendError { url: "https://x/".to_owned(), kind });
            assert!(said.contains(words), "{detail}: {said}");
        }
    }
}
