//! Keys and certificates.

use core::net::IpAddr;
use std::any::Any;

use trueline_gostd::base64::STANDARD;
use trueline_gotemplate::{Context, Data, Error, Function, Kind, Object, Type, Value, fmt};

use crate::argument::{any, integer, text};
use crate::crypto::certificate::{Certificate, Issuer, Request, Role, create};
use crate::crypto::key::{KeyKind, PrivateKey};
use crate::define::fixed;

const CERTIFICATE: Type = Type::Named("sprig.certificate");
const NEW_KEY: KeyKind = KeyKind::Rsa(2_048);

const AUTHORITY: &[Type] = &[Type::String, Type::INT];
const AUTHORITY_WITH_KEY: &[Type] = &[Type::String, Type::INT, Type::String];
const SELF_SIGNED: &[Type] = &[Type::String, Type::LIST, Type::LIST, Type::INT];
const SELF_SIGNED_WITH_KEY: &[Type] = &[Type::String, Type::LIST, Type::LIST, Type::INT, Type::String];
const SIGNED: &[Type] = &[Type::String, Type::LIST, Type::LIST, Type::INT, CERTIFICATE];
const SIGNED_WITH_KEY: &[Type] =
    &[Type::String, Type::LIST, Type::LIST, Type::INT, CERTIFICATE, Type::String];

/// The functions of this family.
pub(crate) const FUNCTIONS: &[Function] = &[
    fixed(
        "genPrivateKey",
        &[Type::String],
        gen_private_key,
        "TYPE",
        "A new key: `rsa`, `dsa`, `ecdsa` or `ed25519`.",
    ),
    fixed(
        "buildCustomCert",
        &[Type::String, Type::String],
        build_custom_cert,
        "CERTIFICATE KEY",
        "A certificate with its key, both given in base64.",
    ),
    fixed("genCA", AUTHORITY, gen_ca, "NAME DAYS", "A new certificate that can sign others."),
    fixed("genCAWithKey", AUTHORITY_WITH_KEY, gen_ca, "NAME DAYS KEY", "Like `genCA`, for an existing key."),
    fixed(
        "genSelfSignedCert",
        SELF_SIGNED,
        gen_self_signed_cert,
        "NAME ADDRESSES HOSTS DAYS",
        "A new certificate that is signed with its own key.",
    ),
    fixed(
        "genSelfSignedCertWithKey",
        SELF_SIGNED_WITH_KEY,
        gen_self_signed_cert,
        "NAME ADDRESSES HOSTS DAYS KEY",
        "Like `genSelfSignedCert`, for an existing key.",
    ),
    fixed(
        "genSignedCert",
        SIGNED,
        gen_signed_cert,
        "NAME ADDRESSES HOSTS DAYS AUTHORITY",
        "A new certificate that is signed by an authority.",
    ),
    fixed(
        "genSignedCertWithKey",
        SIGNED_WITH_KEY,
        gen_signed_cert,
        "NAME ADDRESSES HOSTS DAYS AUTHORITY KEY",
        "Like `genSignedCert`, for an existing key.",
    ),
];

/// A certificate with its key, as templates see it.
#[derive(Debug, Clone, Default)]
struct Pair {
    certificate: String,
    key: String,
}

