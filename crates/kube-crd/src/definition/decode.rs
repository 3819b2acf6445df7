//! Reading a CRD: its fields, their defaults, and the move of what all versions share to the top.

use std::sync::Arc;

use trueline_kube_facts::FieldPath;
use trueline_kube_facts::decode::{DecodeError, UnknownField, check, fields, types};
use trueline_kube_facts::object_meta::ObjectMeta;
use trueline_yaml::{Data, Value};

use super::{
    ApiVersion, ClientConfig, Condition, Conversion, Crd, Names, Own, PrinterColumn, Scale, SelectableField,
    Service, Spec, Status, Subresources, Validation, Version,
};
use crate::props::{Props, Written};

const KIND: &str = "CustomResourceDefinition";

/// A CRD that was read.
#[derive(Debug)]
pub struct Decoded {
    /// The CRD, with its defaults.
    pub crd: Crd,
    /// The fields that the server does not know.
    pub unknown: Vec<UnknownField>,
}

/// Whether an object says that it is a CRD.
pub fn is_crd(value: &Value) -> bool {
    api_version(value).is_some() && value.get("kind").and_then(Value::as_str) == Some(KIND)
}

fn api_version(value: &Value) -> Option<ApiVersion> {
    match value.get("apiVersion").and_then(Value::as_str)? {
        "apiextensions.k8s.io/v1" => Some(ApiVersion::V1),
        "apiextensions.k8s.io/v1beta1" => Some(ApiVersion::V1Beta1),
        _ => None,
    }
}

/// Reads a CRD as the server does.
pub fn decode(value: &Value) -> Result<Decoded, DecodeError> {
    let Some(api_version) = api_version(value).filter(|_| is_crd(value)) else {
        let word = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let text =
            format!("no kind \"{}\" is registered for version \"{}\"", word("kind"), word("apiVersion"));
        return Err(DecodeError { text, path: FieldPath::default(), place: value.origin, mismatch: None });
    };
    let checked = match api_version {
        ApiVersion::V1 => check(value, &types::CRD_V1, "v1")?,
        ApiVersion::V1Beta1 => check(value, &types::CRD_V1BETA1, "v1beta1")?,
    };
    let nothing = Value::new(Data::Null);
    let part = |name: &str| fields::get(value, name).unwrap_or(&nothing);
    let mut spec = Spec::read(part("spec"), api_version);
    spec.set_defaults(api_version);
    let mut status = Status::read(part("status"));
    if status.stored_versions.is_empty() {
        let storage = spec.versions.iter().find(|version| version.storage);
        status.stored_versions.extend(storage.map(|version| Arc::clone(&version.name)));
    }
    if api_version == ApiVersion::V1 {
        spec.hoist();
    }
    spec.own = Own::of(&spec.versions);
    let written = Written(Some(value.clone()));
    let metadata = ObjectMeta::read(part("metadata"));
    Ok(Decoded { crd: Crd { written, api_version, metadata, spec, status }, unknown: checked.unknown })
}

impl Spec {
    fn read(value: &Value, api_version: ApiVersion) -> Self {
        let preserve = fields::optional_flag(value, "preserveUnknownFields");
        let is_v1 = api_version == ApiVersion::V1;
        Spec {
            group: fields::text(value, "group"),
            version: if is_v1 { Arc::default() } else { fields::text(value, "version") },
            names: fields::get(value, "names").map(Names::read).unwrap_or_default(),
            scope: fields::text(value, "scope"),
            validation: field(value, "validation", Validation::read).filter(|_| !is_v1),
            subresources: field(value, "subresources", Subresources::read).filter(|_| !is_v1),
            versions: list(value, "versions", |version| Version::read(version, api_version)),
            printer_columns: list(value, "additionalPrinterColumns", |column| {
                PrinterColumn::read(column, api_version)
            })
            .into_iter()
            .filter(|_| !is_v1)
            .collect(),
            selectable_fields: list(value, "selectableFields", SelectableField::read)
                .into_iter()
                .filter(|_| !is_v1)
                .collect(),
            conversion: field(value, "conversion", |value| Conversion::read(value, api_version)),
            preserve_unknown_fields: if is_v1 { Some(preserve.unwrap_or_default()) } else { preserve },
            own: Own::default(),
        }
    }

    fn set_defaults(&mut self, api_version: ApiVersion) {
        if self.names.singular.is_empty() {
            self.names.singular = self.names.kind.to_lowercase().into();
        }
        if self.names.list_kind.is_empty() && !self.names.kind.is_empty() {
            self.names.list_kind = format!("{}List", self.names.kind).into();
        }
        let conversion = self
            .conversion
            .get_or_insert_with(|| Conversion { strategy: "None".into(), ..Conversion::default() });
        if let Some(service) = conversion.client_config.as_mut().and_then(|config| config.service.as_mut()) {
            service.port = if service.port == UNSET_PORT { 443 } else { service.port };
        }
        if api_version == ApiVersion::V1 {
            return;
        }
        if &*conversion.strategy == "Webhook" && conversion.review_versions.is_empty() {
            conversion.review_versions.push("v1beta1".into());
        }
        if self.scope.is_empty() {
            self.scope = "Namespaced".into();
        }
        if self.versions.is_empty() && !self.version.is_empty() {
            let name = Arc::clone(&self.version);
            self.versions.push(Version { name, served: true, storage: true, ..Version::default() });
        }
        if let Some(first) = self.versions.first().filter(|_| self.version.is_empty()) {
            self.version = Arc::clone(&first.name);
        }
        self.preserve_unknown_fields.get_or_insert(true);
    }

