//! The files of a packed chart, with Helm's checks of their paths and sizes.

use std::cell::RefCell;
use std::io::{self, Read};
use std::rc::Rc;

use tar::{Archive, EntryType};
use trueline_diagnostic::Code;
use trueline_gotemplate::fmt::quote;
use trueline_source::Metered;

use super::context::Context;
use super::directory;
use super::gzip::{self, Gunzip, Progress};
use super::raw::{Raw, about_file};
use super::{ARCHIVE_PATH, BROKEN_ARCHIVE, CHART_TOO_LARGE, Compat, LoadFailure};

/// Bytes of all files of one chart.
pub(super) const LARGEST_CHART: u64 = 100 << 20;
/// Bytes of one file, for Helm 3.
pub(super) const LARGEST_FILE_HELM3: u64 = 5 << 20;

/// Bytes of an archive with all that is in it, also what is no part of a chart.
const LARGEST_UNPACKED: u64 = 512 << 20;

/// Archives are made of blocks.
const BLOCK: usize = 512;

/// The files of an archive, which is shown to a person as `shown`.
pub(super) fn unpack(bytes: &[u8], shown: &str, context: &mut Context<'_>) -> Result<Vec<Raw>, LoadFailure> {
    let sources = context.sources;
    let fail = |code: &'static Code, text: &str, message: String| {
        LoadFailure::new(text, vec![about_file(sources, shown, code, message)])
    };
    let progress: Rc<RefCell<Progress>> = Rc::default();
    let broken = |text: String| {
        let message = match text.as_str() {
            gzip::INVALID_HEADER => "this is not a gzip archive".to_owned(),
            gzip::UNEXPECTED_END | "EOF" => "this archive ends too early".to_owned(),
            _ => "this archive is damaged".to_owned(),
        };
        fail(&BROKEN_ARCHIVE, &text, message).with_text(text)
    };
    let gunzip = Gunzip::new(bytes, Rc::clone(&progress)).map_err(&broken)?;
    // Names are kept, and what is skipped is unpacked all the same.
    let (gunzip, meter) = Metered::new(gunzip, LARGEST_UNPACKED);
    let stopped = |error: io::Error| {
        if error.kind() == io::ErrorKind::FileTooLarge {
            let text = match meter.is_in_headers() {
                true => "archive/tar: header field too long".to_owned(),
                false => format!("decompressed chart is larger than the maximum size {LARGEST_UNPACKED}"),
            };
            let message = match meter.is_in_headers() {
                true => "the name of an entry of this archive is too long".to_owned(),
                false => format!("this archive unpacks to more than {LARGEST_UNPACKED} bytes"),
            };
            return fail(&CHART_TOO_LARGE, &text, message).with_text(text);
        }
        let progress = progress.borrow();
        // Whatever the reader of archives calls it: there is half a block at the end.
        let ended = error.kind() == io::ErrorKind::UnexpectedEof || !progress.given.is_multiple_of(BLOCK);
        broken(match &progress.stopped {
            Some(text) => text.clone(),
            None if ended => gzip::UNEXPECTED_END.to_owned(),
            None => "archive/tar: invalid tar header".to_owned(),
        })
    };
    let mut archive = Archive::new(gunzip);
    let mut files = Vec::new();
    let mut left = LARGEST_CHART;
    // Where the last file that was read ended.
    let mut end = 0;
    for entry in archive.entries().map_err(&stopped)? {
        let mut entry = match entry {
            Ok(entry) => entry,
            // Go asks for no padding after the last file.
            Err(_) if is_unpadded(&progress.borrow(), end) => break,
            Err(error) => return Err(stopped(error)),
        };
        context.count_file(shown)?;
        meter.begin_entry(entry.size().min(LARGEST_UNPACKED));
        if is_directory(&entry)
            || matches!(entry.header().entry_type(), EntryType::XGlobalHeader | EntryType::XHeader)
        {
            continue;
        }
        let written = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        context.count_unpacked(written.len() as u64, shown)?;
        let path = inner_path(&written).map_err(|text| {
            fail(&ARCHIVE_PATH, &text, format!("the entry `{}` is not allowed", written.escape_debug()))
        })?;
        if path.matches('/').count() > directory::DEEPEST {
            let text = directory::too_deep();
            let message = format!("the directories of `{}…` are nested too deeply", first_characters(&path));
            return Err(fail(&CHART_TOO_LARGE, &text, message));
        }
        let size = if has_content(entry.header().entry_type()) { entry.size() } else { 0 };
        let too_large = || {
            let word = if context.compat == Compat::Helm3 { "file size" } else { "size" };
            let text = format!("decompressed chart is larger than the maximum {word} {LARGEST_CHART}");
            fail(&CHART_TOO_LARGE, &text, format!("this archive unpacks to more than {LARGEST_CHART} bytes"))
        };
        if size > left {
            return Err(too_large());
        }
        if context.compat == Compat::Helm3 && size > LARGEST_FILE_HELM3 {
            let text = format!(
                "decompressed chart file {} is larger than the maximum file size {LARGEST_FILE_HELM3}",
                quote(&written)
            );
            return Err(fail(
                &CHART_TOO_LARGE,
                &text,
                format!("`{path}` is larger than {LARGEST_FILE_HELM3} bytes"),
            ));
        }
        let mut data = Vec::new();
        if size > 0 {
            (&mut entry).take(left).read_to_end(&mut data).map_err(&stopped)?;
        }
        let length = data.len() as u64;
        left = left.saturating_sub(length);
        if length < size {
            return Err(broken(gzip::UNEXPECTED_END.to_owned()));
        }
        if left == 0 {
            return Err(too_large());
        }
        context.count_unpacked(length, shown)?;
        end = entry.raw_file_position().saturating_add(size);
        let modified = entry.header().mtime().ok().and_then(|seconds| i64::try_from(seconds).ok());
        files
            .push(Raw::new(path, format!("{shown}/{written}"), data.as_slice().into()).modified_at(modified));
    }
    if files.is_empty() {
        return Err(fail(
            &BROKEN_ARCHIVE,
            "no files in chart archive",
            "this archive has no files".to_owned(),
        ));
    }
    Ok(files)
}

