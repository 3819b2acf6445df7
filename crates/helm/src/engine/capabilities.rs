//! What templates know about the cluster: `.Capabilities`.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use trueline_gotemplate::{Data, Kind, Method, Object, Str, Type, Value};
use trueline_yaml as yaml;

use crate::chart::Compat;
use crate::refusal::{Refusal, RefusalKind};

/// The Kubernetes version that is assumed where none is given.
pub const DEFAULT_KUBE_VERSION: &str = "v1.37.0";

/// The version of Helm that is followed, as `.Capabilities.HelmVersion` shows it.
pub fn helm_version(compat: Compat) -> &'static str {
    match compat {
        Compat::Helm4 => "v4.3.1",
        Compat::Helm3 => "v3.22.0",
    }
}

/// The version of Go that it is built with.
pub(super) const GO_VERSION: &str = "go1.26.8";

/// A version of Kubernetes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KubeVersion {
    /// As it was given, with a `v` in front.
    pub version: String,
    /// Only its numbers, with a `v` in front: what constraints are compared with.
    pub normalized: String,
    /// The first number.
    pub major: String,
    /// The second number.
    pub minor: String,
}

impl KubeVersion {
    /// Reads a version as the flag `--kube-version` gives it. The error is Helm's text.
    pub fn parse(text: &str, compat: Compat) -> Result<Self, Refusal> {
        Self::read(text, compat).map_err(|text| RefusalKind::Version.of(text))
    }

    fn read(text: &str, compat: Compat) -> Result<Self, String> {
        let quoted = trueline_gotemplate::fmt::quote(text.as_bytes());
        let trimmed = text.trim_start_matches(['\t', '\n', '\u{c}', '\r', ' ']);
        let rest = trimmed.strip_prefix('v').unwrap_or(trimmed);
        let numbers = leading_numbers(rest);
        if numbers.is_empty() || rest.contains('\n') {
            return Err(format!("could not parse {quoted} as version"));
        }
        let parts: Vec<&str> = numbers.split('.').collect();
        let [first, second, ..] = parts[..] else {
            return Err(format!("illegal version string {quoted}"));
        };
        if first.starts_with('0') && first != "0" {
            return Err(format!("illegal zero-prefixed version component \"{first}\" in {quoted}"));
        }
        let mut components = Vec::new();
        for part in &parts {
            let number: u64 = part.parse().map_err(|_| {
                format!(
                    "illegal non-numeric version component \"{part}\" in {quoted}: strconv.ParseUint: parsing \
                     \"{part}\": value out of range"
                )
            })?;
            components.push(number.to_string());
        }
        let normalized = format!("v{}", components.join("."));
        let version = match compat {
            Compat::Helm4 if text.starts_with('v') => text.to_owned(),
            Compat::Helm4 => format!("v{text}"),
            Compat::Helm3 => normalized.clone(),
        };
        let number = |text: &str| text.parse::<u64>().map_or_else(|_| text.to_owned(), |n| n.to_string());
        Ok(KubeVersion { version, normalized, major: number(first), minor: number(second) })
    }
}

impl Default for KubeVersion {
    fn default() -> Self {
        KubeVersion {
            version: DEFAULT_KUBE_VERSION.into(),
            normalized: DEFAULT_KUBE_VERSION.into(),
            major: "1".into(),
            minor: "37".into(),
        }
    }
}

impl fmt::Display for KubeVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.normalized)
    }
}

/// Groups of digits separated by single dots.
fn leading_numbers(text: &str) -> &str {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = digits(0);
    while end > 0 && bytes.get(end) == Some(&b'.') {
        let more = digits(end + 1);
        if more == 0 {
            break;
        }
        end += 1 + more;
    }
    &text[..end]
}

/// What the cluster can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capabilities {
    /// Its version.
    pub kube_version: KubeVersion,
    /// The API versions that it serves, such as `apps/v1` and `apps/v1/Deployment`.
    pub api_versions: Vec<String>,
}

impl Default for Capabilities {
    fn default() -> Self {
        Capabilities::without_cluster(KubeVersion::default(), &[])
    }
}

