//! Documents from the network: bounded in size, time and redirects, without credentials, with a cache.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use trueline_diagnostic::shown_address;
use trueline_source::{Fetch, Fetched, LoadError, LoadErrorKind, Network, System};
use ureq::config::ConfigBuilder;
use ureq::http::{HeaderMap, Response, header};
use ureq::typestate::AgentScope;
use ureq::{Agent, Body};
use url::Url;

use crate::cache::{Cache, Cached};
use crate::machine::Connection;

/// The bounds of a fetch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HttpLimits {
    /// Time to reach a server, and the longest silence while it answers.
    pub(crate) silence: Duration,
    /// Time for the whole document, redirects included.
    pub(crate) total: Duration,
    /// Bytes after decompression.
    pub(crate) size: u64,
    pub(crate) redirects: usize,
}

impl Default for HttpLimits {
    fn default() -> Self {
        HttpLimits {
            silence: Duration::from_secs(10),
            total: Duration::from_secs(30),
            size: 64 << 20,
            redirects: 5,
        }
    }
}

/// The door to the network.
#[derive(Debug)]
pub(crate) struct HttpFetch {
    /// Made when it is first needed: most runs fetch nothing.
    agent: LazyLock<Agent, MakeAgent>,
    limits: HttpLimits,
    network: Network,
    cache: Option<Cache>,
    /// One answer a URL and run, so that a thousand manifests ask, or wait for a dead server, once.
    answers: Mutex<BTreeMap<String, Answer>>,
    /// Servers that did not answer, with how: their other documents are not waited for again.
    silent: Mutex<BTreeMap<String, LoadErrorKind>>,
}

type MakeAgent = Box<dyn FnOnce() -> Agent + Send>;
type Answer = Arc<OnceLock<Result<Fetched, LoadError>>>;

/// What all requests have in common: how long a server may be silent, the proxy, and who asks.
pub(crate) fn agent_config(silence: Duration, proxy: Option<ureq::Proxy>) -> ConfigBuilder<AgentScope> {
    Agent::config_builder()
        .http_status_as_error(false)
        // Redirects are followed by the callers, because each step has rules of ours.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .timeout_connect(Some(silence))
        .timeout_recv_response(Some(silence))
        .timeout_per_read(Some(silence))
        .user_agent(concat!("trueline/", env!("CARGO_PKG_VERSION")))
        .proxy(proxy)
}

impl HttpFetch {
    /// A fetcher that keeps documents in the cache directory of a system, if it has one.
    pub(crate) fn new(
        network: Network,
        limits: HttpLimits,
        system: Arc<dyn System>,
        connection: Connection,
    ) -> Self {
        let silence = limits.silence;
        let cache = Cache::of(system, limits.size);
        let make: MakeAgent = Box::new(move || {
            agent_config(silence, connection.proxy())
                .accept("application/schema+json, application/json, application/yaml, text/yaml, */*;q=0.5")
                .build()
                .new_agent()
        });
        let agent = LazyLock::new(make);
        HttpFetch { agent, limits, network, cache, answers: Mutex::default(), silent: Mutex::default() }
    }

    fn answer(&self, url: &Url) -> Result<Fetched, LoadError> {
        let cached = self.cache.as_ref().and_then(|cache| cache.load(url.as_str()));
        if self.network == Network::Offline {
            return match cached {
                Some(cached) => Ok(Fetched { bytes: cached.bytes, url: cached.url }),
                None => Err(LoadError::new(LoadErrorKind::Offline, url.as_str())),
            };
        }
        self.ask(url, cached.as_ref()).map_err(|error| match cached {
            // Said rather than done: whether a run may rest on an old copy is the user's choice.
            Some(_) => {
                let detail =
                    [error.detail.as_str(), "a copy is in the cache, `--offline` uses it"].join("; ");
                error.with_detail(detail.trim_start_matches("; "))
            }
            None => error,
        })
    }

