//! Whole runs on a machine in memory: which schemas are fetched, what is kept of them, and what servers get to see.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::Arc;

use trueline_kubeconform::{Surroundings, run};
use trueline_source::{MemorySystem, Receiving, Response, System, Unfollowed};

/// A machine in memory, and what was printed on it.
struct Memory {
    system: Arc<MemorySystem>,
    printed: String,
}

impl Surroundings for Memory {
    fn system(&self) -> Arc<dyn System> {
        Arc::clone(&self.system) as Arc<dyn System>
    }

    fn print(&mut self, text: &[u8]) -> io::Result<()> {
        self.printed.push_str(&String::from_utf8_lossy(text));
        Ok(())
    }

    fn complain(&mut self, line: &str) {
        self.printed.push_str(line);
    }

    fn receiving(&self, _: &str) -> Box<dyn Receiving> {
        Box::new(Unfollowed)
    }
}

const SCHEMA: &str = r#"{"type": "object", "required": ["spec"]}"#;

fn answer(status: u16, body: &str) -> Response {
    Response {
        status,
        status_text: status.to_string(),
        headers: Vec::new(),
        body: body.as_bytes().to_vec(),
        url: "https://x.example/thing.json".to_owned(),
    }
}

/// The exit code of a run on `thing.yaml` with schemas from a server, and what it printed.
fn conform(system: MemorySystem, further: &[&str]) -> (u8, Memory) {
    let system =
        system.with_file("/thing.yaml", "apiVersion: x/v1\nkind: Thing\n").with_file("/cache/.keep", "");
    let mut world = Memory { system: Arc::new(system), printed: String::new() };
    let location = ["-schema-location", "https://x.example/{{.ResourceKind}}.json"];
    let arguments: Vec<OsString> =
        location.iter().chain(further).chain(&["thing.yaml"]).map(OsString::from).collect();
    (run(&arguments, &mut world), world)
}

#[test]
fn schemas_are_fetched_and_kept() {
    let system = || MemorySystem::new().with_response("https://x.example/thing.json", answer(200, SCHEMA));
    let (code, world) = conform(system(), &["-cache", "/cache"]);
    assert_eq!(code, 1, "{}", world.printed);
    assert!(world.printed.contains("missing property 'spec'"), "{}", world.printed);
    let kept = world.system.names(Path::new("/cache")).unwrap();
    assert_eq!(kept.len(), 2, "{kept:?}");
    // The next run finds it there, and asks nobody.
    let name = kept.iter().find(|name| *name != ".keep").unwrap().to_string_lossy().into_owned();
    let offline = MemorySystem::new().with_file(&format!("/cache/{name}"), SCHEMA);
    let (code, world) = conform(offline, &["-cache", "/cache"]);
    assert_eq!(code, 1);
    assert!(world.printed.contains("missing property 'spec'"), "{}", world.printed);
}

#[test]
fn a_schema_that_is_not_there_is_said() {
    let system = MemorySystem::new().with_response("https://x.example/thing.json", answer(404, ""));
    let (code, world) = conform(system, &[]);
    assert_eq!(
        (code, world.printed.contains("could not find schema for Thing")),
        (1, true),
        "{}",
        world.printed
    );
    let system = MemorySystem::new().with_response("https://x.example/thing.json", answer(403, ""));
    let (code, world) = conform(system, &[]);
    let said = "error while downloading schema at https://x.example/thing.json - received HTTP status 403";
    assert_eq!((code, world.printed.contains(said)), (1, true), "{}", world.printed);
}