impl Capabilities {
    /// What Helm assumes where it does not ask a cluster: [`API_VERSIONS`], whatever the version of Kubernetes, and
    /// what the user adds.
    pub fn without_cluster(kube_version: KubeVersion, added: &[String]) -> Self {
        let known = API_VERSIONS.iter().map(|version| (*version).to_owned());
        Capabilities { kube_version, api_versions: known.chain(added.iter().cloned()).collect() }
    }

    pub(super) fn value(&self, compat: Compat) -> Value {
        let versions: Vec<Arc<str>> =
            self.api_versions.iter().map(|version| Arc::from(version.as_str())).collect();
        Value::object(CapabilitiesObject {
            kube_version: Value::object(KubeVersionObject { version: self.kube_version.clone(), compat }),
            api_versions: Value::object(VersionSet { versions: versions.into(), compat }),
            helm_version: Value::object(BuildInfo { compat }),
            compat,
        })
    }
}

#[derive(Debug)]
struct CapabilitiesObject {
    kube_version: Value,
    api_versions: Value,
    helm_version: Value,
    compat: Compat,
}

impl Object for CapabilitiesObject {
    fn type_name(&self) -> &'static str {
        match self.compat {
            Compat::Helm4 => "*common.Capabilities",
            Compat::Helm3 => "*chartutil.Capabilities",
        }
    }

    fn kind(&self) -> Kind {
        Kind::Pointer
    }

    fn field(&self, name: &str) -> Option<Value> {
        match name {
            "KubeVersion" => Some(self.kube_version.clone()),
            "APIVersions" => Some(self.api_versions.clone()),
            "HelmVersion" => Some(self.helm_version.clone()),
            _ => None,
        }
    }

    fn method(&self, name: &str) -> Option<&'static Method> {
        // Helm's own copy of it has no business in a chart, but it can be called.
        static COPY: Method = Method { name: "Copy", parameters: &[], call: |object, _, _| Ok(copy(object)) };
        (name == "Copy").then_some(&COPY)
    }

    fn text(&self) -> String {
        let text = |value: &Value| match &value.data {
            Data::Object(object) => object.text(),
            _ => String::new(),
        };
        format!("&{{{} {} {}}}", text(&self.kube_version), text(&self.api_versions), text(&self.helm_version))
    }

    fn plain(&self) -> yaml::Value {
        let fields = [
            ("KubeVersion", &self.kube_version),
            ("APIVersions", &self.api_versions),
            ("HelmVersion", &self.helm_version),
        ];
        let plain = |value: &Value| value.to_plain().unwrap_or(yaml::Value::new(yaml::Data::Null));
        fields.into_iter().map(|(name, value)| (name, plain(value))).collect()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn copy(object: &dyn Object) -> Value {
    object.as_any().downcast_ref::<CapabilitiesObject>().map_or_else(Value::nil, |capabilities| {
        Value::object(CapabilitiesObject {
            kube_version: capabilities.kube_version.clone(),
            api_versions: capabilities.api_versions.clone(),
            helm_version: capabilities.helm_version.clone(),
            compat: capabilities.compat,
        })
    })
}

#[derive(Debug)]
struct KubeVersionObject {
    version: KubeVersion,
    compat: Compat,
}

impl KubeVersionObject {
    fn printed_version(&self) -> &str {
        match self.compat {
            Compat::Helm4 => &self.version.normalized,
            Compat::Helm3 => &self.version.version,
        }
    }
}

fn kube_version(object: &dyn Object) -> Option<&KubeVersionObject> {
    object.as_any().downcast_ref()
}

impl Object for KubeVersionObject {
    fn type_name(&self) -> &'static str {
        match self.compat {
            Compat::Helm4 => "common.KubeVersion",
            Compat::Helm3 => "chartutil.KubeVersion",
        }
    }

    fn kind(&self) -> Kind {
        Kind::Struct
    }

    fn field(&self, name: &str) -> Option<Value> {
        let text = match name {
            "Version" => &self.version.version,
            "Major" => &self.version.major,
            "Minor" => &self.version.minor,
            _ => return None,
        };
        Some(text.as_str().into())
    }

    fn method(&self, name: &str) -> Option<&'static Method> {
        static STRING: Method = Method {
            name: "String",
            parameters: &[],
            call: |object, _, _| Ok(kube_version(object).map_or("", |it| it.printed_version()).into()),
        };
        static GIT_VERSION: Method = Method {
            name: "GitVersion",
            parameters: &[],
            call: |object, _, _| Ok(kube_version(object).map_or("", |it| &it.version.version).into()),
        };
        match name {
            "String" => Some(&STRING),
            "GitVersion" => Some(&GIT_VERSION),
            _ => None,
        }
    }

    fn text(&self) -> String {
        let KubeVersion { version, normalized, major, minor } = &self.version;
        match self.compat {
            Compat::Helm4 => format!("{{{version} {normalized} {major} {minor}}}"),
            Compat::Helm3 => format!("{{{version} {major} {minor}}}"),
        }
    }

    fn parts(&self) -> Vec<Value> {
        let KubeVersion { version, normalized, major, minor } = &self.version;
        let all = [version, normalized, major, minor];
        let has_normalized = self.compat == Compat::Helm4;
        let parts = all.into_iter().enumerate().filter(|(index, _)| has_normalized || *index != 1);
        parts.map(|(_, text)| text.as_str().into()).collect()
    }

    fn printed(&self) -> String {
        self.printed_version().to_owned()
    }

    fn plain(&self) -> yaml::Value {
        let KubeVersion { version, major, minor, .. } = &self.version;
        let fields = [("Version", version), ("Major", major), ("Minor", minor)];
        fields.into_iter().map(|(name, text)| (name, yaml::Value::from(text.as_str()))).collect()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[derive(Debug)]
struct VersionSet {
    versions: Arc<[Arc<str>]>,
    compat: Compat,
}

impl Object for VersionSet {
    fn type_name(&self) -> &'static str {
        match self.compat {
            Compat::Helm4 => "common.VersionSet",
            Compat::Helm3 => "chartutil.VersionSet",
        }
    }

    fn kind(&self) -> Kind {
        Kind::Slice
    }

    fn method(&self, name: &str) -> Option<&'static Method> {
        static HAS: Method = Method {
            name: "Has",
            parameters: &[Type::String],
            call: |object, _, arguments| {
                let wanted = arguments.first().and_then(Value::as_str).map(Str::as_bytes).unwrap_or_default();
                let set = object.as_any().downcast_ref::<VersionSet>();
                Ok(set
                    .is_some_and(|set| set.versions.iter().any(|version| version.as_bytes() == wanted))
                    .into())
            },
        };
        (name == "Has").then_some(&HAS)
    }

    fn items(&self) -> Option<Vec<Value>> {
        Some(self.versions.iter().map(|version| Value::from(Str::from(Arc::clone(version)))).collect())
    }

    fn text(&self) -> String {
        format!("[{}]", self.versions.join(" "))
    }

    fn plain(&self) -> yaml::Value {
        self.versions.iter().map(|version| yaml::Value::from(&**version)).collect()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// `.Capabilities.HelmVersion`. It names the Helm that is followed and the Go that this is built with; there is
/// no commit after it.
#[derive(Debug)]
pub(super) struct BuildInfo {
    pub(super) compat: Compat,
}

impl BuildInfo {
    fn kube_client_version(&self) -> Option<&'static str> {
        match self.compat {
            Compat::Helm4 => Some("v1.37"),
            Compat::Helm3 => None,
        }
    }
}