    fn ask(&self, requested: &Url, cached: Option<&Cached>) -> Result<Fetched, LoadError> {
        let refused =
            |detail: String| LoadError::new(LoadErrorKind::Refused, requested.as_str()).with_detail(detail);
        let deadline = Instant::now() + self.limits.total;
        let mut url = requested.clone();
        for _ in 0..=self.limits.redirects {
            let usable = cached.filter(|cached| cached.url == url.as_str());
            let response = self.request(requested, &url, usable, deadline)?;
            let status = response.status();
            match (status.as_u16(), usable) {
                (200, _) => return self.accept(requested, &url, response),
                (304, Some(cached)) => {
                    return Ok(Fetched { bytes: cached.bytes.clone(), url: cached.url.clone() });
                }
                (301 | 302 | 303 | 307 | 308, _) => {
                    let location = text(response.headers(), &header::LOCATION);
                    let Some(next) = location.and_then(|location| url.join(&location).ok()) else {
                        return Err(refused("it redirects, but does not say where to".to_owned()));
                    };
                    follow(&url, &next).map_err(|fault| refused(fault.to_string()))?;
                    url = without_fragment(next);
                }
                (404 | 410, _) => {
                    return Err(LoadError::new(LoadErrorKind::NotFound, requested.as_str())
                        .with_detail(format!("the server answered {status}")));
                }
                (401 | 403 | 407, _) => {
                    return Err(refused(format!(
                        "the server answered {status}, and credentials are never sent"
                    )));
                }
                _ => return Err(refused(format!("the server answered {status}"))),
            }
        }
        Err(refused(format!("it redirects more than {} times", self.limits.redirects)))
    }

