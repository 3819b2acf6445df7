//! X.509 certificates: created like Go's, and parsed as far as creation requires.

use core::net::IpAddr;
use sha2::{Digest, Sha256};
use trueline_gostd::time::{Duration, Time, Zone};
use trueline_gotemplate::Environment;

use super::der::{
    self, BIT_STRING, BOOLEAN, GENERALIZED_TIME, INTEGER, OBJECT_IDENTIFIER, OCTET_STRING, PRINTABLE_STRING,
    Reader, SEQUENCE, SET, UTC_TIME, UTF8_STRING,
};
use super::key::PrivateKey;
use super::pem;
use super::prime::random_below_power;

const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
const SUBJECT_KEY_IDENTIFIER: &[u8] = &[0x55, 0x1d, 0x0e];
const KEY_USAGE: &[u8] = &[0x55, 0x1d, 0x0f];
const SUBJECT_ALTERNATIVE_NAME: &[u8] = &[0x55, 0x1d, 0x11];
const BASIC_CONSTRAINTS: &[u8] = &[0x55, 0x1d, 0x13];
const AUTHORITY_KEY_IDENTIFIER: &[u8] = &[0x55, 0x1d, 0x23];
const EXTENDED_KEY_USAGE: &[u8] = &[0x55, 0x1d, 0x25];
const SERVER_AUTHENTICATION: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01];
const CLIENT_AUTHENTICATION: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x02];

/// The content of a new certificate.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    pub(crate) common_name: &'a [u8],
    pub(crate) addresses: Vec<IpAddr>,
    pub(crate) names: Vec<Vec<u8>>,
    pub(crate) days: i64,
    pub(crate) role: Role,
}

/// The purpose of a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Authority,
    Peer,
}

/// The signer.
#[derive(Debug)]
pub(crate) enum Issuer<'a> {
    /// The key of the certificate itself.
    Itself,
    /// Another certificate with its key.
    Other(&'a Certificate, &'a PrivateKey),
}

/// The parsed parts of a certificate.
#[derive(Debug)]
pub(crate) struct Certificate {
    subject: Vec<u8>,
    public_key: Vec<u8>,
    subject_key_identifier: Vec<u8>,
}

/// Creates a certificate for a key and returns its text; the error is Go's.
pub(crate) fn create(
    environment: &dyn Environment,
    request: &Request<'_>,
    key: &PrivateKey,
    issuer: &Issuer<'_>,
) -> Result<String, String> {
    let serial = random_below_power(environment, 128);
    let signer = match issuer {
        Issuer::Itself => key,
        Issuer::Other(_, signer) => signer,
    };
    let algorithm = signer
        .signature_algorithm()
        .ok_or("x509: certificate private key does not implement crypto.Signer")?;
    let (kind, bits) = key.public().ok_or("x509: unsupported public key type: *dsa.PublicKey")?;
    let public_key = der::sequence(&[&kind, &der::bit_string(&bits)]);
    let subject = name(request.common_name)?;
    let (issuer_name, mut authority) = match issuer {
        Issuer::Itself => (subject.clone(), Vec::new()),
        Issuer::Other(certificate, _) => {
            (certificate.subject.clone(), certificate.subject_key_identifier.clone())
        }
    };
    if issuer_name == subject {
        authority.clear();
    }
    if let Issuer::Other(certificate, signer) = issuer {
        let own = signer.public().map(|(kind, bits)| der::sequence(&[&kind, &der::bit_string(&bits)]));
        if own.is_some_and(|own| own != certificate.public_key) {
            return Err("x509: provided PrivateKey doesn't match parent's PublicKey".to_owned());
        }
    }
    let start = Time::now(environment.now()).in_zone(Zone::Utc);
    let end = start.add(Duration(request.days.wrapping_mul(24 * 3_600_000_000_000)));
    let contents = der::sequence(&[
        &der::tagged(0xa0, &der::tagged(INTEGER, &[2])),
        &der::integer(&serial),
        &algorithm,
        &issuer_name,
        &der::sequence(&[&time(&start)?, &time(&end)?]),
        &subject,
        &public_key,
        &der::tagged(0xa3, &extensions(request, &subject, &bits, &authority)?),
    ]);
    let signature = signer.sign(&contents).ok_or("crypto/rsa: message too long for RSA key size")?;
    let whole = der::sequence(&[&contents, &algorithm, &der::bit_string(&signature)]);
    Ok(pem::encode("CERTIFICATE", &whole))
}

