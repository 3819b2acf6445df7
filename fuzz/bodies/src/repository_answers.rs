//! What servers of repositories and registries answer: the first byte says what it is taken for.

use trueline_helm::repository::oci::{self, Challenge, Manifest, Reference, RegistryConfig};
use trueline_helm::repository::{Form, Repositories, Term, Versions, address, read_index, search};

use crate::Target;

pub(crate) const TARGET: Target = Target {
    name: "repository_answers",
    run,
    seeds: &[
        "iapiVersion: v1\nentries:\n  web:\n  - {name: web, version: 1.2.3, urls: [web-1.2.3.tgz], digest: aa, created: \
         2024-01-01T00:00:00Z}\n  - {name: web, version: x}\n  -\n",
        "i{\"apiVersion\": \"v1\", \"entries\": {\"a\": [{\"name\": \"a\", \"version\": \"1.0.0-rc.1+b\"}]}}",
        "rrepositories:\n- {name: a, url: 'https://me:pw@x.example/c?q=1', pass_credentials_all: true}\n",
        "m{\"schemaVersion\": 2, \"config\": {\"mediaType\": \"application/vnd.cncf.helm.config.v1+json\", \"digest\": \
         \"sha256:c\", \"size\": 1}, \"layers\": [{\"mediaType\": \"application/tar+gzip\", \"digest\": \"d\", \"size\": 2}]}",
        "cBearer realm=\"https://a.example/token\",service=\"s\",scope=\"repository:a/b:pull\"",
        "t{\"tags\": [\"1.0.0\", \"1.0.0_a\", \"latest\"]}",
        "l</v2/x/tags/list?last=a>; rel=\"next\", <b>; rel=prev",
        "ooci://r.example:5000/charts/web:1.0.0+a@sha256:00",
        "a{\"auths\": {\"r.example\": {\"auth\": \"bWU6cHc=\"}}, \"credsStore\": \"x\"}",
        "uhttps://x.example/charts/\nsub/../web-1.0.0.tgz",
    ],
};

fn run(input: &[u8]) {
    let Some((kind, rest)) = input.split_first() else { return };
    let text = String::from_utf8_lossy(rest);
    match kind {
        b'i' => index(rest),
        b'r' => {
            if let Ok(read) = Repositories::read(rest) {
                let again =
                    Repositories::read(read.to_yaml().as_bytes()).expect("what is written can be read");
                assert_eq!(again.entries, read.entries);
            }
        }
        b'm' => drop(Manifest::read(rest)),
        b'c' => drop(Challenge::parse(&text)),
        b't' => drop(oci::read_tags(rest).map(|tags| oci::sorted(&tags))),
        b'l' => _ = oci::next_page(&text),
        b'o' => {
            if let Ok(reference) = Reference::parse(&text) {
                assert!(!reference.repository.contains(".."), "{reference}");
                assert!(!reference.tag.contains('/'), "{reference}");
            }
        }
        b'a' => drop(RegistryConfig::read(rest).get("r.example")),
        _ => {
            let (base, reference) = text.split_once('\n').unwrap_or((&text, ""));
            let _ = address::resolve(base, reference);
            let _ = address::below(base, reference);
            if let Some(name) = address::file_name(reference) {
                assert!(
                    !name.contains(['/', '\\', '\0']) && !matches!(name.as_str(), "" | "." | ".."),
                    "{name}"
                );
            }
            assert!(address::same(base, base), "{base}");
        }
    }
}

fn index(bytes: &[u8]) {
    let Ok(index) = read_index(bytes, "input", &mut Vec::new()) else { return };
    for name in index.entries.keys() {
        let _ = index.get(name, "", &mut Vec::new());
        let _ = index.get(name, ">0.0.0-0", &mut Vec::new());
    }
    let text = index.to_text(Form::Json, "2024-01-01T00:00:00Z");
    let again = read_index(text.as_bytes(), "output", &mut Vec::new()).expect("what is written can be read");
    let count =
        |index: &trueline_helm::repository::Index| index.entries.values().map(Vec::len).sum::<usize>();
    assert_eq!(count(&again), count(&index));
    let indexes = [("r".to_owned(), std::sync::Arc::new(index))];
    let _ = search(&indexes, Term::Text("a"), Versions::Newest, ">0.0.0");
}
