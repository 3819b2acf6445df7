//! Registries, through their HTTP interface: tags, manifests and layers, with the tokens that they ask for.

use trueline_helm::chart::Compat;
use trueline_helm::repository::authorization::basic;
use trueline_helm::repository::oci::{self, Challenge, Layer, Manifest, Reference, Token};
use trueline_helm::repository::{CUT_SHORT, choose_tag, is_version, sha256_text, unanswered};
use trueline_helm::{RefusalKind, quote};
use trueline_source::{Certificates, Reach, Request, Response, Secret, SendError, SendErrorKind};
use url::Url;

use super::{LARGEST_ARCHIVE, Remote};
use crate::world::World;

/// Pages of tags that are asked for.
const MOST_PAGES: usize = 200;
/// Bytes of a manifest, a page of tags or a token.
const LARGEST_ANSWER: u64 = 4 << 20;

/// What was pulled.
#[derive(Debug)]
pub(super) struct Pulled {
    pub(super) archive: Vec<u8>,
    pub(super) provenance: Option<Vec<u8>>,
}

/// Whether the provenance file is fetched too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Provenance {
    Wanted,
    LeftOut,
}

impl Remote {
    /// The versions of a chart, the newest first.
    pub(in super::super) fn tags(
        &mut self,
        reference: &str,
        world: &mut World,
    ) -> Result<Vec<String>, String> {
        let reference = Reference::parse(reference)?;
        let mut url = self.url(&reference, "tags/list");
        let mut tags = Vec::new();
        for _ in 0..MOST_PAGES {
            let answer = self.ask_registry(&reference, &url, None, LARGEST_ANSWER, world)?;
            if answer.status != 200 {
                return Err(refused(&url, &answer));
            }
            let Some(page) = oci::read_tags(&answer.body) else {
                return Err(format!("GET {}: failed to decode response", quote(&url)));
            };
            tags.extend(page);
            let next = answer.header("link").and_then(oci::next_page);
            let next = next.and_then(|next| Url::parse(&answer.url).ok()?.join(next).ok());
            // Pages come from one server.
            match next.filter(|next| Url::parse(&url).is_ok_and(|url| url.origin() == next.origin())) {
                Some(next) => url = next.into(),
                None => break,
            }
        }
        Ok(oci::sorted(&tags))
    }

    /// The reference with the tag that a version or a constraint stands for.
    pub(super) fn tagged(
        &mut self,
        address: &str,
        version: &str,
        world: &mut World,
    ) -> Result<Reference, String> {
        let mut reference = Reference::parse(address)?;
        let given = reference.tag.replace('_', "+");
        let version = match (version, given.as_str()) {
            ("", tag) => tag.to_owned(),
            (version, "") => version.to_owned(),
            (version, tag) if version == tag || version == reference.tag => tag.to_owned(),
            (version, _) => {
                let tag = &reference.tag;
                return Err(format!("chart reference and version mismatch: {version} is not {tag}"));
            }
        };
        if !reference.digest.is_empty() {
            reference.tag.clear();
            return Ok(reference);
        }
        let tag = if is_version(&version) {
            version
        } else {
            let plain = Reference { tag: String::new(), ..reference.clone() };
            let tags = self.tags(&plain.to_string(), world)?;
            let capital = |words: String| match self.compat {
                Compat::Helm4 => words,
                Compat::Helm3 => capitalized(&words),
            };
            if tags.is_empty() {
                return Err(capital(format!("unable to locate any tags in provided repository: {address}")));
            }
            choose_tag(&tags, &version)
                .map_err(|wrong| match wrong.kind {
                    RefusalKind::NotFound => capital(wrong.into()),
                    _ => wrong.into(),
                })?
                .to_owned()
        };
        reference.tag = tag.replace('+', "_");
        Ok(reference)
    }

