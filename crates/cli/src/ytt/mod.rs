//! The ytt family: takes ytt's flags and prints what ytt prints.

mod bulk;
mod failure;
mod flags;
mod output;
mod schema;

use std::ffi::OsString;
use std::rc::Rc;

use trueline_source::Network;
use trueline_ytt::files::{FileType, InputFile, in_order};
use trueline_ytt::library::{LoaderOptions, Validation, Validations};
use trueline_ytt::run::{Debugging, Formats, Inspect, Options};
use trueline_ytt::template::{KeyOverrides, UnknownComments};
use trueline_ytt::tree::{ReadOptions, Scalars, read};
use trueline_ytt::values::{FlagInputs, FlagValue, Flags, FoundFile};
use trueline_ytt::{VERSION, fmt, reflow};

use crate::helm::suggestion::distance;
use crate::pflag::{self, Flag, FlagError, Parsed, usages};
use crate::world::World;
use failure::Failure;
use trueline_ytt::input::{Inputs, Links};

/// Runs the family on what comes after `ytt`, and gives the exit code.
pub fn run(arguments: &[OsString], world: &mut World) -> u8 {
    let arguments: Vec<String> =
        arguments.iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    // Documents are read, compared and printed by functions that call themselves; the limits on depth are made for a
    // large stack.
    let ended = trueline_helm::engine::on_large_stack(|| command(&arguments, world))
        .unwrap_or_else(|wrong| Err(Failure::Other(wrong.into())));
    match ended {
        Ok(()) => 0,
        Err(failure) => {
            world.repeat(&format!("ytt: Error: {}", reflow(&failure.to_string())));
            if let Some(flag) = meant(&failure) {
                world.hint(&format!("did you mean `--{flag}`?"));
            }
            1
        }
    }
}

/// The flag that a misspelt one probably stands for.
fn meant(failure: &Failure) -> Option<&'static str> {
    let Failure::Flag(FlagError::Unknown(typed)) = failure else { return None };
    let distances = flags::TEMPLATE.iter().map(|flag| (distance(typed, flag.name), flag.name));
    distances.min().filter(|(distance, _)| *distance <= 2).map(|(_, name)| name)
}

/// The commands of the family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Command {
    /// Without a name, and under the one that it used to have.
    Template,
    Fmt,
    /// Not a command by itself.
    Schema,
    SchemaImport,
    Version,
    Help,
}

/// The command that is called, and how it is named in messages.
fn called(arguments: &[String]) -> (Command, &'static str, Vec<usize>) {
    let words = pflag::words(flags::TEMPLATE, arguments);
    if let [(first, "schema"), (second, "import"), ..] = words[..] {
        return (Command::SchemaImport, "ytt schema import", vec![first, second]);
    }
    match words.first() {
        Some((place, "schema")) => (Command::Schema, "ytt schema", vec![*place]),
        Some((place, "template" | "t" | "tpl")) => (Command::Template, "ytt template", vec![*place]),
        Some((place, "fmt")) => (Command::Fmt, "ytt fmt", vec![*place]),
        Some((place, "version")) => (Command::Version, "ytt version", vec![*place]),
        Some((place, "help")) => (Command::Help, "ytt help", vec![*place]),
        _ => (Command::Template, "ytt", Vec::new()),
    }
}

