//! What was fetched before, kept in the cache directory of a system: one file a URL, each written whole or not at all.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};

use trueline_source::{FileChange, Readers, Stat, System, make_directories, read_bounded};

/// Bumped whenever the layout below changes; entries of another version are ignored.
const VERSION: u64 = 1;

/// A directory of fetched documents.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    system: Arc<dyn System>,
    directory: PathBuf,
    max_entry: u64,
}

/// A document with what its server said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cached {
    /// Where it finally came from.
    pub(crate) url: String,
    pub(crate) etag: Option<String>,
    pub(crate) last_modified: Option<String>,
    pub(crate) bytes: Vec<u8>,
}

impl Cache {
    /// The cache of a system, if it has one. Its directory is made when something is first kept.
    pub(crate) fn of(system: Arc<dyn System>, max_entry: u64) -> Option<Self> {
        let directory = system.cache_directory()?;
        Some(Cache { system, directory, max_entry })
    }

    /// The entry of a URL. One that is damaged in any way is as good as none.
    pub(crate) fn load(&self, url: &str) -> Option<Cached> {
        let path = self.path(url);
        // The mere opening of a pipe waits for its writer.
        self.system.stat(&path).ok().filter(|stat| Stat::is_file(*stat))?;
        let file = self.system.open(&path).ok()?;
        let content = read_bounded(file, self.max_entry.saturating_add(1 << 16), url).ok()?;
        let end = content.iter().position(|&byte| byte == b'\n')?;
        let (head, rest) = content.split_at_checked(end)?;
        let bytes = rest.get(1..)?;
        let head: Value = serde_json::from_slice(head).ok()?;
        let text = |key: &str| head.get(key).and_then(Value::as_str).map(str::to_owned);
        // Two URLs may share a file name; the URL in the entry tells them apart.
        let whole = head.get("version").and_then(Value::as_u64) == Some(VERSION)
            && head.get("requested").and_then(Value::as_str) == Some(url)
            && text("checksum")? == format!("{:016x}", hash(bytes));
        whole.then(|| Cached {
            url: text("url").unwrap_or_else(|| url.to_owned()),
            etag: text("etag"),
            last_modified: text("last-modified"),
            bytes: bytes.to_vec(),
        })
    }

    /// Keeps a document under the URL that was asked for.
    pub(crate) fn store(&self, requested: &str, cached: &Cached) -> io::Result<()> {
        let head = json!({
            "version": VERSION,
            "requested": requested,
            "url": cached.url,
            "etag": cached.etag,
            "last-modified": cached.last_modified,
            "checksum": format!("{:016x}", hash(&cached.bytes)),
        });
        make_directories(&*self.system, &self.directory)?;
        let bytes = [format!("{head}\n").as_bytes(), &cached.bytes].concat();
        let path = self.path(requested);
        self.system.change(FileChange::Write { path: &path, bytes: &bytes, readers: Readers::Owner })
    }

    fn path(&self, url: &str) -> PathBuf {
        self.directory.join(format!("{:016x}.entry", hash(url.as_bytes())))
    }
}

/// FNV-1a: the same on every machine and in every version, which the standard hasher does not promise.
/// It guards against accidents, not against somebody who may write to the cache directory.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::path::Path;

    use trueline_source::MemorySystem;

    use super::*;

    fn cache() -> (Arc<MemorySystem>, Cache) {
        let system = Arc::new(MemorySystem::new().with_cache_directory("/deep/cache"));
        let cache = Cache::of(Arc::clone(&system) as Arc<dyn System>, 1000).unwrap();
        (system, cache)
    }

    fn document() -> Cached {
        Cached {
            url: "https://example.com/final.json".to_owned(),
            etag: Some("\"v1\"".to_owned()),
            last_modified: None,
            bytes: b"{\"line\":\n1}".to_vec(),
        }
    }

    #[test]
    fn what_was_kept_is_found_again() {
        let (system, cache) = cache();
        assert_eq!(cache.load("https://example.com/a"), None);
        cache.store("https://example.com/a", &document()).unwrap();
        assert_eq!(cache.load("https://example.com/a"), Some(document()));
        assert_eq!(cache.load("https://example.com/b"), None);
        assert_eq!(system.names(Path::new("/deep/cache")).unwrap().len(), 1);
    }

    #[test]
    fn a_damaged_entry_is_ignored() {
        let (system, cache) = cache();
        let url = "https://example.com/a";
        cache.store(url, &document()).unwrap();
        let path = cache.path(url);
        let mut good = String::new();
        system.open(&path).unwrap().read_to_string(&mut good).unwrap();
        let damaged = [
            String::new(),
            "no head".to_owned(),
            "{}\n".to_owned(),
            good[..good.len() - 1].to_owned(),
            good.replace("line", "lime"),
            good.replace("\"version\":1", "\"version\":2"),
            good.replace("example.com/a", "example.com/c"),
        ];
        for content in damaged {
            system.change(FileChange::WriteQuickly { path: &path, bytes: content.as_bytes() }).unwrap();
            assert_eq!(cache.load(url), None, "{content}");
        }
    }
}
