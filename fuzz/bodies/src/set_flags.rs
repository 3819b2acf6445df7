//! The flags that set values: no panic, no flood, every value and every finding at its place.

use trueline_helm::chart::Compat;
use trueline_helm::values::{GivenError, ValueOptions};
use trueline_source::SourceMap;

use crate::{Target, findings, origins};

pub(crate) const TARGET: Target = Target {
    name: "set_flags",
    run,
    seeds: &[
        "--set a.b.c=1,d[2].e=x\\,y,f={1,b,true,null},g=\n--set-string a.b.c=1,h[0][1]={x}\n",
        "--set-json a=1,b={\"x\":[1,2,{\"y\":null}]},c=\"s,t\" d=[]\n--set-json {\"a\":{\"b\":1e3},\"m\":{}}\n--set-json x=,y= 1\n",
        "--set-literal a.b[1].c=x=y,{z}\\n\n--set-file k=file,l={file,none}\n",
        "--set a[0=1\n--set a[-1]=2\n--set a[65536]=3\n--set a[x]=4\n--set a..b=5\n--set .a=6,\\\n",
        "--values file\n--set map.key.deeper=1,list[1].x=2,text[0]=3\n",
    ],
};

const FILE: &[u8] = b"map: {key: {a: 1}}\nlist: [1, {x: ~}]\ntext: x\n---\nmap: {other: [2]}\n";

fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let mut options = ValueOptions::default();
    for line in text.lines() {
        let (flag, value) = line.split_once(' ').unwrap_or(("--set", line));
        let list = match flag {
            "--values" => &mut options.files,
            "--set-json" => &mut options.json,
            "--set-string" => &mut options.string,
            "--set-file" => &mut options.file,
            "--set-literal" => &mut options.literal,
            _ => &mut options.set,
        };
        list.push(value.to_owned());
    }
    for compat in [Compat::Helm4, Compat::Helm3] {
        let sources = SourceMap::new();
        let mut read = |path: &str| match path {
            "file" => Ok(FILE.to_vec()),
            _ => Err(GivenError::Nowhere),
        };
        match options.merge(&sources, compat, &mut read) {
            Ok(values) => origins::check(&values, &sources),
            Err(error) => {
                findings::check(&error.diagnostics, &sources);
                assert!(!error.to_string().is_empty() && !error.diagnostics.is_empty(), "{error:?}");
            }
        }
    }
}