fn command(arguments: &[String], world: &mut World) -> Result<(), Failure> {
    let (command, name, places) = called(arguments);
    let mut arguments = arguments.to_vec();
    for place in places.into_iter().rev() {
        arguments.remove(place);
    }
    let table: &[Flag] = match command {
        Command::Template => flags::TEMPLATE,
        Command::Fmt => flags::FMT,
        Command::Schema | Command::SchemaImport | Command::Version | Command::Help => flags::HELP,
    };
    let parsed = pflag::parse(table, &arguments, &mut |_, _, _| Ok(()))?;
    if command == Command::Help || parsed.is_on("help") {
        let topic = match (command, parsed.arguments.first().map(String::as_str)) {
            (Command::Fmt, _) | (Command::Help, Some("fmt")) => Command::Fmt,
            (Command::Schema | Command::SchemaImport, _) | (Command::Help, Some("schema")) => {
                Command::SchemaImport
            }
            _ => Command::Template,
        };
        return Ok(world.print(help(topic).as_bytes())?);
    }
    if parsed.is_on("version") {
        return Ok(print_version(world)?);
    }
    if command == Command::Schema {
        return Err(Failure::NoCommand(name));
    }
    if command == Command::SchemaImport {
        return match &parsed.arguments[..] {
            [path] => Ok(schema::run(path, world)?),
            _ => Err(Failure::NotOneFile(name, parsed.arguments.len())),
        };
    }
    if let Some(extra) = parsed.arguments.first() {
        if matches!(command, Command::Template | Command::Fmt) {
            world.hint(&format!(
                "files and directories are named with -f: trueline {} -f {extra}",
                if command == Command::Fmt { "ytt fmt" } else { "ytt" }
            ));
        }
        return Err(Failure::ExtraArgument(name, extra.clone()));
    }
    Ok(match command {
        Command::Fmt => format_files(&parsed, world),
        Command::Version => print_version(world),
        _ => template(&parsed, world),
    }?)
}

fn print_version(world: &mut World) -> Result<(), String> {
    world.print(format!("ytt version {VERSION} (trueline {})\n", env!("CARGO_PKG_VERSION")).as_bytes())
}

fn help(command: Command) -> String {
    match command {
        Command::Fmt => format!(
            "Print YAML templates in ytt's layout, with their comments.\n\nThe result goes to standard output; files are \
             not changed.\n\nUsage:\n  trueline ytt fmt -f FILE [flags]\n\nExamples:\n  trueline ytt fmt -f config.yml > \
             formatted.yml\n\nFlags:\n{}",
            usages(flags::FMT)
        ),
        Command::SchemaImport => format!(
            "Turn a values.schema.json or a CRD into a ytt schema with validations.\n\nThe ytt schema is printed; what it \
             cannot express is listed on standard error,\nwith the keyword and its place.\n\nUsage:\n  trueline ytt \
             schema import FILE [flags]\n\nFlags:\n{}",
            usages(flags::HELP)
        ),
        _ => format!(
            "Run ytt templates: what ytt {VERSION} prints, faster.\n\nUsage:\n  trueline ytt -f PATH [flags]\n  trueline ytt \
             COMMAND [flags]\n\nExamples:\n  trueline ytt -f config/\n  trueline ytt -f config/ -v name=web \
             --data-values-file prod.yml\n  trueline ytt -f config/ --data-values-schema-inspect -o \
             openapi-v3\n\nCommands:\n  fmt             print YAML templates in ytt's layout\n  schema import   turn a JSON \
             Schema or a CRD into a ytt schema\n  version         print the version\n\nFlags:\n{}",
            usages(flags::TEMPLATE)
        ),
    }
}

fn scalars(parsed: &Parsed) -> Scalars {
    if parsed.is_on("strict") { Scalars::Strict } else { Scalars::Lenient }
}

fn format_files(parsed: &Parsed, world: &mut World) -> Result<(), String> {
    if parsed.list("file").is_empty() {
        world.hint("name the files or directories to format: trueline ytt fmt -f config/");
    }
    let mut inputs = Inputs::new(world.system(), Links::default(), Network::Allowed);
    let groups = groups(&mut inputs, parsed.list("file"))?;
    let options = ReadOptions { scalars: scalars(parsed), ..ReadOptions::default() };
    let mut printed = String::new();
    let mut failure = None;
    for file in in_order(groups).iter().filter(|file| file.file_type() == FileType::Yaml) {
        match file
            .text()
            .map_err(|error| error.to_string())
            .and_then(|text| read(text, &options).map_err(|error| error.to_string()))
        {
            Ok(documents) => printed.push_str(&fmt::format(&documents)),
            Err(error) => {
                failure = Some(error);
                break;
            }
        }
    }
    world.print(printed.as_bytes())?;
    failure.map_or(Ok(()), Err)
}

fn groups(inputs: &mut Inputs, paths: &[String]) -> Result<Vec<Vec<InputFile>>, String> {
    paths.iter().map(|path| inputs.group(path).map_err(|error| error.to_string())).collect()
}

