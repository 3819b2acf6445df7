//! A chart's own files for its templates: `.Files`.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use trueline_gotemplate::{Context, Data, Element, Error, Kind, List, Method, Object, Str, Type, Value};
use trueline_sprig::glob::Glob;
use trueline_yaml as yaml;

use crate::chart::File;

/// Files by their path.
#[derive(Debug)]
pub(super) struct Files(BTreeMap<Arc<str>, Arc<[u8]>>);

impl Files {
    pub(super) fn new(files: &[File]) -> Self {
        Files(files.iter().map(|file| (Arc::clone(&file.name), Arc::clone(&file.data))).collect())
    }

    fn get(&self, name: &Str) -> Option<&Arc<[u8]>> {
        self.0.get(&*name.text())
    }

    /// Pattern that cannot be read: Helm takes everything.
    fn glob(&self, pattern: &str) -> Files {
        let pattern = Glob::parse(pattern);
        let matching =
            self.0.iter().filter(|(name, _)| pattern.as_ref().map_or(true, |glob| glob.matches(name)));
        Files(matching.map(|(name, data)| (Arc::clone(name), Arc::clone(data))).collect())
    }

    fn lines(&self, name: &Str) -> Value {
        let text = self.get(name).map(|data| &data[..]).unwrap_or_default();
        if text.is_empty() {
            return Value::strings::<Str>([]);
        }
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        Value::strings(text.split(|byte| *byte == b'\n'))
    }

    /// The contents by the last part of each path, as YAML.
    fn as_yaml(&self, text: impl Fn(&[u8]) -> yaml::Value) -> Value {
        let entries = self.0.iter().map(|(path, data)| {
            let base = path.rsplit('/').next().unwrap_or(path);
            (base, text(data))
        });
        let map: yaml::Value = entries.collect();
        let written = yaml::marshal(&map, yaml::Dialect::Sigs).unwrap_or_default();
        written.strip_suffix('\n').unwrap_or(&written).into()
    }
}

fn bytes(data: &Arc<[u8]>) -> Value {
    Value::new(Data::Bytes(Arc::clone(data)))
}

type Run = fn(&Files, &Str) -> Value;

/// Calls `run` with the files and the first argument, if there is one.
fn call(object: &dyn Object, arguments: &[Value], run: Run) -> Result<Value, Error> {
    let empty = Str::empty();
    let argument = arguments.first().and_then(Value::as_str).unwrap_or(&empty);
    Ok(object.as_any().downcast_ref::<Files>().map_or_else(Value::nil, |files| run(files, argument)))
}

macro_rules! method {
    ($name:literal, $parameters:expr, $run:expr) => {{
        static METHOD: Method = Method {
            name: $name,
            parameters: $parameters,
            call: |object: &dyn Object, _: &mut dyn Context, arguments: &[Value]| {
                call(object, arguments, $run)
            },
        };
        Some(&METHOD)
    }};
}

/// As `method!`, for what takes work that grows with the files: it is paid for before it is done.
macro_rules! paid {
    ($name:literal, $parameters:expr, $steps:expr, $run:expr) => {{
        static METHOD: Method = Method {
            name: $name,
            parameters: $parameters,
            call: |object: &dyn Object, context: &mut dyn Context, arguments: &[Value]| {
                let steps: fn(&Files, &Str) -> u64 = $steps;
                let empty = Str::empty();
                let argument = arguments.first().and_then(Value::as_str).unwrap_or(&empty);
                let files = object.as_any().downcast_ref::<Files>();
                context.spend(files.map_or(0, |files| steps(files, argument)))?;
                call(object, arguments, $run)
            },
        };
        Some(&METHOD)
    }};
}

/// What the lines of a file take as items of a list.
fn line_steps(files: &Files, name: &Str) -> u64 {
    let lines = files.get(name).map_or(0, |data| memchr::memchr_iter(b'\n', data).count() + 1);
    (lines as u64).saturating_mul(64)
}

/// What all files take as text, in quotes or as base64.
fn text_steps(files: &Files, _: &Str) -> u64 {
    files.0.values().map(|data| data.len() as u64 + 64).sum::<u64>().saturating_mul(2)
}

impl Object for Files {
    /// Bytes are printed as decimal numbers.
    fn weight(&self) -> usize {
        self.0.iter().map(|(name, data)| name.len() + data.len().saturating_mul(4) + 256).sum()
    }

    fn type_name(&self) -> &'static str {
        "engine.files"
    }

    fn kind(&self) -> Kind {
        Kind::Map
    }

    fn method(&self, name: &str) -> Option<&'static Method> {
        const NAME: &[Type] = &[Type::String];
        match name {
            "Get" => method!("Get", NAME, |files, name| {
                files.get(name).map_or_else(|| "".into(), |data| Str::from(Arc::clone(data)).into())
            }),
            "GetBytes" => method!("GetBytes", NAME, |files, name| {
                files.get(name).map_or_else(|| bytes(&Arc::from([])), bytes)
            }),
            "Glob" => {
                static METHOD: Method = Method {
                    name: "Glob",
                    parameters: NAME,
                    call: |object: &dyn Object, context: &mut dyn Context, arguments: &[Value]| {
                        // Every file can go through all of the pattern.
                        let files = object.as_any().downcast_ref::<Files>().map_or(0, |files| files.0.len());
                        let length = arguments.first().and_then(Value::as_str).map_or(0, Str::len);
                        context.spend((files as u64).saturating_mul(length as u64 / 8 + 32))?;
                        call(object, arguments, |files, pattern| Value::object(files.glob(&pattern.text())))
                    },
                };
                Some(&METHOD)
            }
            "Lines" => paid!("Lines", NAME, line_steps, |files, name| files.lines(name)),
            "AsConfig" => paid!("AsConfig", &[], text_steps, |files, _| {
                files.as_yaml(|data| String::from_utf8_lossy(data).as_ref().into())
            }),
            "AsSecrets" => paid!("AsSecrets", &[], text_steps, |files, _| {
                files.as_yaml(|data| trueline_gostd::base64::STANDARD.encode(data).as_str().into())
            }),
            _ => None,
        }
    }

    fn entries(&self) -> Option<Vec<(Arc<str>, Value)>> {
        Some(self.0.iter().map(|(name, data)| (Arc::clone(name), bytes(data))).collect())
    }

    fn missing(&self) -> Value {
        Value::from(List::nil(Element::Byte))
    }

    fn is_true(&self) -> bool {
        !self.0.is_empty()
    }

    fn text(&self) -> String {
        let numbers = |data: &[u8]| data.iter().map(u8::to_string).collect::<Vec<_>>().join(" ");
        let entries: Vec<_> =
            self.0.iter().map(|(name, data)| format!("{name}:[{}]", numbers(data))).collect();
        format!("map[{}]", entries.join(" "))
    }

    fn plain(&self) -> yaml::Value {
        let entries = self.0.iter().map(|(name, data)| {
            (Arc::clone(name), yaml::Value::from(trueline_gostd::base64::STANDARD.encode(data).as_str()))
        });
        entries.collect()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