/// A name that consists of a common name only.
fn name(common_name: &[u8]) -> Result<Vec<u8>, String> {
    if common_name.is_empty() {
        return Ok(der::sequence(&[]));
    }
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b" '()+,-./:=?".contains(byte);
    let tag = if common_name.iter().all(plain) { PRINTABLE_STRING } else { UTF8_STRING };
    if std::str::from_utf8(common_name).is_err() {
        return Err("asn1: structure error: asn1: string not valid UTF-8".to_owned());
    }
    let attribute =
        der::sequence(&[&der::tagged(OBJECT_IDENTIFIER, COMMON_NAME), &der::tagged(tag, common_name)]);
    Ok(der::sequence(&[&der::tagged(SET, &attribute)]))
}

/// A time: in the short form if the century is clear.
fn time(time: &Time) -> Result<Vec<u8>, String> {
    match time.civil().year {
        1950..2050 => Ok(der::tagged(UTC_TIME, &time.format(b"060102150405Z"))),
        0..10_000 => Ok(der::tagged(GENERALIZED_TIME, &time.format(b"20060102150405Z"))),
        _ => Err("asn1: structure error: cannot represent time as GeneralizedTime".to_owned()),
    }
}

fn extensions(
    request: &Request<'_>,
    subject: &[u8],
    key_bits: &[u8],
    authority: &[u8],
) -> Result<Vec<u8>, String> {
    let is_authority = request.role == Role::Authority;
    // Allows signing and encrypting keys; an authority may also sign certificates.
    let usage: &[u8] = if is_authority { &[2, 0xa4] } else { &[5, 0xa0] };
    let uses =
        [SERVER_AUTHENTICATION, CLIENT_AUTHENTICATION].map(|usage| der::tagged(OBJECT_IDENTIFIER, usage));
    let [server, client] = &uses;
    let truth = der::tagged(BOOLEAN, &[0xff]);
    let constraints = if is_authority { der::sequence(&[&truth]) } else { der::sequence(&[]) };
    let mut all = vec![
        extension(KEY_USAGE, Critical::Yes, &der::tagged(BIT_STRING, usage)),
        extension(EXTENDED_KEY_USAGE, Critical::No, &der::sequence(&[server, client])),
        extension(BASIC_CONSTRAINTS, Critical::Yes, &constraints),
    ];
    if is_authority {
        let hash = Sha256::digest(key_bits);
        let identifier = hash.get(..20).unwrap_or_default();
        all.push(extension(SUBJECT_KEY_IDENTIFIER, Critical::No, &der::tagged(OCTET_STRING, identifier)));
    }
    if !authority.is_empty() {
        let identifier = der::sequence(&[&der::tagged(0x80, authority)]);
        all.push(extension(AUTHORITY_KEY_IDENTIFIER, Critical::No, &identifier));
    }
    if !request.names.is_empty() || !request.addresses.is_empty() {
        let mut names = Vec::new();
        for name in &request.names {
            if !name.is_ascii() {
                let quoted = trueline_gotemplate::fmt::quote(name);
                return Err(format!("x509: {quoted} cannot be encoded as an IA5String"));
            }
            names.extend(der::tagged(0x82, name));
        }
        for address in &request.addresses {
            names.extend(match address.to_canonical() {
                IpAddr::V4(address) => der::tagged(0x87, &address.octets()),
                IpAddr::V6(address) => der::tagged(0x87, &address.octets()),
            });
        }
        // Without a common name, these are the only names.
        let critical = if subject == der::sequence(&[]) { Critical::Yes } else { Critical::No };
        all.push(extension(SUBJECT_ALTERNATIVE_NAME, critical, &der::tagged(SEQUENCE, &names)));
    }
    Ok(der::tagged(SEQUENCE, &all.concat()))
}

/// Whether a reader that does not know the extension must refuse the certificate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Critical {
    Yes,
    No,
}