impl Object for Pair {
    fn type_name(&self) -> &'static str {
        "sprig.certificate"
    }

    fn kind(&self) -> Kind {
        Kind::Struct
    }

    fn field(&self, name: &str) -> Option<Value> {
        match name {
            "Cert" => Some(Value::from(self.certificate.as_str())),
            "Key" => Some(Value::from(self.key.as_str())),
            _ => None,
        }
    }

    fn parts(&self) -> Vec<Value> {
        vec![self.certificate.as_str().into(), self.key.as_str().into()]
    }

    fn text(&self) -> String {
        format!("{{{} {}}}", self.certificate, self.key)
    }

    fn plain(&self) -> trueline_yaml::Value {
        [("Cert", self.certificate.as_str().into()), ("Key", self.key.as_str().into())].into_iter().collect()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn gen_private_key(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let name = text(arguments, 0);
    let kind = match name.as_bytes() {
        b"" | b"rsa" => KeyKind::Rsa(4_096),
        b"dsa" => KeyKind::Dsa,
        b"ecdsa" => KeyKind::Ecdsa,
        b"ed25519" => KeyKind::Ed25519,
        _ => return Ok(Value::from(format!("Unknown type {}", name.text()))),
    };
    generated(context, kind).map(|key| Value::from(key.write()))
}

fn build_custom_cert(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let certificate = STANDARD
        .decode(text(arguments, 0).as_bytes())
        .map_err(|_| Error::new("unable to decode base64 certificate"))?;
    let key = STANDARD
        .decode(text(arguments, 1).as_bytes())
        .map_err(|_| Error::new("unable to decode base64 private key"))?;
    Certificate::read(&certificate)
        .ok_or_else(|| Error::new("unable to decode certificate"))?
        .map_err(|why| Error::new(format!("error parsing certificate: decodedCert.Bytes: {why}")))?;
    read_key(context, &key, "error parsing private key")?;
    let [certificate, key] = [certificate, key].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(Value::object(Pair { certificate, key }))
}

fn generated(context: &mut dyn Context, kind: KeyKind) -> Result<PrivateKey, Error> {
    context.spend(kind.steps())?;
    Ok(PrivateKey::generate(context.environment(), kind))
}

/// Reads a key; `doing` precedes what is wrong with it.
fn read_key(context: &mut dyn Context, text: &[u8], doing: &str) -> Result<PrivateKey, Error> {
    context.spend(PrivateKey::steps_to_read(text.len()))?;
    PrivateKey::read(text).map_err(|why| Error::new(format!("{doing}: {why}")))
}

/// The key given in this place, or a new one if there is none.
fn key_for(context: &mut dyn Context, arguments: &[Value], index: usize) -> Result<PrivateKey, Error> {
    match arguments.get(index) {
        None => generated(context, NEW_KEY),
        Some(_) => read_key(context, text(arguments, index).as_bytes(), "parsing private key"),
    }
}

fn issued(
    context: &mut dyn Context,
    request: &Request<'_>,
    key: &PrivateKey,
    issuer: &Issuer<'_>,
) -> Result<Value, Error> {
    let signer = match issuer {
        Issuer::Itself => key,
        Issuer::Other(_, signer) => signer,
    };
    context.spend(signer.steps_to_sign())?;
    let certificate = create(context.environment(), request, key, issuer)
        .map_err(|why| Error::new(format!("error creating certificate: {why}")))?;
    Ok(Value::object(Pair { certificate, key: key.write() }))
}

fn gen_ca(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let key = key_for(context, arguments, 2)?;
    let name = text(arguments, 0);
    let request = Request {
        common_name: name.as_bytes(),
        addresses: Vec::new(),
        names: Vec::new(),
        days: integer(arguments, 1),
        role: Role::Authority,
    };
    issued(context, &request, &key, &Issuer::Itself)
}

fn gen_self_signed_cert(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let key = key_for(context, arguments, 4)?;
    let name = text(arguments, 0);
    issued(context, &peer(name.as_bytes(), arguments)?, &key, &Issuer::Itself)
}

fn gen_signed_cert(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let key = key_for(context, arguments, 5)?;
    let authority = any(arguments, 4);
    let authority = match &authority.data {
        Data::Object(object) => object.as_any().downcast_ref::<Pair>().cloned().unwrap_or_default(),
        _ => Pair::default(),
    };
    let certificate = Certificate::read(authority.certificate.as_bytes())
        .ok_or_else(|| Error::new("unable to decode certificate"))?
        .map_err(|why| Error::new(format!("error parsing certificate: decodedSignerCert.Bytes: {why}")))?;
    let signer = read_key(context, authority.key.as_bytes(), "error parsing private key")?;
    let name = text(arguments, 0);
    issued(context, &peer(name.as_bytes(), arguments)?, &key, &Issuer::Other(&certificate, &signer))
}

/// The content of a certificate for one side of a connection.
fn peer<'a>(name: &'a [u8], arguments: &[Value]) -> Result<Request<'a>, Error> {
    let mut addresses = Vec::new();
    for value in items(arguments, 1) {
        let Some(text) = value.as_str() else {
            let shown = fmt::text(&value);
            return Err(Error::new(format!("error parsing ip: {} is not a string", shown.text())));
        };
        let address = parse_address(text.as_bytes())
            .ok_or_else(|| Error::new(format!("error parsing ip: {}", text.text())))?;
        addresses.push(address);
    }
    let mut names = Vec::new();
    for value in items(arguments, 2) {
        let Some(text) = value.as_str() else {
            let shown = fmt::text(&value);
            let why = format!("error processing alternate dns name: {} is not a string", shown.text());
            return Err(Error::new(why));
        };
        names.push(text.as_bytes().to_vec());
    }
    Ok(Request { common_name: name, addresses, names, days: integer(arguments, 3), role: Role::Peer })
}

