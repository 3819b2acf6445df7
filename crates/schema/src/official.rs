//! The official meta-schemas, by their addresses.

use referencing::meta;
use serde_json::Value;

/// The official meta-schema, or part of one, at an address without a fragment. `http:` and `https:` make no
/// difference.
pub fn official_schema(address: &str) -> Option<(&'static str, &'static Value)> {
    let rest = address.strip_prefix("http://").or_else(|| address.strip_prefix("https://"))?;
    let path = rest.strip_prefix("json-schema.org/")?;
    let (address, schema): (&'static str, &'static Value) = match path {
        "draft-04/schema" => ("http://json-schema.org/draft-04/schema", &meta::DRAFT4),
        "draft-06/schema" => ("http://json-schema.org/draft-06/schema", &meta::DRAFT6),
        "draft-07/schema" => ("http://json-schema.org/draft-07/schema", &meta::DRAFT7),
        "draft/2019-09/schema" => ("https://json-schema.org/draft/2019-09/schema", &meta::DRAFT201909),
        "draft/2019-09/meta/core" => {
            ("https://json-schema.org/draft/2019-09/meta/core", &meta::DRAFT201909_CORE)
        }
        "draft/2019-09/meta/applicator" => {
            ("https://json-schema.org/draft/2019-09/meta/applicator", &meta::DRAFT201909_APPLICATOR)
        }
        "draft/2019-09/meta/validation" => {
            ("https://json-schema.org/draft/2019-09/meta/validation", &meta::DRAFT201909_VALIDATION)
        }
        "draft/2019-09/meta/meta-data" => {
            ("https://json-schema.org/draft/2019-09/meta/meta-data", &meta::DRAFT201909_META_DATA)
        }
        "draft/2019-09/meta/format" => {
            ("https://json-schema.org/draft/2019-09/meta/format", &meta::DRAFT201909_FORMAT)
        }
        "draft/2019-09/meta/content" => {
            ("https://json-schema.org/draft/2019-09/meta/content", &meta::DRAFT201909_CONTENT)
        }
        "schema" | "draft/2020-12/schema" => {
            ("https://json-schema.org/draft/2020-12/schema", &meta::DRAFT202012)
        }
        "draft/2020-12/meta/core" => {
            ("https://json-schema.org/draft/2020-12/meta/core", &meta::DRAFT202012_CORE)
        }
        "draft/2020-12/meta/applicator" => {
            ("https://json-schema.org/draft/2020-12/meta/applicator", &meta::DRAFT202012_APPLICATOR)
        }
        "draft/2020-12/meta/unevaluated" => {
            ("https://json-schema.org/draft/2020-12/meta/unevaluated", &meta::DRAFT202012_UNEVALUATED)
        }
        "draft/2020-12/meta/validation" => {
            ("https://json-schema.org/draft/2020-12/meta/validation", &meta::DRAFT202012_VALIDATION)
        }
        "draft/2020-12/meta/meta-data" => {
            ("https://json-schema.org/draft/2020-12/meta/meta-data", &meta::DRAFT202012_META_DATA)
        }
        "draft/2020-12/meta/format-annotation" => (
            "https://json-schema.org/draft/2020-12/meta/format-annotation",
            &meta::DRAFT202012_FORMAT_ANNOTATION,
        ),
        "draft/2020-12/meta/format-assertion" => (
            "https://json-schema.org/draft/2020-12/meta/format-assertion",
            &meta::DRAFT202012_FORMAT_ASSERTION,
        ),
        "draft/2020-12/meta/content" => {
            ("https://json-schema.org/draft/2020-12/meta/content", &meta::DRAFT202012_CONTENT)
        }
        _ => return None,
    };
    Some((address, schema))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_official_schema_has_its_address_as_id() {
        for address in [
            "http://json-schema.org/draft-04/schema",
            "http://json-schema.org/draft-06/schema",
            "http://json-schema.org/draft-07/schema",
        ] {
            let (own, schema) = official_schema(address).unwrap();
            let id = schema["$id"].as_str().or_else(|| schema["id"].as_str()).unwrap();
            assert_eq!((own, id), (address, format!("{address}#").as_str()));
        }
        for (draft, parts) in [
            ("2019-09", &["core", "applicator", "validation", "meta-data", "format", "content"][..]),
            (
                "2020-12",
                &[
                    "core",
                    "applicator",
                    "unevaluated",
                    "validation",
                    "meta-data",
                    "format-annotation",
                    "content",
                ],
            ),
        ] {
            for part in parts {
                let address = format!("https://json-schema.org/draft/{draft}/meta/{part}");
                let (own, schema) = official_schema(&address).unwrap();
                assert_eq!((own, schema["$id"].as_str()), (address.as_str(), Some(address.as_str())));
            }
        }
        assert!(official_schema("https://json-schema.org/draft-09/schema").is_none());
    }
}
