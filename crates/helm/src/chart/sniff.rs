//! What a file seems to be, by its first 512 bytes: the WHATWG's rules as Go's `http.DetectContentType`
//! keeps them. Only Helm's words about a file that is no archive need it.

/// How many bytes are looked at; a shorter file is filled up with NUL.
const LENGTH: usize = 512;

const HTML: [&str; 17] = [
    "<!DOCTYPE HTML",
    "<HTML",
    "<HEAD",
    "<SCRIPT",
    "<IFRAME",
    "<H1",
    "<DIV",
    "<FONT",
    "<TABLE",
    "<A",
    "<STYLE",
    "<TITLE",
    "<B",
    "<BODY",
    "<BR",
    "<P",
    "<!--",
];

/// A pattern, the places in it whose byte does not count, and the type that it stands for.
type Signature = (&'static [u8], &'static [usize], &'static str);

/// In this order.
const SIGNATURES: [Signature; 30] = [
    (b"%PDF-", &[], "application/pdf"),
    (b"%!PS-Adobe-", &[], "application/postscript"),
    (b"\xfe\xff", &[], "text/plain; charset=utf-16be"),
    (b"\xff\xfe", &[], "text/plain; charset=utf-16le"),
    (b"\xef\xbb\xbf", &[], "text/plain; charset=utf-8"),
    (b"\0\0\x01\0", &[], "image/x-icon"),
    (b"\0\0\x02\0", &[], "image/x-icon"),
    (b"BM", &[], "image/bmp"),
    (b"GIF87a", &[], "image/gif"),
    (b"GIF89a", &[], "image/gif"),
    (b"RIFF....WEBPVP", &[4, 5, 6, 7], "image/webp"),
    (b"\x89PNG\r\n\x1a\n", &[], "image/png"),
    (b"\xff\xd8\xff", &[], "image/jpeg"),
    (b"FORM....AIFF", &[4, 5, 6, 7], "audio/aiff"),
    (b"ID3", &[], "audio/mpeg"),
    (b"OggS\0", &[], "application/ogg"),
    (b"MThd\0\0\0\x06", &[], "audio/midi"),
    (b"RIFF....AVI ", &[4, 5, 6, 7], "video/avi"),
    (b"RIFF....WAVE", &[4, 5, 6, 7], "audio/wave"),
    (b"\x1a\x45\xdf\xa3", &[], "video/webm"),
    (b"\0\x01\0\0", &[], "font/ttf"),
    (b"OTTO", &[], "font/otf"),
    (b"ttcf", &[], "font/collection"),
    (b"wOFF", &[], "font/woff"),
    (b"wOF2", &[], "font/woff2"),
    (b"\x1f\x8b\x08", &[], GZIP),
    (b"PK\x03\x04", &[], "application/zip"),
    (b"Rar!\x1a\x07\0", &[], "application/x-rar-compressed"),
    (b"Rar!\x1a\x07\x01\0", &[], "application/x-rar-compressed"),
    (b"\0asm", &[], "application/wasm"),
];

/// The type of gzip archives.
pub(super) const GZIP: &str = "application/x-gzip";

/// The content type of a file.
pub(super) fn content_type(file: &[u8]) -> &'static str {
    let mut bytes = [0; LENGTH];
    for (place, byte) in bytes.iter_mut().zip(file) {
        *place = *byte;
    }
    let text = bytes.iter().position(|byte| !matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' '));
    let text = text.and_then(|start| bytes.get(start..)).unwrap_or_default();
    let is_html = |tag: &&str| {
        text.get(..tag.len()).is_some_and(|head| head.eq_ignore_ascii_case(tag.as_bytes()))
            && matches!(text.get(tag.len()), Some(b' ' | b'>'))
    };
    if HTML.iter().any(is_html) {
        return "text/html; charset=utf-8";
    }
    if text.starts_with(b"<?xml") {
        return "text/xml; charset=utf-8";
    }
    let found = SIGNATURES.iter().find(|(pattern, any, _)| {
        let fits = |(index, byte): (usize, &u8)| any.contains(&index) || bytes.get(index) == Some(byte);
        pattern.iter().enumerate().all(fits)
    });
    if let Some((_, _, kind)) = found {
        return kind;
    }
    if is_mp4(&bytes) {
        return "video/mp4";
    }
    if bytes.get(34..36) == Some(b"LP") {
        return "application/vnd.ms-fontobject";
    }
    let binary = |byte: &u8| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    if text.iter().any(binary) { "application/octet-stream" } else { "text/plain; charset=utf-8" }
}

/// A first box of type `ftyp` that names a brand of MP4.
fn is_mp4(bytes: &[u8; LENGTH]) -> bool {
    let Some((size, rest)) = bytes.split_first_chunk::<4>() else { return false };
    let size = u32::from_be_bytes(*size) as usize;
    let Some(brands) = size.checked_sub(4).and_then(|size| rest.get(..size)) else { return false };
    size.is_multiple_of(4)
        && brands.starts_with(b"ftyp")
        && brands
            .chunks(4)
            .enumerate()
            .any(|(index, brand)| index > 0 && index != 2 && brand.starts_with(b"mp4"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_those_of_go() {
        let long = "text ".repeat(200);
        for (bytes, kind) in [
            (&b""[..], "application/octet-stream"),
            (b"short text", "application/octet-stream"),
            (long.as_bytes(), "text/plain; charset=utf-8"),
            (b"\x1f\x8b\x08\0", GZIP),
            (b"PK\x03\x04", "application/zip"),
            (b"  <!doctype html>", "text/html; charset=utf-8"),
            (b"\n<?xml version", "text/xml; charset=utf-8"),
            (b"\x89PNG\r\n\x1a\n", "image/png"),
            (b"\0\0\0\x14ftypmp42\0\0\0\0mp42", "video/mp4"),
            (b"RIFF1234WEBPVP8", "image/webp"),
            (b"\xef\xbb\xbfa: 1", "text/plain; charset=utf-8"),
        ] {
            assert_eq!(content_type(bytes), kind);
        }
    }
}
