//! The values of whole charts: dependencies, aliases, imports and globals, whatever the files say. No panic,
//! no hang, and every final value was typed somewhere.

use trueline_helm::chart::{Compat, Request, load};
use trueline_helm::dependencies;
use trueline_helm::values::{GivenError, ValueError, ValueOptions, coalesce};
use trueline_source::{MemoryLoader, SourceMap};

use crate::{Target, chart_load, findings, origins};

pub(crate) const TARGET: Target = Target {
    name: "chart_values",
    run,
    seeds: &[
        "== Chart.yaml\napiVersion: v2\nname: t\nversion: 1.0.0\ndependencies:\n- {name: a, version: 1.0.0, alias: one, condition: 'one.enabled,k', import-values: [data, {child: m, parent: m.x}]}\n- {name: a, version: '>=1', tags: [back, front]}\n== values.yaml\nk: true\none: {m: {x: ~}}\nglobal: {db: {auth: {user: u}}}\ntags: {back: false}\n== charts/a/Chart.yaml\nname: a\nversion: 1.0.0\ndependencies: [{name: b, version: 1.0.0, import-values: [data]}]\n== charts/a/values.yaml\nm: {x: 1, w: {v: 2}}\nexports: {data: {m: {z: 1}}}\nglobal: {db: {auth: {own: 1}}}\n== charts/a/charts/b/Chart.yaml\nname: b\nversion: 1.0.0\n== charts/a/charts/b/values.yaml\nexports: {data: {q: 1}}\n== user.yaml\none: {m: ~, enabled: 1}\nglobal: {db: 5}\n",
        "== Chart.yaml\nname: t\nversion: 1\ndependencies:\n- {name: a, version: '*', import-values: [{child: d, parent: x}, {child: d, parent: x.z}, {child: d.e, parent: x.z.z}]}\n== charts/a/Chart.yaml\nname: a\nversion: 1\n== charts/a/values.yaml\nd: {e: {f: 1}}\n",
        "== Chart.yaml\nname: t\nversion: 1\n== values.yaml\ns: 5\nglobal: x\n== charts/s/Chart.yaml\nname: s\nversion: 1\n== charts/s/values.yaml\nglobal: {a: 1}\n",
    ],
};

fn run(input: &[u8]) {
    let files = chart_load::split(input);
    let loader = files
        .iter()
        .fold(MemoryLoader::new("t"), |loader, (name, bytes)| loader.with_file(name, bytes.as_slice()));
    for compat in [Compat::Helm4, Compat::Helm3] {
        let sources = SourceMap::new();
        if let Err(error) = check(&files, &loader, &sources, compat) {
            findings::check(&error.diagnostics, &sources);
            assert!(!error.to_string().is_empty() && !error.diagnostics.is_empty(), "{error:?}");
        }
    }
}

fn check(
    files: &[(String, Vec<u8>)],
    loader: &MemoryLoader,
    sources: &SourceMap,
    compat: Compat,
) -> Result<(), ValueError> {
    let request = Request { loader, path: "", absolute: "/t", sources, compat };
    let Ok(loaded) = load(&request) else { return Ok(()) };
    let mut read = |path: &str| {
        let file = files.iter().find(|(name, _)| name == path);
        file.map(|(_, bytes)| bytes.clone()).ok_or(GivenError::Nowhere)
    };
    let named = files.iter().filter(|(name, _)| name == "user.yaml").map(|(name, _)| name.clone());
    let options = ValueOptions { files: named.collect(), ..ValueOptions::default() };
    let user = options.merge(sources, compat, &mut read)?;
    let mut log = Vec::new();
    let chart = dependencies::process(loaded.chart, &user, compat, &mut log)?;
    let values = coalesce(&chart, &user, compat, &mut log)?;
    origins::check(&values, sources);
    log.iter().for_each(|line| assert!(line.render(compat).is_none_or(|line| !line.is_empty())));
    Ok(())
}