fn extension(identifier: &[u8], critical: Critical, value: &[u8]) -> Vec<u8> {
    let mark = if critical == Critical::Yes { der::tagged(BOOLEAN, &[0xff]) } else { Vec::new() };
    der::sequence(&[&der::tagged(OBJECT_IDENTIFIER, identifier), &mark, &der::tagged(OCTET_STRING, value)])
}

impl Certificate {
    /// Parses the first block of the text. `None` if there is no block; the error is Go's message.
    pub(crate) fn read(text: &[u8]) -> Option<Result<Self, String>> {
        let block = pem::decode(text)?;
        Some(Self::parse(&block.bytes).map_err(|why| format!("x509: {why}")))
    }

    fn parse(bytes: &[u8]) -> Result<Self, &'static str> {
        let mut outer = Reader::new(bytes);
        let mut whole = outer.inside(SEQUENCE).ok_or("malformed certificate")?;
        let mut contents = whole.inside(SEQUENCE).ok_or("malformed tbs certificate")?;
        let version = match contents.inside(0xa0) {
            Some(mut version) => version.integer_bytes().ok_or("malformed version")?,
            None => &[0],
        };
        if version.len() != 1 || version > &[2] {
            return Err("invalid version");
        }
        let serial = contents.integer_bytes().ok_or("malformed serial number")?;
        if serial.first().is_some_and(|first| first & 0x80 != 0) {
            return Err("negative serial number");
        }
        let algorithm = contents.contents(SEQUENCE).ok_or("malformed signature algorithm identifier")?;
        if whole.contents(SEQUENCE).ok_or("malformed algorithm identifier")? != algorithm {
            return Err("inner and outer signature algorithm identifiers don't match");
        }
        let algorithm_name = Reader::new(algorithm).contents(OBJECT_IDENTIFIER);
        algorithm_name.ok_or("malformed OID")?;
        let issuer = contents.part(SEQUENCE).ok_or("malformed issuer")?;
        check_name(issuer.contents)?;
        let mut validity = contents.inside(SEQUENCE).ok_or("malformed validity")?;
        check_time(&mut validity)?;
        check_time(&mut validity)?;
        let subject = contents.part(SEQUENCE).ok_or("malformed issuer")?;
        check_name(subject.contents)?;
        let public_key = contents.part(SEQUENCE).ok_or("malformed spki")?;
        let mut key = Reader::new(public_key.contents);
        let mut kind = key.inside(SEQUENCE).ok_or("malformed public key algorithm identifier")?;
        kind.contents(OBJECT_IDENTIFIER).ok_or("malformed OID")?;
        key.bit_string().ok_or("malformed subjectPublicKey")?;
        let subject_key_identifier =
            if version == [2] { read_extensions(&mut contents)? } else { Vec::new() };
        whole.contents(BIT_STRING).ok_or("malformed signature")?;
        if !outer.is_empty() {
            return Err("trailing data");
        }
        Ok(Self {
            subject: subject.whole.to_vec(),
            public_key: public_key.whole.to_vec(),
            subject_key_identifier,
        })
    }
}

fn check_name(contents: &[u8]) -> Result<(), &'static str> {
    let mut reader = Reader::new(contents);
    while !reader.is_empty() {
        let mut set = reader.inside(SET).ok_or("invalid RDNSequence")?;
        while !set.is_empty() {
            let mut attribute = set.inside(SEQUENCE).ok_or("invalid RDNSequence: invalid attribute")?;
            attribute.contents(OBJECT_IDENTIFIER).ok_or("invalid RDNSequence: invalid attribute type")?;
            let value = attribute.any().ok_or("invalid RDNSequence: invalid attribute value")?;
            if value.tag == UTF8_STRING && std::str::from_utf8(value.contents).is_err() {
                return Err("invalid RDNSequence: invalid attribute value: invalid UTF-8 string");
            }
        }
    }
    Ok(())
}