    /// A chart, checked against the sums of its manifest.
    pub(super) fn pull(
        &mut self,
        reference: &Reference,
        provenance: Provenance,
        world: &mut World,
    ) -> Result<Pulled, String> {
        let url = self.url(reference, &format!("manifests/{}", reference.wanted()));
        let source = |wrong: String| format!("failed to perform \"FetchReference\" on source: {wrong}");
        let answer = self.ask_registry(reference, &url, Some(oci::ACCEPTED), LARGEST_ANSWER, world);
        let answer = answer.map_err(|wrong| source(wrong.into()))?;
        match answer.status {
            200 => {}
            404 => return Err(source(format!("{reference}: not found"))),
            _ => return Err(source(refused(&url, &answer))),
        }
        let digest = format!("sha256:{}", sha256_text(&answer.body));
        if reference.tag.is_empty() && reference.digest != digest {
            return Err(source(format!("{}: mismatch digest: got {digest}", reference.digest)));
        }
        let manifest = Manifest::read(&answer.body)?;
        // What the chart says about itself is in the archive too; that the layer is what it should be is enough.
        self.layer(reference, &manifest.config, world)?;
        let archive = self.layer(reference, &manifest.chart, world)?;
        let provenance = match (&manifest.provenance, provenance) {
            (Some(layer), Provenance::Wanted) => Some(self.layer(reference, layer, world)?),
            _ => None,
        };
        if let Some(warning) = &manifest.warning {
            self.note(world, warning)?;
        }
        self.note(world, &format!("Pulled: {reference}"))?;
        self.note(world, &format!("Digest: {digest}"))?;
        if reference.to_string().contains('_') {
            self.note(world, &format!("{reference} contains an underscore."))?;
            self.note(world, UNDERSCORE)?;
        }
        Ok(Pulled { archive, provenance })
    }

    fn layer(&mut self, reference: &Reference, layer: &Layer, world: &mut World) -> Result<Vec<u8>, String> {
        let digest = &layer.digest;
        let url = self.url(reference, &format!("blobs/{digest}"));
        let source = |wrong: String| format!("failed to perform \"Fetch\" on source: {wrong}");
        let destination = |wrong: &str| format!("failed to perform \"Push\" on destination: {wrong}");
        if !is_digest(digest) {
            return Err(source(format!("{}: unsupported digest", digest.escape_debug())));
        }
        let answer = self.ask_registry(reference, &url, None, LARGEST_ARCHIVE, world);
        let answer = match answer {
            Err(Unasked::NoAnswer(SendError { kind: SendErrorKind::CutShort, .. })) => {
                let words = format!(
                    "read failed: expected content size of {}, for digest {digest}: {CUT_SHORT}",
                    layer.size
                );
                return Err(destination(&words));
            }
            answer => answer.map_err(|wrong| source(wrong.into()))?,
        };
        match answer.status {
            200 => {}
            404 => return Err(source(format!("{digest}: not found"))),
            _ => return Err(source(refused(&url, &answer))),
        }
        if answer.body.len() as u64 != layer.size
            || format!("sha256:{}", sha256_text(&answer.body)) != *digest
        {
            return Err(destination("mismatched digest"));
        }
        Ok(answer.body)
    }

    fn url(&self, reference: &Reference, what: &str) -> String {
        let scheme = if self.options.plain_http { "http" } else { "https" };
        format!("{scheme}://{}/v2/{}/{what}", reference.host(), reference.repository)
    }

    /// Sends a request, and once more with what the registry asks for.
    fn ask_registry(
        &mut self,
        reference: &Reference,
        url: &str,
        accept: Option<&'static str>,
        limit: u64,
        world: &World,
    ) -> Result<Response, Unasked> {
        let key = format!("{}/{}", reference.registry, reference.repository);
        let certificates = self.options.access("").certificates(world).map_err(String::from)?;
        let request = Request {
            url,
            authorization: self.tokens.get(&key).cloned(),
            accept,
            limit,
            ..self.request(&certificates)
        };
        let answer = world.send(&request)?;
        if answer.status != 401 || request.authorization.is_some() {
            return Ok(answer);
        }
        let challenge = answer.header("www-authenticate").and_then(Challenge::parse);
        let failed = |wrong: String| format!("GET {}: {wrong}", quote(url));
        let authorization = match challenge {
            None => return Ok(answer),
            Some(Challenge::Basic) => {
                let credentials = self
                    .credentials(&reference.registry, world)
                    .filter(|found| !found.username.is_empty())
                    .ok_or_else(|| failed("basic credential not found".to_owned()))?;
                Secret(basic(&credentials.username, &credentials.password))
            }
            Some(Challenge::Bearer(token)) => {
                Secret(format!("Bearer {}", self.token(reference, &token, world).map_err(failed)?))
            }
        };
        let answer = world.send(&Request { authorization: Some(authorization.clone()), ..request })?;
        if answer.status != 401 {
            self.tokens.insert(key, authorization);
        }
        Ok(answer)
    }

