//! What was fetched before, kept on disk: one file a URL, each written whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;

use serde_json::{Value, json};

use trueline_source::read_bounded;

/// Bumped whenever the layout below changes; entries of another version are ignored.
const VERSION: u64 = 1;

/// A directory of fetched documents.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
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
    /// A cache in `directory`, which is made when something is first kept.
    pub(crate) fn new(directory: PathBuf, max_entry: u64) -> Self {
        Cache { directory, max_entry }
    }

    /// The entry of a URL. One that is damaged in any way is as good as none.
    pub(crate) fn load(&self, url: &str) -> Option<Cached> {
        let file = File::open(self.path(url))
            .ok()
            .filter(|file| file.metadata().is_ok_and(|data| data.is_file()))?;
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
        fs::create_dir_all(&self.directory)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.directory)?;
        writeln!(file, "{head}")?;
        file.write_all(&cached.bytes)?;
        file.persist(self.path(requested)).map_err(|error| error.error)?;
        Ok(())
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
    use super::*;
    use tempfile::TempDir;

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
        let directory = TempDir::new().unwrap();
        let cache = Cache::new(directory.path().join("deep/cache"), 1000);
        assert_eq!(cache.load("https://example.com/a"), None);
        cache.store("https://example.com/a", &document()).unwrap();
        assert_eq!(cache.load("https://example.com/a"), Some(document()));
        assert_eq!(cache.load("https://example.com/b"), None);
        assert_eq!(fs::read_dir(&cache.directory).unwrap().count(), 1, "no temporary file stays");
    }

    #[test]
    fn a_damaged_entry_is_ignored() {
        let directory = TempDir::new().unwrap();
        let cache = Cache::new(directory.path().to_owned(), 1000);
        let url = "https://example.com/a";
        cache.store(url, &document()).unwrap();
        let path = cache.path(url);
        let good = fs::read_to_string(&path).unwrap();
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
            fs::write(&path, &content).unwrap();
            assert_eq!(cache.load(url), None, "{content}");
        }
    }
}