fn check_time(reader: &mut Reader<'_>) -> Result<(), &'static str> {
    let part = reader.any().ok_or("unsupported time format")?;
    let fits = |digits: usize| {
        part.contents.len() == digits + 1
            && part.contents.ends_with(b"Z")
            && part.contents.iter().take(digits).all(u8::is_ascii_digit)
    };
    match part.tag {
        UTC_TIME if fits(12) || fits(10) => Ok(()),
        UTC_TIME => Err("malformed UTCTime"),
        GENERALIZED_TIME if fits(14) => Ok(()),
        GENERALIZED_TIME => Err("malformed GeneralizedTime"),
        _ => Err("unsupported time format"),
    }
}

/// The identifier of the key, if there is one.
fn read_extensions(contents: &mut Reader<'_>) -> Result<Vec<u8>, &'static str> {
    _ = contents.part(0x81);
    _ = contents.part(0x82);
    let Some(mut list) = contents.inside(0xa3) else { return Ok(Vec::new()) };
    let mut list = list.inside(SEQUENCE).ok_or("malformed extensions")?;
    let mut found = Vec::new();
    while !list.is_empty() {
        let mut extension = list.inside(SEQUENCE).ok_or("malformed extension")?;
        let identifier = extension.contents(OBJECT_IDENTIFIER).ok_or("malformed extension OID field")?;
        _ = extension.part(BOOLEAN);
        let value = extension.contents(OCTET_STRING).ok_or("malformed extension value field")?;
        if identifier == SUBJECT_KEY_IDENTIFIER {
            let key = Reader::new(value).contents(OCTET_STRING).ok_or("invalid subject key identifier")?;
            found = key.to_vec();
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::super::key::KeyKind;
    use super::*;
    use crate::test_context::Fixed;

    fn request(role: Role) -> Request<'static> {
        Request {
            common_name: b"example.com",
            addresses: vec!["10.0.0.1".parse().unwrap(), "::1".parse().unwrap()],
            names: vec![b"a.example.com".to_vec()],
            days: 365,
            role,
        }
    }

    #[test]
    fn a_chain() {
        let environment = Fixed::default();
        for kind in [KeyKind::Rsa(768), KeyKind::Ecdsa, KeyKind::Ed25519] {
            let authority_key = PrivateKey::generate(&environment, kind);
            let authority = Request { common_name: b"ca", ..request(Role::Authority) };
            let text = create(&environment, &authority, &authority_key, &Issuer::Itself).unwrap();
            let authority = Certificate::read(text.as_bytes()).unwrap().unwrap();
            assert_eq!(authority.subject_key_identifier.len(), 20);
            assert_eq!(authority.subject, name(b"ca").unwrap());
            let key = PrivateKey::generate(&environment, kind);
            let issuer = Issuer::Other(&authority, &authority_key);
            let text = create(&environment, &request(Role::Peer), &key, &issuer).unwrap();
            let peer = Certificate::read(text.as_bytes()).unwrap().unwrap();
            assert!(peer.subject_key_identifier.is_empty());
            let wrong = Issuer::Other(&authority, &key);
            assert_eq!(
                create(&environment, &request(Role::Peer), &key, &wrong).unwrap_err(),
                "x509: provided PrivateKey doesn't match parent's PublicKey"
            );
        }
    }

    #[test]
    fn what_cannot_be_expressed() {
        let environment = Fixed::default();
        let key = PrivateKey::generate(&environment, KeyKind::Ed25519);
        let foreign = Request { names: vec!["é".into()], ..request(Role::Peer) };
        assert_eq!(
            create(&environment, &foreign, &key, &Issuer::Itself).unwrap_err(),
            "x509: \"é\" cannot be encoded as an IA5String"
        );
        let broken = Request { common_name: b"\xff", ..request(Role::Peer) };
        assert!(create(&environment, &broken, &key, &Issuer::Itself).is_err());
    }

    #[test]
    fn broken_certificates() {
        for (bytes, expected) in [
            (&b""[..], "x509: malformed certificate"),
            (b"\x30\x00", "x509: malformed tbs certificate"),
            (b"\x30\x02\x30\x00", "x509: malformed serial number"),
        ] {
            let text = pem::encode("CERTIFICATE", bytes);
            assert_eq!(Certificate::read(text.as_bytes()).unwrap().unwrap_err(), expected);
        }
        assert!(Certificate::read(b"x").is_none());
    }
}