    /// Moves what all versions share to the top, as the server does before it looks at anything.
    fn hoist(&mut self) {
        let Some(first) = self.versions.first().cloned() else { return };
        self.version = Arc::clone(&first.name);
        let versions = &mut self.versions;
        if versions.iter().all(|version| version.subresources == first.subresources) {
            versions.iter_mut().for_each(|version| version.subresources = None);
            self.subresources = first.subresources;
        }
        if versions.iter().all(|version| version.validation == first.validation) {
            versions.iter_mut().for_each(|version| version.validation = None);
            self.validation = first.validation;
        }
        if versions.iter().all(|version| version.printer_columns == first.printer_columns) {
            versions.iter_mut().for_each(|version| version.printer_columns.clear());
            self.printer_columns = first.printer_columns;
        }
        if versions.iter().all(|version| version.selectable_fields == first.selectable_fields) {
            versions.iter_mut().for_each(|version| version.selectable_fields.clear());
            self.selectable_fields = first.selectable_fields;
        }
    }
}

/// A port that was not written; no port that was can be this one, because ports have 32 bits.
const UNSET_PORT: i64 = i64::MIN;

fn field<T>(value: &Value, name: &str, read: impl Fn(&Value) -> T) -> Option<T> {
    fields::get(value, name).map(read)
}

fn list<T>(value: &Value, name: &str, read: impl Fn(&Value) -> T) -> Vec<T> {
    fields::items(value, name).iter().map(read).collect()
}

impl Names {
    fn read(value: &Value) -> Self {
        Names {
            plural: fields::text(value, "plural"),
            singular: fields::text(value, "singular"),
            short_names: fields::texts(value, "shortNames"),
            kind: fields::text(value, "kind"),
            list_kind: fields::text(value, "listKind"),
            categories: fields::texts(value, "categories"),
        }
    }
}

impl Version {
    fn read(value: &Value, api_version: ApiVersion) -> Self {
        Version {
            written: Written(Some(value.clone())),
            name: fields::text(value, "name"),
            served: fields::flag(value, "served"),
            storage: fields::flag(value, "storage"),
            deprecated: fields::flag(value, "deprecated"),
            deprecation_warning: fields::optional_text(value, "deprecationWarning"),
            validation: field(value, "schema", Validation::read),
            subresources: field(value, "subresources", Subresources::read),
            printer_columns: list(value, "additionalPrinterColumns", |column| {
                PrinterColumn::read(column, api_version)
            }),
            selectable_fields: list(value, "selectableFields", SelectableField::read),
        }
    }
}

impl Validation {
    fn read(value: &Value) -> Self {
        let schema = field(value, "openAPIV3Schema", |schema| Arc::new(Props::read(schema)));
        Validation { written: Written(Some(value.clone())), schema }
    }
}

impl Subresources {
    fn read(value: &Value) -> Self {
        Subresources {
            written: Written(Some(value.clone())),
            status: fields::get(value, "status").is_some(),
            scale: field(value, "scale", |scale| Scale {
                spec_replicas_path: fields::text(scale, "specReplicasPath"),
                status_replicas_path: fields::text(scale, "statusReplicasPath"),
                label_selector_path: fields::optional_text(scale, "labelSelectorPath"),
            }),
        }
    }
}

impl PrinterColumn {
    fn read(value: &Value, api_version: ApiVersion) -> Self {
        PrinterColumn {
            written: Written(Some(value.clone())),
            name: fields::text(value, "name"),
            type_name: fields::text(value, "type"),
            format: fields::text(value, "format"),
            description: fields::text(value, "description"),
            priority: fields::integer(value, "priority").unwrap_or_default(),
            json_path: match api_version {
                ApiVersion::V1 => fields::text(value, "jsonPath"),
                ApiVersion::V1Beta1 => fields::text(value, "JSONPath"),
            },
        }
    }
}

impl SelectableField {
    fn read(value: &Value) -> Self {
        SelectableField { written: Written(Some(value.clone())), json_path: fields::text(value, "jsonPath") }
    }
}

impl Conversion {
    fn read(value: &Value, api_version: ApiVersion) -> Self {
        let (holder, config) = match api_version {
            ApiVersion::V1 => (fields::get(value, "webhook"), "clientConfig"),
            ApiVersion::V1Beta1 => (Some(value), "webhookClientConfig"),
        };
        let versions = holder.and_then(|holder| fields::get(holder, "conversionReviewVersions"));
        Conversion {
            written: Written(Some(value.clone())),
            strategy: fields::text(value, "strategy"),
            client_config: holder.and_then(|holder| field(holder, config, ClientConfig::read)),
            review_versions: holder
                .map(|holder| fields::texts(holder, "conversionReviewVersions"))
                .unwrap_or_default(),
            review_versions_written: Written(versions.or(holder).or(Some(value)).cloned()),
        }
    }
}

