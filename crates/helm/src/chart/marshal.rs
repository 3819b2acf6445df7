//! Chart.yaml and lock files as Helm writes them: known fields only, keys in order, empty ones left out.

use std::sync::Arc;

use trueline_gostd::time::{rfc3339, rfc3339_again, rfc3339_seconds, rfc3339_zero};
use trueline_yaml::{Data, Dialect, Map, MapEntry, Value, write};

use super::{Dependency, Lock, Maintainer, Metadata};

impl Metadata {
    /// The fields that are set, under their names in Chart.yaml.
    pub fn to_value(&self) -> Value {
        let mut fields = Fields::default();
        fields.text("name", &self.name);
        fields.text("home", &self.home);
        fields.texts("sources", &self.sources);
        fields.text("version", &self.version);
        fields.text("description", &self.description);
        fields.texts("keywords", &self.keywords);
        fields.list("maintainers", self.maintainers.iter().map(Maintainer::to_value));
        fields.text("icon", &self.icon);
        fields.text("apiVersion", &self.api_version);
        fields.text("condition", &self.condition);
        fields.text("tags", &self.tags);
        fields.text("appVersion", &self.app_version);
        fields.truth("deprecated", self.deprecated);
        if !self.annotations.is_empty() {
            let mut annotations = Fields::default();
            for (name, value) in &self.annotations {
                annotations.set(name, text(value));
            }
            fields.set("annotations", annotations.finish());
        }
        fields.text("kubeVersion", &self.kube_version);
        fields.list("dependencies", self.dependencies.iter().map(Dependency::to_value));
        fields.text("type", &self.kind);
        fields.finish()
    }

    /// Chart.yaml as Helm writes it.
    pub fn to_yaml(&self) -> String {
        write(&self.to_value(), Dialect::Sigs)
    }
}

impl Maintainer {
    fn to_value(&self) -> Value {
        let mut fields = Fields::default();
        fields.text("name", &self.name);
        fields.text("email", &self.email);
        fields.text("url", &self.url);
        fields.finish()
    }
}

impl Dependency {
    /// The fields that are set, under their names in Chart.yaml and in lock files, in the order in which Helm
    /// writes them into JSON. The name and the repository are always there.
    pub fn to_value(&self) -> Value {
        let mut fields = Fields::default();
        fields.set("name", text(&self.name));
        fields.text("version", &self.version);
        fields.set("repository", text(&self.repository));
        fields.text("condition", &self.condition);
        fields.texts("tags", &self.tags);
        fields.truth("enabled", self.enabled);
        fields.list("import-values", self.import_values.iter().cloned());
        fields.text("alias", &self.alias);
        fields.finish()
    }
}

impl Lock {
    /// The same lock, made at another time: seconds since 1970.
    pub(crate) fn generated_at(&self, seconds: i64) -> Lock {
        Lock { generated: rfc3339((seconds, 0)), ..self.clone() }
    }

    /// When it was made, in seconds since 1970; nothing where it does not say.
    pub(crate) fn seconds(&self) -> Option<i64> {
        rfc3339_seconds(&self.generated)
    }

    /// A lock file as Helm writes it.
    pub fn to_yaml(&self) -> String {
        let mut fields = Fields::default();
        let generated = rfc3339_again(&self.generated).unwrap_or_else(|_| rfc3339_zero());
        fields.set("generated", text(&generated));
        fields.set("digest", text(&self.digest));
        let dependencies = self.dependencies.iter().map(Dependency::to_value).collect();
        fields.set("dependencies", Value::new(Data::List(Arc::new(dependencies))));
        write(&fields.finish(), Dialect::Sigs)
    }
}

#[derive(Default)]
struct Fields(Map);

impl Fields {
    fn set(&mut self, name: &str, value: Value) {
        self.0.insert(name.into(), MapEntry { key_origin: None, value });
    }

    fn text(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.set(name, text(value));
        }
    }

    fn truth(&mut self, name: &str, value: bool) {
        if value {
            self.set(name, Value::new(Data::Bool(true)));
        }
    }

    fn list(&mut self, name: &str, items: impl Iterator<Item = Value>) {
        let items: Vec<Value> = items.collect();
        if !items.is_empty() {
            self.set(name, Value::new(Data::List(Arc::new(items))));
        }
    }

    fn texts(&mut self, name: &str, items: &[String]) {
        self.list(name, items.iter().map(|item| text(item)));
    }

    fn finish(self) -> Value {
        Value::new(Data::Map(Arc::new(self.0)))
    }
}

fn text(value: &str) -> Value {
    Value::new(Data::String(value.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_sorted_and_empty_ones_left_out() {
        let metadata = Metadata {
            name: "web".into(),
            version: "1.0.0".into(),
            api_version: "v2".into(),
            app_version: "1.20".into(),
            deprecated: true,
            keywords: vec!["b".into(), "true".into()],
            maintainers: vec![Maintainer { name: "A".into(), ..Maintainer::default() }],
            annotations: [("z".to_owned(), "1".to_owned()), ("a".to_owned(), String::new())].into(),
            dependencies: vec![Dependency {
                name: "db".into(),
                version: ">1".into(),
                ..Dependency::default()
            }],
            ..Metadata::default()
        };
        assert_eq!(
            metadata.to_yaml(),
            "annotations:\n  a: \"\"\n  z: \"1\"\napiVersion: v2\nappVersion: \"1.20\"\ndependencies:\n- name: db\n  \
             repository: \"\"\n  version: '>1'\ndeprecated: true\nkeywords:\n- b\n- \"true\"\nmaintainers:\n- name: \
             A\nname: web\nversion: 1.0.0\n"
        );
    }

    #[test]
    fn a_lock_file_has_all_its_fields() {
        let lock = Lock {
            generated: "2020-09-13T12:26:40Z".into(),
            digest: "sha256:aa".into(),
            dependencies: vec![Dependency {
                name: "s".into(),
                version: "1.0.0".into(),
                ..Dependency::default()
            }],
        };
        assert_eq!(
            lock.to_yaml(),
            "dependencies:\n- name: s\n  repository: \"\"\n  version: 1.0.0\ndigest: sha256:aa\ngenerated: \
             \"2020-09-13T12:26:40Z\"\n"
        );
    }
}