    fn request(
        &self,
        requested: &Url,
        url: &Url,
        cached: Option<&Cached>,
        deadline: Instant,
    ) -> Result<Response<Body>, LoadError> {
        let failed = |kind, detail: &str| LoadError::new(kind, requested.as_str()).with_detail(detail);
        let server = url.origin().ascii_serialization();
        let before = lock(&self.silent).get(&server).copied();
        if let Some(kind) = before {
            return Err(failed(kind, "its server has failed to answer earlier in this run"));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let mut request = self.agent.get(url.as_str());
        if let Some(etag) = cached.and_then(|cached| cached.etag.as_ref()) {
            request = request.header(header::IF_NONE_MATCH, etag);
        }
        if let Some(date) = cached.and_then(|cached| cached.last_modified.as_ref()) {
            request = request.header(header::IF_MODIFIED_SINCE, date);
        }
        // A time limit of nothing would mean no limit.
        let left = left.max(Duration::from_millis(1));
        request.config().timeout_global(Some(left)).build().call().map_err(|error| {
            let (kind, detail) = self.failure(&error);
            if matches!(kind, LoadErrorKind::TimedOut | LoadErrorKind::Unreachable) {
                lock(&self.silent).insert(server, kind);
            }
            failed(kind, &detail)
        })
    }

    /// Reads the body of an answer and keeps it.
    fn accept(&self, requested: &Url, url: &Url, mut response: Response<Body>) -> Result<Fetched, LoadError> {
        let too_large = || {
            LoadError::new(LoadErrorKind::TooLarge, requested.as_str())
                .with_detail(format!("{} bytes", self.limits.size))
        };
        if response.body().content_length().is_some_and(|length| length > self.limits.size) {
            return Err(too_large());
        }
        let mime = response.body().mime_type().unwrap_or_default().to_ascii_lowercase();
        let mut bytes = Vec::new();
        let reading = response.body_mut().as_reader().take(self.limits.size + 1).read_to_end(&mut bytes);
        reading.map_err(|error| {
            let (kind, detail) = self.read_failure(error);
            LoadError::new(kind, requested.as_str()).with_detail(detail)
        })?;
        if bytes.len() as u64 > self.limits.size {
            return Err(too_large());
        }
        if is_web_page(&mime, &bytes) {
            return Err(LoadError::new(LoadErrorKind::Refused, requested.as_str())
                .with_detail("the server answered with a web page (HTML), not with the document"));
        }
        let headers = response.headers();
        let keep = text(headers, &header::CACHE_CONTROL).is_none_or(|control| !control.contains("no-store"));
        if let Some(cache) = self.cache.as_ref().filter(|_| keep) {
            let cached = Cached {
                url: url.to_string(),
                etag: text(headers, &header::ETAG),
                last_modified: text(headers, &header::LAST_MODIFIED),
                bytes: bytes.clone(),
            };
            // A cache that cannot be written only costs time: the document itself is here.
            let _ = cache.store(requested.as_str(), &cached);
        }
        Ok(Fetched { bytes, url: url.to_string() })
    }

    fn read_failure(&self, error: io::Error) -> (LoadErrorKind, String) {
        if error.kind() == io::ErrorKind::TimedOut {
            return (LoadErrorKind::TimedOut, self.waited());
        }
        match error.downcast::<ureq::Error>() {
            Ok(error) => self.failure(&error),
            Err(_) => {
                (LoadErrorKind::Refused, "the connection broke before the document was whole".to_owned())
            }
        }
    }

    fn waited(&self) -> String {
        format!("the limit is {} s", self.limits.total.as_secs_f32())
    }

    /// A failure in our words. The library's own are not shown: they may hold a proxy's address.
    fn failure(&self, error: &ureq::Error) -> (LoadErrorKind, String) {
        use ureq::Error as E;
        let (kind, detail) = match error {
            E::Timeout(_) => return (LoadErrorKind::TimedOut, self.waited()),
            E::Io(error) if error.kind() == io::ErrorKind::TimedOut => {
                return (LoadErrorKind::TimedOut, self.waited());
            }
            E::Io(error) => match error.kind() {
                io::ErrorKind::ConnectionRefused => (LoadErrorKind::Unreachable, "nothing listens there"),
                io::ErrorKind::UnexpectedEof
                | io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionAborted => (LoadErrorKind::Unreachable, "the connection broke"),
                io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable => {
                    (LoadErrorKind::Unreachable, "no way leads to it from this network")
                }
                // The system has no kind of error of its own for a name that it cannot look up.
                _ if error.to_string().starts_with("failed to lookup address") => {
                    (LoadErrorKind::Unreachable, "DNS could not look up the name of its host")
                }
                _ => (LoadErrorKind::Unreachable, "the system could not open a connection"),
            },
            E::HostNotFound => (LoadErrorKind::Unreachable, "there is no host of that name"),
            E::ConnectionFailed => (LoadErrorKind::Unreachable, "no connection could be made"),
            E::ConnectProxyFailed(_) | E::InvalidProxyUrl => {
                (LoadErrorKind::Unreachable, "the proxy did not connect")
            }
            E::Rustls(_) | E::Tls(_) | E::Pem(_) | E::TlsRequired => {
                (LoadErrorKind::Unreachable, "no trusted https connection could be made")
            }
            E::Decompress(..) => (LoadErrorKind::Refused, "its compressed answer is damaged"),
            E::LargeResponseHeader(..) => (LoadErrorKind::Refused, "the head of its answer is too large"),
            _ => (LoadErrorKind::Refused, "its answer is not proper HTTP"),
        };
        (kind, detail.to_owned())
    }
}

impl Fetch for HttpFetch {
    fn fetch(&self, url: &str) -> Result<Fetched, LoadError> {
        let parsed = permitted_url(url).map_err(|fault| {
            LoadError::new(LoadErrorKind::Refused, shown_address(url)).with_detail(fault.to_string())
        })?;
        let parsed = without_fragment(parsed);
        let answer = Arc::clone(lock(&self.answers).entry(parsed.to_string()).or_default());
        answer.get_or_init(|| self.answer(&parsed)).clone()
    }
}

/// Why a URL is not fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum UrlFault {
    /// It is not a URL with a host.
    NoUrl,
    /// It is neither http nor https, but this.
    Scheme(String),
    /// It holds a user name or password.
    User,
    /// It is where a redirect leads, and is not fetched itself.
    Elsewhere(Box<UrlFault>),
    /// A redirect leads from https to http.
    Downgrade,
}

impl fmt::Display for UrlFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UrlFault::NoUrl => formatter.write_str("it is not a URL that can be fetched"),
            UrlFault::Scheme(scheme) => {
                write!(formatter, "only http and https are fetched, not `{scheme}:`")
            }
            UrlFault::User => {
                formatter.write_str("it holds a user name or password, and credentials are never sent")
            }
            UrlFault::Elsewhere(fault) => write!(formatter, "it redirects elsewhere: {fault}"),
            UrlFault::Downgrade => {
                formatter.write_str("it redirects from https to plain http, which is not followed")
            }
        }
    }
}

/// A URL, if it is one that may be fetched.
pub(crate) fn permitted_url(text: &str) -> Result<Url, UrlFault> {
    let url = Url::parse(text).map_err(|_| UrlFault::NoUrl)?;
    permitted(&url)?;
    Ok(url)
}

/// Whether a URL may be fetched at all.
fn permitted(url: &Url) -> Result<(), UrlFault> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(UrlFault::Scheme(url.scheme().to_owned()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(UrlFault::User);
    }
    Ok(())
}