fn items(arguments: &[Value], index: usize) -> Vec<Value> {
    any(arguments, index).as_list().map(|list| list.to_vec()).unwrap_or_default()
}

/// An address as Go parses it: without a zone.
fn parse_address(text: &[u8]) -> Option<IpAddr> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::test_context::{call, counts_first, shown};

    fn field(value: &Value, name: &str) -> Value {
        let Data::Object(object) = &value.data else { panic!("{value:?} is no object") };
        object.field(name).unwrap()
    }

    fn made(name: &str, arguments: &[Value]) -> Value {
        call(FUNCTIONS, name, arguments).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    #[test]
    fn a_chain_with_existing_keys() {
        let key = made("genPrivateKey", &["ecdsa".into()]);
        let authority = made("genCAWithKey", &["ca".into(), Value::int(10), key.clone()]);
        assert_eq!(shown(Ok(field(&authority, "Key"))), shown(Ok(key.clone())));
        let addresses = Value::list(vec!["10.0.0.1".into(), "fe80::1".into()]);
        let hosts = Value::list(vec!["a".into(), "b.c".into()]);
        let other = made("genPrivateKey", &["ed25519".into()]);
        let days = Value::int(365);
        let common = ["cn".into(), addresses, hosts, days];
        let signed = made("genSignedCertWithKey", &[&common[..], &[authority, other.clone()]].concat());
        assert!(shown(Ok(field(&signed, "Cert"))).starts_with("-----BEGIN CERTIFICATE-----\n"));
        made("genSelfSignedCertWithKey", &[&common[..], &[other]].concat());
        let encoded = |name: &str| Value::from(STANDARD.encode(shown(Ok(field(&signed, name))).as_bytes()));
        let built = made("buildCustomCert", &[encoded("Cert"), encoded("Key")]);
        assert_eq!(shown(Ok(field(&built, "Cert"))), shown(Ok(field(&signed, "Cert"))));
    }

    #[test]
    fn slow_functions_are_counted() {
        let none = || Value::list(Vec::new());
        let authority = ["a".into(), Value::int(1)];
        let peer = ["a".into(), none(), none(), Value::int(1)];
        for (name, arguments) in [
            ("genPrivateKey", vec!["rsa".into()]),
            ("genPrivateKey", vec!["ed25519".into()]),
            ("genCA", authority.to_vec()),
            ("genCAWithKey", [&authority[..], &["x".into()]].concat()),
            ("genSelfSignedCert", peer.to_vec()),
            ("genSignedCert", [&peer[..], &[Value::object(Pair::default())]].concat()),
        ] {
            assert!(counts_first(FUNCTIONS, name, &arguments), "{name}");
        }
        assert!((15_000_000..30_000_000).contains(&KeyKind::Rsa(4_096).steps()));
    }

    #[test]
    fn errors() {
        let key = made("genPrivateKey", &["ed25519".into()]);
        let none = || Value::list(Vec::new());
        let days = || Value::int(1);
        for (name, arguments, expected) in [
            ("genPrivateKey", vec!["nope".into()], "Unknown type nope"),
            ("buildCustomCert", vec!["!".into(), "".into()], "unable to decode base64 certificate"),
            ("buildCustomCert", vec!["".into(), "!".into()], "unable to decode base64 private key"),
            ("buildCustomCert", vec!["".into(), "".into()], "unable to decode certificate"),
            (
                "genCAWithKey",
                vec!["a".into(), days(), "x".into()],
                "parsing private key: no PEM data in input",
            ),
            (
                "genSelfSignedCertWithKey",
                vec!["a".into(), Value::list(vec![Value::int(5)]), none(), days(), key.clone()],
                "error parsing ip: 5 is not a string",
            ),
            (
                "genSelfSignedCertWithKey",
                vec!["a".into(), Value::list(vec!["x".into()]), none(), days(), key.clone()],
                "error parsing ip: x",
            ),
            (
                "genSelfSignedCertWithKey",
                vec!["a".into(), none(), Value::list(vec![Value::nil()]), days(), key.clone()],
                "error processing alternate dns name: <nil> is not a string",
            ),
            (
                "genSignedCertWithKey",
                vec!["a".into(), none(), none(), days(), Value::object(Pair::default()), key],
                "unable to decode certificate",
            ),
        ] {
            assert_eq!(shown(call(FUNCTIONS, name, &arguments)), expected, "{name}");
        }
    }
}
