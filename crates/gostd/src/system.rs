//! Go's words for what the system refuses, and its paths.

use std::io;
use std::path::{Component, Path, PathBuf};

/// A system error in Go's words.
pub fn error(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::NotADirectory => "not a directory".to_owned(),
        io::ErrorKind::IsADirectory => "is a directory".to_owned(),
        io::ErrorKind::AlreadyExists => "file exists".to_owned(),
        _ => {
            let plain = plain(error);
            let mut characters = plain.chars();
            match characters.next() {
                Some(first) => first.to_lowercase().chain(characters).collect(),
                None => plain,
            }
        }
    }
}

/// A path as it is typed, with `.` and `..` worked out as far as they can be without the disk.
pub fn clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match (part, clean.components().next_back()) {
            (Component::CurDir, _) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => {
                clean.pop();
            }
            (Component::ParentDir, Some(Component::RootDir)) => {}
            (part, _) => clean.push(part),
        }
    }
    if clean.as_os_str().is_empty() { PathBuf::from(".") } else { clean }
}

/// The system's sentence without its error number.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cleaned_without_looking_at_the_disk() {
        for (path, clean_path) in [
            ("a/./b/../c", "a/c"),
            ("./x", "x"),
            ("../x", "../x"),
            ("/../x", "/x"),
            (".", "."),
            ("a/..", "."),
        ] {
            assert_eq!(clean(Path::new(path)), Path::new(clean_path), "{path}");
        }
    }
}