/// Whether a redirect may be followed.
fn follow(from: &Url, to: &Url) -> Result<(), UrlFault> {
    permitted(to).map_err(|fault| UrlFault::Elsewhere(Box::new(fault)))?;
    if from.scheme() == "https" && to.scheme() == "http" {
        return Err(UrlFault::Downgrade);
    }
    Ok(())
}

fn without_fragment(mut url: Url) -> Url {
    url.set_fragment(None);
    url
}

pub(crate) fn is_web_page(mime: &str, bytes: &[u8]) -> bool {
    let start = bytes.trim_ascii_start();
    let begins = |word: &[u8]| start.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word));
    matches!(mime, "text/html" | "application/xhtml+xml") || begins(b"<!doctype html") || begins(b"<html")
}

fn text(headers: &HeaderMap, name: &header::HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};
    use std::thread;
    use tempfile::TempDir;

    /// A server on the loopback that answers up to `count` requests, each on a thread of its own.
    fn serve(
        answer: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static,
    ) -> (String, Arc<Mutex<Vec<String>>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let log = Arc::new(Mutex::new(Vec::new()));
        let (seen, answer) = (Arc::clone(&log), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming().take(20) {
                let (mut stream, seen, answer) = (stream.unwrap(), Arc::clone(&seen), Arc::clone(&answer));
                thread::spawn(move || {
                    let mut request = Vec::new();
                    let mut buffer = [0; 1024];
                    while !request.ends_with(b"\r\n\r\n") {
                        match stream.read(&mut buffer) {
                            Ok(count) if count > 0 => request.extend_from_slice(&buffer[..count]),
                            _ => return,
                        }
                    }
                    let request = String::from_utf8(request).unwrap();
                    seen.lock().unwrap().push(request.clone());
                    answer(&request, &mut stream);
                });
            }
        });
        (base, log)
    }

    fn say(stream: &mut TcpStream, status: &str, headers: &str, body: &str) {
        let length = body.len();
        let _ = write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n{body}"
        );
    }

    fn machine(cache: Option<&TempDir>) -> Arc<dyn System> {
        let machine = Machine::new(std::env::temp_dir(), BTreeMap::new());
        let cache = cache.map(|directory| directory.path().to_owned());
        Arc::new(machine.fetching(HttpLimits::default(), cache))
    }

    fn client(network: Network, cache: Option<&TempDir>) -> HttpFetch {
        let limits = HttpLimits {
            silence: Duration::from_millis(400),
            total: Duration::from_millis(900),
            size: 1000,
            redirects: 3,
        };
        HttpFetch::new(network, limits, machine(cache), Connection::Direct)
    }

    fn refusal(url: &str) -> String {
        client(Network::Allowed, None).fetch(url).unwrap_err().to_string()
    }

    #[test]
    fn a_document_is_fetched_without_credentials() {
        let (base, log) =
            serve(|_, stream| say(stream, "200 OK", "Content-Type: application/json\r\n", "{}"));
        let fetched = client(Network::Allowed, None).fetch(&format!("{base}/s.json#/definitions/x")).unwrap();
        assert_eq!(fetched, Fetched { bytes: b"{}".to_vec(), url: format!("{base}/s.json") });
        let request = log.lock().unwrap()[0].to_lowercase();
        assert!(request.starts_with("get /s.json http/1.1\r\n") && request.contains("user-agent: trueline/"));
        assert!(!request.contains("authorization") && !request.contains("cookie"));
    }

    #[test]
    fn one_run_asks_once() {
        let (base, log) = serve(|_, stream| say(stream, "404 Not Found", "", ""));
        let client = client(Network::Allowed, None);
        for _ in 0..3 {
            let error = client.fetch(&format!("{base}/s.json")).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("`{base}/s.json` does not exist: the server answered 404 Not Found")
            );
        }
        assert_eq!(log.lock().unwrap().len(), 1);
    }

    #[test]
    fn an_entity_tag_saves_the_second_transfer() {
        let (base, log) = serve(|request, stream| {
            if request.to_lowercase().contains("if-none-match: \"v1\"") {
                say(stream, "304 Not Modified", "", "");
            } else {
                say(stream, "200 OK", "ETag: \"v1\"\r\n", "{\"a\":1}");
            }
        });
        let directory = TempDir::new().unwrap();
        let url = format!("{base}/s.json");
        for _ in 0..2 {
            assert_eq!(client(Network::Allowed, Some(&directory)).fetch(&url).unwrap().bytes, b"{\"a\":1}");
        }
        assert_eq!(log.lock().unwrap().len(), 2);
        assert_eq!(client(Network::Offline, Some(&directory)).fetch(&url).unwrap().bytes, b"{\"a\":1}");
        assert_eq!(log.lock().unwrap().len(), 2, "offline asks nobody");
        let error = client(Network::Offline, Some(&directory)).fetch(&format!("{base}/other")).unwrap_err();
        assert_eq!(error.kind, LoadErrorKind::Offline);
    }

    #[test]
    fn a_date_saves_the_second_transfer_and_no_store_is_kept_out() {
        let date = "Sat, 01 Jan 2022 00:00:00 GMT";
        let (base, log) = serve(move |request, stream| {
            if request.to_lowercase().contains("if-modified-since: sat, 01 jan") {
                say(stream, "304 Not Modified", "", "");
            } else if request.starts_with("GET /secret") {
                say(stream, "200 OK", "Cache-Control: no-store\r\n", "{}");
            } else {
                say(stream, "200 OK", &format!("Last-Modified: {date}\r\n"), "{}");
            }
        });
        let directory = TempDir::new().unwrap();
        for path in ["a", "a", "secret"] {
            client(Network::Allowed, Some(&directory)).fetch(&format!("{base}/{path}")).unwrap();
        }
        assert_eq!(log.lock().unwrap().len(), 3);
        assert!(client(Network::Offline, Some(&directory)).fetch(&format!("{base}/secret")).is_err());
    }

    #[test]
    fn a_damaged_cache_entry_is_fetched_again() {
        let (base, log) = serve(|_, stream| say(stream, "200 OK", "ETag: \"v1\"\r\n", "{}"));
        let directory = TempDir::new().unwrap();
        let url = format!("{base}/s.json");
        client(Network::Allowed, Some(&directory)).fetch(&url).unwrap();
        for entry in std::fs::read_dir(directory.path()).unwrap() {
            std::fs::write(entry.unwrap().path(), "damaged").unwrap();
        }
        client(Network::Allowed, Some(&directory)).fetch(&url).unwrap();
        assert!(!log.lock().unwrap()[1].to_lowercase().contains("if-none-match"));
    }

    #[test]
    fn a_server_that_hangs_is_left_and_not_asked_again() {
        let (base, log) = serve(|_, _| thread::sleep(Duration::from_secs(3)));
        let client = client(Network::Allowed, None);
        let error = client.fetch(&format!("{base}/a")).unwrap_err();
        assert_eq!(error.to_string(), format!("`{base}/a` did not answer in time: the limit is 0.9 s"));
        let error = client.fetch(&format!("{base}/b")).unwrap_err();
        assert_eq!(error.kind, LoadErrorKind::TimedOut);
        assert_eq!(log.lock().unwrap().len(), 1);
    }

    #[test]
    fn a_slow_drip_is_cut_off() {
        let (base, _) = serve(|_, stream| {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n");
            for _ in 0..30 {
                thread::sleep(Duration::from_millis(100));
                if stream.write_all(b" ").and_then(|()| stream.flush()).is_err() {
                    return;
                }
            }
        });
        let error = client(Network::Allowed, None).fetch(&base).unwrap_err();
        assert_eq!(error.kind, LoadErrorKind::TimedOut, "{error}");
    }

    #[test]
    fn redirects_are_followed_within_bounds() {
        let (base, _) = serve(|request, stream| match request.split(' ').nth(1).unwrap_or_default() {
            "/start" => say(stream, "302 Found", "Location: dir/end\r\n", ""),
            "/dir/end" => say(stream, "200 OK", "", "{}"),
            "/file" => say(stream, "302 Found", "Location: file:///etc/passwd\r\n", ""),
            "/user" => say(stream, "302 Found", "Location: http://me:pw@127.0.0.1/\r\n", ""),
            "/nowhere" => say(stream, "302 Found", "", ""),
            path => say(stream, "301 Moved Permanently", &format!("Location: {path}x\r\n"), ""),
        });
        let fetched = client(Network::Allowed, None).fetch(&format!("{base}/start")).unwrap();
        assert_eq!(fetched.url, format!("{base}/dir/end"));
        let cases = [
            ("forever", "it redirects more than 3 times"),
            ("file", "it redirects elsewhere: only http and https are fetched, not `file:`"),
            (
                "user",
                "it redirects elsewhere: it holds a user name or password, and credentials are never sent",
            ),
            ("nowhere", "it redirects, but does not say where to"),
        ];
        for (path, detail) in cases {
            let url = format!("{base}/{path}");
            assert_eq!(refusal(&url), format!("`{url}` could not be downloaded: {detail}"));
        }
        let from = Url::parse("https://example.com").unwrap();
        assert!(follow(&from, &Url::parse("http://example.com").unwrap()) == Err(UrlFault::Downgrade));
        assert!(follow(&from, &Url::parse("https://example.org").unwrap()).is_ok());
    }

    #[test]
    fn what_is_not_the_document_is_said() {
        let (base, _) = serve(|request, stream| match request.split(' ').nth(1).unwrap_or_default() {
            "/page" => say(stream, "200 OK", "Content-Type: text/html; charset=utf-8\r\n", "<p>Log in</p>"),
            "/quiet-page" => say(stream, "200 OK", "", "\n<!DOCTYPE html><p>Log in</p>"),
            "/large" => say(stream, "200 OK", "", &"x".repeat(1001)),
            "/login" => say(stream, "401 Unauthorized", "", ""),
            "/junk" => {
                let _ = stream.write_all(b"\x00\x01 nonsense\r\n\r\n");
            }
            "/unsized" => {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
                let _ = stream.write_all(&[b'x'; 5000]);
            }
            "/short" => {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{");
            }
            _ => say(stream, "503 Service Unavailable", "", ""),
        });
        let html =
            "could not be downloaded: the server answered with a web page (HTML), not with the document";
        let cases = [
            ("page", html),
            ("quiet-page", html),
            ("large", "is larger than the limit: 1000 bytes"),
            ("unsized", "is larger than the limit: 1000 bytes"),
            (
                "login",
                "could not be downloaded: the server answered 401 Unauthorized, and credentials are never sent",
            ),
            ("down", "could not be downloaded: the server answered 503 Service Unavailable"),
            ("junk", "could not be downloaded: its answer is not proper HTTP"),
            ("short", "could not be downloaded: the connection broke before the document was whole"),
        ];
        for (path, text) in cases {
            let url = format!("{base}/{path}");
            assert_eq!(refusal(&url), format!("`{url}` {text}"));
        }
    }

    #[test]
    fn a_server_that_is_not_there_is_said_with_the_copy_that_is() {
        let directory = TempDir::new().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/s.json", listener.local_addr().unwrap());
        drop(listener);
        assert_eq!(refusal(&url), format!("`{url}` could not be reached: nothing listens there"));
        let cached = Cached { url: url.clone(), etag: None, last_modified: None, bytes: Vec::new() };
        Cache::of(machine(Some(&directory)), 10).unwrap().store(&url, &cached).unwrap();
        let error = client(Network::Allowed, Some(&directory)).fetch(&url).unwrap_err();
        assert_eq!(error.detail, "nothing listens there; a copy is in the cache, `--offline` uses it");
    }

    #[test]
    fn a_connection_that_fails_is_said_with_its_cause() {
        let lookup = io::Error::other("failed to lookup address information: Name or service not known");
        for (error, cause) in [
            (ureq::Error::Io(lookup), "DNS could not look up the name of its host"),
            (
                ureq::Error::Io(io::ErrorKind::NetworkUnreachable.into()),
                "no way leads to it from this network",
            ),
            (ureq::Error::Io(io::ErrorKind::AddrInUse.into()), "the system could not open a connection"),
            (ureq::Error::ConnectionFailed, "no connection could be made"),
        ] {
            let told = client(Network::Allowed, None).failure(&error);
            assert_eq!(told, (LoadErrorKind::Unreachable, cause.to_owned()));
        }
    }

    #[test]
    fn credentials_are_refused_and_not_echoed() {
        assert_eq!(
            refusal("https://me:hunter2@example.com/s.json"),
            "`https://…@example.com/s.json` could not be downloaded: \
             it holds a user name or password, and credentials are never sent"
        );
        assert!(refusal("ftp://example.com/x").ends_with("only http and https are fetched, not `ftp:`"));
        assert!(refusal("not a url").ends_with("it is not a URL that can be fetched"));
    }
}