/// As much of a path as tells it from others.
fn first_characters(path: &str) -> String {
    path.chars().take(40).collect()
}

/// Whether an archive stopped after the content of a file, inside the padding of its last block.
fn is_unpadded(progress: &Progress, end: u64) -> bool {
    let given = progress.given as u64;
    let block_end = end.next_multiple_of(BLOCK as u64);
    progress.stopped.is_none() && (end..block_end).contains(&given)
}

fn is_directory<R: Read>(entry: &tar::Entry<'_, R>) -> bool {
    let header = entry.header();
    // Archives from before directories had a type have this one, and a slash at the end.
    let is_untyped = header.as_old().linkflag == [0];
    header.entry_type() == EntryType::Directory
        || header.mode().is_ok_and(|mode| mode & !0o7777 == 0o040_000)
        || (is_untyped && entry.path_bytes().ends_with(b"/"))
}

/// Links and devices have no content, whatever their header says.
fn has_content(kind: EntryType) -> bool {
    !matches!(
        kind,
        EntryType::Link
            | EntryType::Symlink
            | EntryType::Char
            | EntryType::Block
            | EntryType::Directory
            | EntryType::Fifo
    )
}

/// The path inside the chart of an entry, or Helm's words against it: the first part is the chart's
/// directory, whatever its name.
fn inner_path(written: &str) -> Result<String, String> {
    let separator = if written.contains('\\') { '\\' } else { '/' };
    let (first, rest) = written.split_once(separator).unwrap_or((written, ""));
    let rest = rest.replace(separator, "/");
    if rest.starts_with('/') {
        return Err("chart illegally contains absolute paths".to_owned());
    }
    let path = clean(&rest);
    let text = if path == "." {
        return Err(format!(
            "chart illegally contains content outside the base directory: {}",
            quote(written)
        ));
    } else if path.starts_with("..") {
        "chart illegally references parent directory"
    } else if has_drive(&path) {
        "chart contains illegally named files"
    } else if first == "Chart.yaml" {
        "chart yaml not in base directory"
    } else {
        return Ok(path);
    };
    Err(text.to_owned())
}

fn has_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', b'/', ..] if letter.is_ascii_alphabetic())
}

/// Go's `path.Clean` of a path that is not absolute.
fn clean(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_judged_as_helm_judges_them() {
        for (written, path) in [
            ("c/Chart.yaml", "Chart.yaml"),
            ("any/templates/./a//b.yaml", "templates/a/b.yaml"),
            ("c\\templates\\t.yaml", "templates/t.yaml"),
            ("c/a/../b", "b"),
            ("./c/Chart.yaml", "c/Chart.yaml"),
            ("c/C:x", "C:x"),
        ] {
            assert_eq!(inner_path(written).as_deref(), Ok(path), "{written}");
        }
        for (written, text) in [
            ("c//etc/passwd", "chart illegally contains absolute paths"),
            ("README", "chart illegally contains content outside the base directory: \"README\""),
            ("c/a/..", "chart illegally contains content outside the base directory: \"c/a/..\""),
            ("c/../../x", "chart illegally references parent directory"),
            ("c/..x", "chart illegally references parent directory"),
            ("c\\C:\\x", "chart contains illegally named files"),
            ("Chart.yaml/x", "chart yaml not in base directory"),
        ] {
            assert_eq!(inner_path(written), Err(text.to_owned()), "{written}");
        }
    }
}
