//! What Go writes of fields that have their zero value. Where the lists come from is said in `data/README.md`.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use trueline_kube_rules::rules::short_name;

static LISTS: &str = include_str!("../../../data/encoding.txt");

/// The fields of a type whose zero values are written.
#[derive(Debug, Default)]
pub(super) struct Written {
    pointers: Vec<&'static str>,
    scalars: Vec<&'static str>,
    structs: Vec<&'static str>,
    lists: Vec<&'static str>,
}

impl Written {
    /// The fields of a type by its full name, such as `io.k8s.api.core.v1.PodSpec`.
    pub(super) fn of(definition: &str) -> &'static Written {
        static ALL: OnceLock<FxHashMap<&'static str, Written>> = OnceLock::new();
        static NONE: Written =
            Written { pointers: Vec::new(), scalars: Vec::new(), structs: Vec::new(), lists: Vec::new() };
        let all = ALL.get_or_init(|| LISTS.lines().filter_map(line).collect());
        let short = short_name(definition);
        let versioned = || {
            let version = definition.rsplit('.').nth(1)?;
            let (group, name) = short.split_once('.')?;
            all.get(&*format!("{group}.{version}.{name}"))
        };
        all.get(&*short).or_else(versioned).unwrap_or(&NONE)
    }

    /// Whether a zero value of a field is written where it was typed.
    pub(super) fn keeps_zero(&self, field: &str) -> bool {
        [&self.pointers, &self.scalars, &self.structs, &self.lists].iter().any(|list| list.contains(&field))
    }

    /// The fields that are written without having been typed: plain values, objects, and null for lists and maps.
    pub(super) fn always(&self) -> impl Iterator<Item = &'static str> {
        self.scalars.iter().chain(&self.structs).chain(&self.lists).copied()
    }
}

fn line(line: &'static str) -> Option<(&'static str, Written)> {
    let mut parts = line.split(' ');
    let name = parts.next()?;
    let mut written = Written::default();
    for part in parts {
        let (list, fields) = part.split_once('=')?;
        let list = match list {
            "pointers" => &mut written.pointers,
            "scalars" => &mut written.scalars,
            "structs" => &mut written.structs,
            _ => &mut written.lists,
        };
        list.extend(fields.split(','));
    }
    Some((name, written))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use trueline_kube_api::Api;

    #[test]
    fn types_and_fields_exist() {
        let mut known: FxHashMap<String, BTreeSet<&str>> = FxHashMap::default();
        for version in Api::versions() {
            for definition in Api::for_version(version).unwrap().all_definitions() {
                let fields = known.entry(short_name(definition.name)).or_default();
                fields.extend(definition.fields.iter().map(|field| field.name));
            }
        }
        let mut unknown = 0;
        for (name, written) in LISTS.lines().map(|text| line(text).unwrap()) {
            let parts: Vec<&str> = name.split('.').collect();
            let short = format!("{}.{}", parts.first().unwrap(), parts.last().unwrap());
            match known.get(&short) {
                Some(fields) => unknown += written.always().filter(|field| !fields.contains(field)).count(),
                None => unknown += 1,
            }
        }
        // Some types belong to versions that no server enables.
        assert!(unknown < 40, "{unknown}");
        assert!(Written::of("io.k8s.api.apps.v1.DeploymentSpec").keeps_zero("replicas"));
        assert!(!Written::of("io.k8s.api.core.v1.PodSpec").keeps_zero("hostNetwork"));
    }
}
