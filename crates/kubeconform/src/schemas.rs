//! The schemas of kinds, each looked for once: embedded, in files, or fetched.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use trueline_analysis::{Location, Strictness, WantedSchema as Wanted};
use trueline_gostd::hash::sha256_text;
use trueline_gostd::system::clean;
use trueline_helm::repository::authorization::{basic, split_user};
use trueline_helm::schema::{Judge, Objection, stream_fault};
use trueline_kube::api::KindSchema;
use trueline_schema::{Access, Draft, Network, Store};
use trueline_source::{
    Certificates, FileChange, Reach, Readers, Request, Secret, SourceKind, SourceMap, Stat, System,
    Verification, read_typed,
};
use trueline_yaml::Value;
use url::Url;

use super::api::Embedded;
use super::failure::{Failure, SchemaFailure};
use super::flags::Flags;
use super::signature::Signature;
use crate::surroundings::Surroundings;

/// No schema is as large.
const MAX_SCHEMA: u64 = 32 << 20;
/// How long a server may take for one schema.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often a server is asked that does not answer or is out of order.
const ATTEMPTS: usize = 3;
/// How long is waited before it is asked again.
const PAUSE: Duration = Duration::from_millis(250);

/// What came of looking for a schema.
#[derive(Debug)]
pub(crate) enum Sought {
    Found(Box<Schema>),
    Missing,
    /// It could not be looked for.
    Failed(SchemaFailure),
}

/// A schema with its address.
#[derive(Debug)]
pub(crate) struct Schema {
    pub(crate) address: String,
    judge: Judge,
    /// The kind, if the schema is an embedded one.
    kind: Option<KindSchema>,
}

impl Schema {
    pub(crate) fn new(address: String, judge: Judge, kind: Option<KindSchema>) -> Self {
        Schema { address, judge, kind }
    }

    /// What the schema has against an object.
    pub(crate) fn objection(&self, value: &Value) -> Option<Objection> {
        match &self.kind {
            Some(kind) => self.judge.objection(&kind.without_absent(value)),
            None => self.judge.objection(value),
        }
    }
}

/// All schemas that were looked for, and where they are.
pub(crate) struct Schemas {
    places: Vec<SchemaSource>,
    kubernetes: String,
    strictness: Strictness,
    cache: Option<PathBuf>,
    certificates: Certificates,
    store: Store,
    sought: HashMap<(String, String), Sought>,
}

enum SchemaSource {
    Embedded(Embedded),
    Files(Location, Store),
    Server(Location),
}

impl Schemas {
    /// The places that the flags name.
    pub(crate) fn new(flags: &Flags, world: &dyn Surroundings) -> Result<Self, Failure> {
        let access = Access {
            fetch: Some(world.system().fetch(Network::Allowed)),
            draft: Draft::Draft4,
            ..Access::default()
        };
        let store = Store::new(Arc::new(SourceMap::new()), access);
        let cache = cache(&flags.cache, &*world.system())?;
        let default = ["default".to_owned()];
        let typed = if flags.locations.is_empty() { default.as_slice() } else { flags.locations.as_slice() };
        let places = typed.iter().map(|typed| place(typed, flags, &store, &*world.system()));
        Ok(Schemas {
            places: places.collect::<Result<_, Failure>>()?,
            kubernetes: flags.kubernetes.clone(),
            strictness: flags.strictness,
            cache,
            certificates: Certificates {
                verification: if flags.skip_tls { Verification::Skipped } else { Verification::Done },
                ..Certificates::default()
            },
            store,
            sought: HashMap::new(),
        })
    }

    /// Looks for the schema of a kind, unless that was done before.
    pub(crate) fn load(&mut self, signature: &Signature, world: &dyn Surroundings) {
        let key = (signature.version.clone(), signature.kind.clone());
        if !self.sought.contains_key(&key) {
            let sought = self.look(signature, world).unwrap_or_else(Sought::Failed);
            self.sought.insert(key, sought);
        }
    }

    /// What came of looking for the schema of a kind.
    pub(crate) fn of(&self, signature: &Signature) -> &Sought {
        let key = (signature.version.clone(), signature.kind.clone());
        self.sought.get(&key).unwrap_or(&Sought::Missing)
    }

    fn look(&self, signature: &Signature, world: &dyn Surroundings) -> Result<Sought, SchemaFailure> {
        let is_plain = self.wanted(signature).is_plain();
        for place in &self.places {
            let found = match place {
                SchemaSource::Embedded(embedded) => embedded.schema(signature, self.strictness, &self.store),
                SchemaSource::Files(..) | SchemaSource::Server(_) if !is_plain => continue,
                SchemaSource::Files(location, store) => {
                    let path = location.place(&self.wanted(signature)).map_err(SchemaFailure::Location)?;
                    let bytes = match read_typed(
                        &*world.system(),
                        Path::new(Location::path_of(&path)),
                        Location::path_of(&path),
                    ) {
                        Ok(bytes) => bytes,
                        Err(error) if error.is_missing() => continue,
                        Err(error) => return Err(SchemaFailure::File(error)),
                    };
                    if let Some(fault) = stream_fault(&bytes) {
                        return Err(SchemaFailure::NoJson(fault));
                    }
                    let absolute = absolute(&*world.system(), Location::path_of(&path));
                    let address = Url::from_file_path(&absolute).map(String::from).unwrap_or(path);
                    judged(store, address, bytes, SourceKind::File)
                }
                SchemaSource::Server(location) => {
                    let address = location.place(&self.wanted(signature)).map_err(SchemaFailure::Location)?;
                    match self.fetched(&address, world)? {
                        Some(bytes) => judged(&self.store, address, bytes, SourceKind::Url),
                        None => continue,
                    }
                }
            };
            if let Some(schema) = found {
                return Ok(Sought::Found(Box::new(schema)));
            }
        }
        Ok(Sought::Missing)
    }

