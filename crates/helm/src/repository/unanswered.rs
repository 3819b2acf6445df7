//! What is said of a request without an answer: the words of Go's HTTP client, which scripts around Helm know.

use trueline_diagnostic::{Code, shown_address};
use trueline_source::{CertificateFault, Phase, RedirectFault, SendError, SendErrorKind, TrustFault};

use super::{OFFLINE, REDIRECT, TOO_LARGE};
use crate::quote;

/// What is said of an answer that ends before its length.
pub const CUT_SHORT: &str = "unexpected EOF";

/// Why there is no answer.
pub fn unanswered(error: &SendError) -> String {
    let words = match &error.kind {
        SendErrorKind::TooLarge(limit) => {
            let words = format!("{} is larger than {limit} bytes", shown_address(&error.url));
            return coded(&words, &TOO_LARGE);
        }
        SendErrorKind::Certificates(fault) => return unusable(fault),
        SendErrorKind::Offline => {
            coded("it would have to be fetched, and the network is not to be used", &OFFLINE)
        }
        SendErrorKind::Address(wrong) => wrong.clone(),
        SendErrorKind::Redirect(fault) => redirect(*fault),
        SendErrorKind::TimedOut(Phase::Head) => {
            "context deadline exceeded (Client.Timeout exceeded while awaiting headers)".to_owned()
        }
        SendErrorKind::TimedOut(Phase::Body) => {
            "context deadline exceeded (Client.Timeout or context cancellation while reading body)".to_owned()
        }
        SendErrorKind::ConnectionRefused(address) => {
            format!("dial tcp {address}: connect: connection refused")
        }
        SendErrorKind::ConnectionReset => "read: connection reset by peer".to_owned(),
        SendErrorKind::NoRoute(address) => format!("dial tcp {address}: connect: no route to host"),
        SendErrorKind::UnknownHost(host) => format!("dial tcp: lookup {host}: no such host"),
        SendErrorKind::Proxy => "proxyconnect tcp: the proxy did not connect".to_owned(),
        SendErrorKind::Untrusted(fault) => untrusted(*fault).to_owned(),
        SendErrorKind::Ended => "EOF".to_owned(),
        SendErrorKind::CutShort => CUT_SHORT.to_owned(),
        SendErrorKind::Malformed => "malformed HTTP response".to_owned(),
    };
    format!("Get {}: {words}", quote(shown_address(&error.url)))
}

/// Words of our own, with the code that explains them.
pub fn coded(words: &str, code: &Code) -> String {
    format!("{words} ({})", code.id)
}

/// Why certificates that were given cannot be used.
pub fn unusable(fault: &CertificateFault) -> String {
    let words = match fault {
        CertificateFault::NoAuthority => "failed to append certificates from pem block",
        CertificateFault::NoIdentity => {
            "unable to load cert from key pair: failed to find any PEM data in it"
        }
        CertificateFault::OtherKey => {
            "unable to load cert from key pair: tls: private key does not match public key"
        }
        CertificateFault::Library(words) => words,
    };
    format!("can't create TLS config for client: {words}")
}

fn redirect(fault: RedirectFault) -> String {
    match fault {
        RedirectFault::NoTarget => "it redirects, but does not say where to".to_owned(),
        RedirectFault::NoAddress => coded("it redirects to what is no address", &REDIRECT),
        RedirectFault::Scheme => coded("it redirects to what is neither http nor https", &REDIRECT),
        RedirectFault::UserName => coded("it redirects to an address with a user name", &REDIRECT),
        RedirectFault::Downgrade => {
            coded("it redirects from https to plain http, which is not followed", &REDIRECT)
        }
        RedirectFault::TooMany(count) => format!("stopped after {count} redirects"),
    }
}

fn untrusted(fault: TrustFault) -> &'static str {
    match fault {
        TrustFault::Authority => {
            "tls: failed to verify certificate: x509: the server shows the certificate of an authority, and not one that an authority signed for it"
        }
        TrustFault::CertificateRequired => "remote error: tls: certificate required",
        TrustFault::UnknownIssuer => {
            "tls: failed to verify certificate: x509: certificate signed by unknown authority"
        }
        TrustFault::OtherName => {
            "tls: failed to verify certificate: x509: certificate is not valid for this name"
        }
        TrustFault::Expired => {
            "tls: failed to verify certificate: x509: certificate has expired or is not yet valid"
        }
        TrustFault::NotTls => "tls: first record does not look like a TLS handshake",
        TrustFault::Other => "tls: no trusted connection could be made",
    }
}