fn template(parsed: &Parsed, world: &mut World) -> Result<(), String> {
    let environment = environment(world);
    let links = Links {
        all: parsed.is_on("dangerous-allow-all-symlink-destinations"),
        destinations: parsed.list("allow-symlink-destination").to_vec(),
    };
    let options = options(parsed);
    if parsed.list("file").is_empty() && parsed.text("bulk-in").is_none_or(str::is_empty) {
        world.hint("name the files or directories to run: trueline ytt -f config/");
    }
    let mut inputs = Inputs::new(world.system(), links, Network::Allowed);
    let files = match parsed.text("bulk-in").filter(|text| !text.is_empty()) {
        Some(text) => bulk::files(text)?,
        None => in_order(groups(&mut inputs, parsed.list("file"))?),
    };
    let ended = trueline_ytt::run(files, &options, &FlagFiles { inputs: inputs.into(), environment });
    let printed = output::finish(parsed, &options, &ended, world);
    world.keep(ended);
    printed
}

fn options(parsed: &Parsed) -> Options {
    let unless = |is_skipped| if is_skipped { Validation::Skip } else { Validation::Run };
    let on = |name: &str| parsed.is_on(name);
    let list = |name: &str| parsed.list(name).iter().map(|value| FlagValue::from(value.as_str())).collect();
    Options {
        loader: LoaderOptions {
            unknown_comments: if on("ignore-unknown-comments") {
                UnknownComments::Ignore
            } else {
                UnknownComments::Refuse
            },
            key_overrides: if on("implicit-map-key-overrides") {
                KeyOverrides::Implicit
            } else {
                KeyOverrides::Annotated
            },
            scalars: scalars(parsed),
        },
        validations: Validations {
            data_values: unless(
                on("dangerous-data-values-disable-validation") || on("data-value-schema-disable-validation"),
            ),
            output: unless(on("output-disable-validation")),
        },
        file_marks: parsed.list("file-mark").to_vec(),
        flags: Flags {
            files: list("data-values-file"),
            env: list("data-values-env"),
            env_yaml: list("data-values-env-yaml"),
            values: list("data-value"),
            values_yaml: list("data-value-yaml"),
            value_files: list("data-value-file"),
        },
        inspect: match () {
            () if on("files-inspect") => Inspect::Files,
            () if on("data-values-schema-inspect") => Inspect::Schema,
            () if on("data-values-inspect") => Inspect::Values,
            () => Inspect::Nothing,
        },
        formats: Formats(parsed.list("output").to_vec()),
        debugging: if on("debug") { Debugging::On } else { Debugging::Off },
        ..Options::default()
    }
}

/// The variables as `NAME=VALUE`, sorted by name: the order of the process' own table means nothing to people.
fn environment(world: &World) -> Vec<String> {
    world.variables().into_iter().map(|(name, value)| format!("{name}={value}")).collect()
}

/// What the flags for data values refer to.
struct FlagFiles {
    inputs: std::cell::RefCell<Inputs>,
    environment: Vec<String>,
}

impl FlagInputs for FlagFiles {
    fn environment(&self) -> Vec<String> {
        self.environment.clone()
    }

    fn find(&self, path: &str) -> Result<Vec<FoundFile>, trueline_ytt::input_error::InputError> {
        let files = in_order(vec![self.inputs.borrow_mut().files(path)?]);
        let found = |file: &InputFile| FoundFile {
            name: file.path().to_string(),
            bytes: file.bytes().map(Rc::clone).map_err(|error| error.to_string()),
            source: None,
        };
        Ok(files.iter().map(found).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::{Failure, FlagError, meant};

    #[test]
    fn a_misspelt_flag_is_recognised() {
        let unknown = |name: &str| meant(&Failure::Flag(FlagError::Unknown(name.to_owned())));
        assert_eq!(unknown("data-values"), Some("data-value"));
        assert_eq!(unknown("data-value-fil"), Some("data-value-file"));
        assert_eq!(unknown("outptu"), Some("output"));
        assert_eq!(unknown("namespace"), None);
        let missing = FlagError::NoValueOfLetter('f', "f".to_owned());
        assert_eq!(meant(&Failure::Flag(missing)), None);
    }
}