    /// A token from the server that a registry names.
    fn token(&self, reference: &Reference, token: &Token, world: &World) -> Result<String, String> {
        let realm =
            Url::parse(&token.realm).map_err(|_| "the registry names no server for tokens".to_owned())?;
        let is_safe = match realm.scheme() {
            "https" => true,
            "http" => self.options.plain_http,
            _ => false,
        };
        if !is_safe {
            return Err("the registry asks for a token from a server without https".to_owned());
        }
        let scope = match token.scope.as_str() {
            "" => format!("repository:{}:pull", reference.repository),
            scope => scope.to_owned(),
        };
        let credentials = self.credentials(&reference.registry, world).unwrap_or_default();
        if !credentials.access_token.is_empty() {
            return Ok(credentials.access_token);
        }
        let mut url = realm;
        let certificates = self.options.access("").certificates(world)?;
        let mut request = Request { limit: LARGEST_ANSWER, ..self.request(&certificates) };
        if credentials.refresh_token.is_empty() {
            let mut query = url.query_pairs_mut();
            query.append_pair("scope", &scope);
            if !token.service.is_empty() {
                query.append_pair("service", &token.service);
            }
            drop(query);
            if !credentials.username.is_empty() || !credentials.password.is_empty() {
                request.authorization = Some(Secret(basic(&credentials.username, &credentials.password)));
            }
        } else {
            let form = url::form_urlencoded::Serializer::new(String::new())
                .append_pair("grant_type", "refresh_token")
                .append_pair("refresh_token", &credentials.refresh_token)
                .append_pair("service", &token.service)
                .append_pair("client_id", "trueline")
                .append_pair("scope", &scope)
                .finish();
            request.form = Some(Secret(form));
        }
        let url = url.to_string();
        let answer = world.send(&Request { url: &url, ..request }).map_err(|error| unanswered(&error))?;
        if answer.status != 200 {
            return Err(refused(&url, &answer));
        }
        oci::read_token(&answer.body).ok_or_else(|| format!("GET {}: empty token returned", quote(&url)))
    }

    /// A request that says nothing yet.
    fn request<'r>(&self, certificates: &'r Certificates) -> Request<'r> {
        Request {
            url: "",
            network: self.options.network,
            authorization: None,
            reach: Reach::Server,
            accept: None,
            limit: 0,
            patience: self.options.patience,
            form: None,
            certificates,
        }
    }
}

/// Why a registry could not be asked, or did not answer.
enum Unasked {
    /// It did not answer.
    NoAnswer(SendError),
    /// It could not be asked; Helm's words.
    Other(String),
}

impl From<SendError> for Unasked {
    fn from(error: SendError) -> Self {
        Unasked::NoAnswer(error)
    }
}

impl From<String> for Unasked {
    fn from(words: String) -> Self {
        Unasked::Other(words)
    }
}

impl From<Unasked> for String {
    fn from(error: Unasked) -> Self {
        match error {
            Unasked::NoAnswer(error) => unanswered(&error),
            Unasked::Other(words) => words,
        }
    }
}

/// What Helm explains where a tag holds one of the two signs.
const UNDERSCORE: &str = "
OCI artifact references (e.g. tags) do not support the plus sign (+). To support
storing semantic versions, Helm adopts the convention of changing plus (+) to
an underscore (_) in chart version tags when pushing to a registry and back to
a plus (+) when pulling from a registry.";

/// What a registry says where it does not give what it was asked for.
fn refused(url: &str, answer: &Response) -> String {
    let reason = answer.status_text.split_once(' ').map_or("", |(_, reason)| reason);
    let words = oci::fault(&answer.body).unwrap_or_else(|| reason.to_owned());
    format!("GET {}: response status code {}: {words}", quote(url), answer.status)
}

fn is_digest(text: &str) -> bool {
    let sum = text.strip_prefix("sha256:").unwrap_or_default();
    sum.len() == 64 && sum.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

fn capitalized(words: &str) -> String {
    let mut characters = words.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}