impl ClientConfig {
    fn read(value: &Value) -> Self {
        ClientConfig {
            written: Written(Some(value.clone())),
            url: fields::optional_text(value, "url"),
            service: field(value, "service", |service| Service {
                namespace: fields::text(service, "namespace"),
                name: fields::text(service, "name"),
                path: fields::optional_text(service, "path"),
                port: fields::integer(service, "port").unwrap_or(UNSET_PORT),
            }),
            ca_bundle: fields::text(value, "caBundle"),
        }
    }
}

impl Status {
    fn read(value: &Value) -> Self {
        Status {
            conditions: list(value, "conditions", |condition| Condition {
                type_name: fields::text(condition, "type"),
                status: fields::text(condition, "status"),
                reason: fields::text(condition, "reason"),
                message: fields::text(condition, "message"),
            }),
            accepted_names: fields::get(value, "acceptedNames").map(Names::read).unwrap_or_default(),
            stored_versions: fields::texts(value, "storedVersions"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Value {
        trueline_yaml::yaml_to_value(text).unwrap()
    }

    const HEAD: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n";

    #[test]
    fn what_all_versions_share_moves_to_the_top() {
        let crd = |second: &str| {
            let text = format!(
                "{HEAD}spec: {{names: {{kind: Foo}}, versions: [{{name: v1, storage: true, schema: \
                 {{openAPIV3Schema: {{type: object, x-foo: 1}}}}}}, {{name: v2, schema: {second}}}]}}"
            );
            decode(&read(&text)).unwrap().crd
        };
        let shared = crd("{openAPIV3Schema: {type: object}}");
        assert!(shared.spec.validation.is_some() && shared.spec.versions[1].validation.is_none());
        assert!(shared.schema(&shared.spec.versions[1]).is_some());
        let different = crd("{openAPIV3Schema: {type: string}}");
        assert!(different.spec.validation.is_none());
        assert_eq!(&*different.schema(&different.spec.versions[1]).unwrap().type_name, "string");
        assert_eq!(&*different.spec.names.singular, "foo");
        assert_eq!(&*different.spec.names.list_kind, "FooList");
        assert_eq!(different.status.stored_versions, ["v1".into()]);
    }

    #[test]
    fn the_old_version_of_the_api_has_other_defaults() {
        let text = format!("{}spec: {{version: v1, names: {{kind: Foo}}}}", HEAD.replace("/v1", "/v1beta1"));
        let crd = decode(&read(&text)).unwrap().crd;
        assert_eq!(&*crd.spec.scope, "Namespaced");
        assert!(crd.preserves_unknown_fields());
        assert_eq!(&*crd.spec.versions[0].name, "v1");
    }

    #[test]
    fn what_cannot_be_read_is_said_in_go_s_words() {
        let schema =
            |schema: &str| format!("spec: {{versions: [{{schema: {{openAPIV3Schema: {schema}}}}}]}}");
        let rows = [
            (
                schema("{properties: {a: {maxLength: x}}}"),
                "json: cannot unmarshal string into Go struct field \
                 JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.maxLength of type int64",
            ),
            (
                schema("{items: {maxLength: x}, enum: 1}"),
                "json: cannot unmarshal string into Go struct field \
                 JSONSchemaProps.spec.versions.schema.openAPIV3Schema.items.maxLength of type int64",
            ),
            (schema("{additionalProperties: x}"), "boolean or JSON schema expected"),
            (
                "spec: {versions: {}}".to_owned(),
                "json: cannot unmarshal object into Go struct field CustomResourceDefinitionSpec.spec.versions of \
                 type []v1.CustomResourceDefinitionVersion",
            ),
        ];
        for (text, expected) in rows {
            assert_eq!(decode(&read(&format!("{HEAD}{text}"))).unwrap_err().text, expected, "{text}");
        }
        // A server reads schemas far deeper than texts are read here.
        let deep = format!("{}{}", "{not: ".repeat(900), "{}".to_owned() + &"}".repeat(900));
        let text = format!("{HEAD}{}", schema(&deep));
        let check = move || decode(&read(&text)).is_ok();
        let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(check).unwrap();
        assert!(thread.join().unwrap());
    }

    #[test]
    fn unknown_fields_are_listed_where_the_server_sees_them() {
        let text = format!(
            "{HEAD}foo: 1\nspec: {{Group: x, versions: [{{schema: {{openAPIV3Schema: {{const: 1, items: {{const: 1}}, \
             properties: {{a: {{if: 1}}}}}}}}}}]}}"
        );
        let unknown = decode(&read(&text)).unwrap().unknown;
        let paths: Vec<String> = unknown.iter().map(|field| field.path.to_string()).collect();
        let schema = "spec.versions[0].schema.openAPIV3Schema";
        assert_eq!(
            paths,
            [
                "foo".to_owned(),
                "spec.Group".into(),
                format!("{schema}.const"),
                format!("{schema}.properties.a.if")
            ]
        );
    }
}