impl Object for BuildInfo {
    fn type_name(&self) -> &'static str {
        "version.BuildInfo"
    }

    fn kind(&self) -> Kind {
        Kind::Struct
    }

    fn field(&self, name: &str) -> Option<Value> {
        match name {
            "Version" => Some(helm_version(self.compat).into()),
            "GitCommit" | "GitTreeState" => Some("".into()),
            "GoVersion" => Some(GO_VERSION.into()),
            "KubeClientVersion" => self.kube_client_version().map(Value::from),
            _ => None,
        }
    }

    fn parts(&self) -> Vec<Value> {
        let client = self.kube_client_version();
        let parts = [helm_version(self.compat), "", "", GO_VERSION].into_iter().chain(client);
        parts.map(Value::from).collect()
    }

    fn text(&self) -> String {
        match self.kube_client_version() {
            Some(client) => format!("{{{}   {GO_VERSION} {client}}}", helm_version(self.compat)),
            None => format!("{{{}   {GO_VERSION}}}", helm_version(self.compat)),
        }
    }

    fn plain(&self) -> yaml::Value {
        let client = self.kube_client_version().map(|version| ("kube_client_version", version));
        let own = [("version", helm_version(self.compat)), ("go_version", GO_VERSION)];
        let fields = own.into_iter().chain(client);
        fields.map(|(name, text)| (name, yaml::Value::from(text))).collect()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The API versions that are assumed, in the order in which Helm shows them.
pub const API_VERSIONS: &[&str] = &[
    "v1",
    "admissionregistration.k8s.io/v1",
    "admissionregistration.k8s.io/v1alpha1",
    "admissionregistration.k8s.io/v1beta1",
    "internal.apiserver.k8s.io/v1alpha1",
    "apps/v1",
    "apps/v1beta1",
    "apps/v1beta2",
    "authentication.k8s.io/v1",
    "authentication.k8s.io/v1alpha1",
    "authentication.k8s.io/v1beta1",
    "authorization.k8s.io/v1",
    "authorization.k8s.io/v1beta1",
    "autoscaling/v1",
    "autoscaling/v2",
    "batch/v1",
    "batch/v1beta1",
    "certificates.k8s.io/v1",
    "certificates.k8s.io/v1beta1",
    "certificates.k8s.io/v1alpha1",
    "coordination.k8s.io/v1alpha2",
    "coordination.k8s.io/v1beta1",
    "coordination.k8s.io/v1",
    "discovery.k8s.io/v1",
    "discovery.k8s.io/v1beta1",
    "events.k8s.io/v1",
    "events.k8s.io/v1beta1",
    "extensions/v1beta1",
    "flowcontrol.apiserver.k8s.io/v1",
    "flowcontrol.apiserver.k8s.io/v1beta1",
    "flowcontrol.apiserver.k8s.io/v1beta2",
    "flowcontrol.apiserver.k8s.io/v1beta3",
    "lifecycle.k8s.io/v1alpha1",
    "networking.k8s.io/v1",
    "networking.k8s.io/v1beta1",
    "node.k8s.io/v1",
    "node.k8s.io/v1alpha1",
    "node.k8s.io/v1beta1",
    "policy/v1",
    "policy/v1beta1",
    "rbac.authorization.k8s.io/v1",
    "rbac.authorization.k8s.io/v1beta1",
    "rbac.authorization.k8s.io/v1alpha1",
    "resource.k8s.io/v1",
    "resource.k8s.io/v1beta2",
    "resource.k8s.io/v1beta1",
    "resource.k8s.io/v1alpha3",
    "scheduling.k8s.io/v1alpha3",
    "scheduling.k8s.io/v1beta1",
    "scheduling.k8s.io/v1",
    "storage.k8s.io/v1beta1",
    "storage.k8s.io/v1",
    "storage.k8s.io/v1alpha1",
    "storagemigration.k8s.io/v1",
    "storagemigration.k8s.io/v1beta1",
    "apiextensions.k8s.io/v1beta1",
    "apiextensions.k8s.io/v1",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_kubernetes_reads_them() {
        let cases = [
            ("1.25", Ok(("v1.25", "v1.25", "1", "25"))),
            ("v1.22.5-gke.100", Ok(("v1.22.5-gke.100", "v1.22.5", "1", "22"))),
            ("1.030.2+k3s1", Ok(("v1.030.2+k3s1", "v1.30.2", "1", "30"))),
            ("1.2.", Ok(("v1.2.", "v1.2", "1", "2"))),
            ("abc", Err("could not parse \"abc\" as version")),
            ("", Err("could not parse \"\" as version")),
            ("1", Err("illegal version string \"1\"")),
            ("01.2", Err("illegal zero-prefixed version component \"01\" in \"01.2\"")),
        ];
        for (text, expected) in cases {
            let version = KubeVersion::parse(text, Compat::Helm4);
            let version = version.map_err(String::from);
            let got = version.as_ref().map(|it| {
                (it.version.as_str(), it.normalized.as_str(), it.major.as_str(), it.minor.as_str())
            });
            assert_eq!(got.map_err(String::as_str), expected, "{text}");
        }
        assert_eq!(KubeVersion::parse("v1.22.5-gke.100", Compat::Helm3).unwrap().version, "v1.22.5");
    }
}