    fn wanted<'a>(&'a self, signature: &'a Signature) -> Wanted<'a> {
        Wanted {
            api_version: &signature.version,
            kind: &signature.kind,
            kubernetes: &self.kubernetes,
            strictness: self.strictness,
        }
    }

    /// A document from the cache or a server; nothing if the server does not have it.
    fn fetched(&self, url: &str, world: &dyn Surroundings) -> Result<Option<Vec<u8>>, SchemaFailure> {
        // The name by which kubeconform keeps it, so that its caches can be used.
        let kept = self.cache.as_ref().map(|cache| cache.join(sha256_text(url.as_bytes())));
        if let Some(bytes) = kept.as_ref().and_then(|path| bytes_of(&*world.system(), path)) {
            return match stream_fault(&bytes) {
                None => Ok(Some(bytes)),
                Some(fault) => Err(SchemaFailure::NoJson(fault)),
            };
        }
        let Some(bytes) = self.asked(url, world)? else { return Ok(None) };
        if let Some(path) = kept {
            let readers = Readers::Usual;
            let written = world.system().change(FileChange::Write { path: &path, bytes: &bytes, readers });
            written.map_err(SchemaFailure::NotKept)?;
        }
        Ok(Some(bytes))
    }

    fn asked(&self, url: &str, world: &dyn Surroundings) -> Result<Option<Vec<u8>>, SchemaFailure> {
        let (plain, user) = split_user(url);
        let request = Request {
            url: &plain,
            network: Network::Allowed,
            authorization: user.map(|(name, password)| Secret(basic(&name, &password))),
            reach: Reach::Server,
            accept: None,
            limit: MAX_SCHEMA,
            patience: PATIENCE,
            form: None,
            certificates: &self.certificates,
        };
        let name = plain.rsplit('/').next().unwrap_or_default();
        let system = world.system();
        let mut attempt = 1;
        loop {
            let answer = system.send(&request, &*world.receiving(name));
            let is_out_of_order = answer.as_ref().map_or(true, |answer| answer.status >= 500);
            if is_out_of_order && attempt < ATTEMPTS {
                std::thread::sleep(PAUSE * u32::try_from(attempt).unwrap_or(1));
                attempt += 1;
                continue;
            }
            let answer = answer.map_err(|error| SchemaFailure::NoAnswer(plain.clone(), error))?;
            return match answer.status {
                200 => Ok(Some(answer.body)),
                404 => Ok(None),
                status => Err(SchemaFailure::Status(plain, status)),
            };
        }
    }
}

fn place(typed: &str, flags: &Flags, store: &Store, system: &dyn System) -> Result<SchemaSource, Failure> {
    if typed == "default" {
        return Embedded::new(&flags.kubernetes).map(SchemaSource::Embedded);
    }
    let location = Location::new(typed).map_err(Failure::Location)?;
    if location.is_remote() {
        return Ok(SchemaSource::Server(location));
    }
    let directory = absolute(system, location.directory());
    let store = match system.directory(&directory, location.directory()) {
        // What schemas refer to is in the same directory, or below it.
        Ok(loader) => store.for_package(loader, Some(directory.to_string_lossy().into_owned())),
        Err(_) => store.clone(),
    };
    Ok(SchemaSource::Files(location, store))
}

/// The directory that fetched schemas are kept in.
fn cache(typed: &str, system: &dyn System) -> Result<Option<PathBuf>, Failure> {
    if typed.is_empty() {
        return Ok(None);
    }
    let path = PathBuf::from(typed);
    match system.stat(&path) {
        Ok(stat) if Stat::is_directory(stat) => Ok(Some(path)),
        Ok(_) => Err(Failure::CacheIsNoDirectory(typed.to_owned())),
        Err(error) => Err(Failure::Cache(typed.to_owned(), error)),
    }
}

/// The bytes of a file, if there is one.
fn bytes_of(system: &dyn System, path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    system.open(path).ok()?.take(MAX_SCHEMA).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// A path from the root on.
fn absolute(system: &dyn System, path: &str) -> PathBuf {
    clean(&system.working_directory().unwrap_or_default().join(path))
}

/// A schema from its bytes; nothing if it is none.
fn judged(store: &Store, address: String, bytes: Vec<u8>, kind: SourceKind) -> Option<Schema> {
    // A page of a server that is no JSON counts as no schema. Bytes that are no text are replaced, as Go does.
    if stream_fault(&bytes).is_some() {
        return None;
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let source = store.sources().add(address.as_str(), kind, text);
    let judge = Judge::new(store, source, Some(&address)).ok()?;
    Some(Schema::new(address, judge, None))
}
