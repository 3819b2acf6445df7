//! Archives that Helm wrote, beside ours. What counts is the head of the file and the archive inside; how it is
//! compressed does not, because that depends on the library and not on the chart.

use std::io::Read;

use serde_json::Value as Json;
use trueline_gostd::hash::sha256_text;

/// Whether an archive is the one that was recorded.
pub(super) fn same(found: &[u8], recorded: &Json) -> Result<(), String> {
    let head = Head::read(found).ok_or("this is not a gzip file with a field and a comment")?;
    let facts = [
        ("gzip_header_hex", head.fixed.as_str()),
        ("gzip_extra", head.extra.as_str()),
        ("gzip_comment", head.comment.as_str()),
    ];
    for (key, found) in facts {
        let wanted = recorded[key].as_str().unwrap_or_default();
        if found != wanted {
            return Err(format!("{key} is {found:?} in place of {wanted:?}"));
        }
    }
    let mut tar = Vec::new();
    flate2::read::GzDecoder::new(found).read_to_end(&mut tar).map_err(|error| error.to_string())?;
    entries(&tar, recorded)?;
    match recorded["tar_sha256"].as_str() {
        Some(wanted) if sha256_text(&tar) != wanted => {
            Err("the entries agree, and the bytes of the archive inside do not".to_owned())
        }
        _ => Ok(()),
    }
}

/// What stands before the compressed bytes.
struct Head {
    fixed: String,
    extra: String,
    comment: String,
}

impl Head {
    fn read(bytes: &[u8]) -> Option<Self> {
        let (fixed, rest) = bytes.split_first_chunk::<10>()?;
        let (length, rest) = rest.split_first_chunk::<2>()?;
        let (extra, rest) = rest.split_at_checked(usize::from(u16::from_le_bytes(*length)))?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Some(Head {
            fixed: fixed.iter().map(|byte| format!("{byte:02x}")).collect(),
            extra: text(extra),
            comment: text(rest.get(..end)?),
        })
    }
}

/// Whether the files are the same, in the same order.
fn entries(tar: &[u8], recorded: &Json) -> Result<(), String> {
    let mut archive = tar::Archive::new(tar);
    let mut wanted = recorded["entries"].as_array().into_iter().flatten();
    for entry in archive.entries().map_err(|error| error.to_string())? {
        let mut entry = entry.map_err(|error| error.to_string())?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).map_err(|error| error.to_string())?;
        let Some(wanted) = wanted.next() else { return Err(format!("{name} is not to be there")) };
        let header = entry.header();
        let found = [
            ("name", Json::from(name.as_str())),
            ("mode", Json::from(format!("0o{:o}", header.mode().unwrap_or_default()))),
            ("mtime", Json::from(header.mtime().unwrap_or_default())),
            ("size", Json::from(content.len())),
            ("sha256", Json::from(sha256_text(&content))),
        ];
        for (key, found) in found {
            if !wanted[key].is_null() && wanted[key] != found {
                return Err(format!("{key} of {name} is {found} in place of {}", wanted[key]));
            }
        }
    }
    match wanted.next() {
        Some(missing) => Err(format!("{} is missing", missing["name"])),
        None => Ok(()),
    }
}
