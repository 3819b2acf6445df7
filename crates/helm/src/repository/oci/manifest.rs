//! The manifest of a chart in a registry.

use crate::refusal::{Refusal, RefusalKind};
use serde_json::Value;

/// The media type of the layer that holds a chart's archive.
pub const CHART_LAYER: &str = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";
const OLD_CHART_LAYER: &str = "application/tar+gzip";
const PROVENANCE_LAYER: &str = "application/vnd.cncf.helm.chart.provenance.v1.prov";
const CONFIG: &str = "application/vnd.cncf.helm.config.v1+json";
const IMAGE_MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

/// The media types that a request for a manifest accepts.
pub const ACCEPTED: &str = "application/vnd.docker.distribution.manifest.v2+json, \
                            application/vnd.docker.distribution.manifest.list.v2+json, \
                            application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json";

/// Layers of a manifest that are looked at; charts have three at most.
const MOST_LAYERS: usize = 64;

/// A part of what a manifest describes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// The digest by which it is fetched, such as `sha256:` with 64 digits.
    pub digest: String,
    /// How many bytes it has.
    pub size: u64,
    media_type: String,
}

/// What is to be fetched for a chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The chart's Chart.yaml as JSON.
    pub config: Layer,
    /// The archive.
    pub chart: Layer,
    /// The provenance file.
    pub provenance: Option<Layer>,
    /// What Helm says about it, if anything.
    pub warning: Option<String>,
}

impl Manifest {
    /// Reads a manifest; the error is in Helm's words.
    pub fn read(bytes: &[u8]) -> Result<Self, Refusal> {
        Self::read_document(bytes).map_err(|text| RefusalKind::Syntax.of(text))
    }

    fn read_document(bytes: &[u8]) -> Result<Self, String> {
        let manifest: Value = serde_json::from_slice(bytes)
            .map_err(|_| "failed to perform \"FindSuccessors\" on source: invalid manifest".to_owned())?;
        let media_type = manifest.get("mediaType").and_then(Value::as_str).unwrap_or(IMAGE_MANIFEST);
        if media_type != IMAGE_MANIFEST {
            return Err(format!("could not load config with mediatype {CONFIG}"));
        }
        let layers = manifest.get("layers").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let descriptors: Vec<Layer> =
            manifest.get("config").into_iter().chain(layers).take(MOST_LAYERS).filter_map(layer).collect();
        let is_known =
            |layer: &&Layer| [CONFIG, CHART_LAYER, OLD_CHART_LAYER].contains(&layer.media_type.as_str());
        // The manifest itself is counted too.
        let known = descriptors.iter().filter(is_known).count() + 1;
        if known < 2 {
            return Err(format!(
                "manifest does not contain minimum number of descriptors (2), descriptors found: {known}"
            ));
        }
        let last =
            |media_type: &str| descriptors.iter().rev().find(|layer| layer.media_type == media_type).cloned();
        let config = last(CONFIG).ok_or_else(|| format!("could not load config with mediatype {CONFIG}"))?;
        let old = last(OLD_CHART_LAYER);
        let warning =
            old.as_ref().map(|_| format!("Warning: chart media type {OLD_CHART_LAYER} is deprecated"));
        let chart = last(CHART_LAYER).or(old);
        let chart =
            chart.ok_or_else(|| format!("manifest does not contain a layer with mediatype {CHART_LAYER}"))?;
        Ok(Manifest { config, chart, provenance: last(PROVENANCE_LAYER), warning })
    }
}

fn layer(value: &Value) -> Option<Layer> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    Some(Layer {
        digest: text("digest")?.to_owned(),
        size: value.get("size").and_then(Value::as_u64)?,
        media_type: text("mediaType")?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(layers: &str) -> Result<Manifest, Refusal> {
        let text = format!(
            "{{\"schemaVersion\": 2, \"config\": {{\"mediaType\": \"{CONFIG}\", \"digest\": \"sha256:c\", \"size\": 1}}, \
             \"layers\": [{layers}]}}"
        );
        Manifest::read(text.as_bytes())
    }

    fn layer(media_type: &str, digest: &str) -> String {
        format!("{{\"mediaType\": \"{media_type}\", \"digest\": \"{digest}\", \"size\": 7}}")
    }

    #[test]
    fn layers_are_found_by_their_types() {
        let all = [layer(PROVENANCE_LAYER, "sha256:p"), layer(CHART_LAYER, "sha256:a"), layer("x/y", "z")];
        let read = manifest(&all.join(",")).unwrap();
        assert_eq!((read.chart.digest.as_str(), read.chart.size, read.warning), ("sha256:a", 7, None));
        assert_eq!(read.provenance.map(|layer| layer.digest).as_deref(), Some("sha256:p"));
        let old = manifest(&layer(OLD_CHART_LAYER, "sha256:o")).unwrap();
        assert_eq!(old.chart.digest, "sha256:o");
        assert_eq!(
            old.warning.as_deref(),
            Some("Warning: chart media type application/tar+gzip is deprecated")
        );
    }

    #[test]
    fn what_is_no_chart_is_refused() {
        assert_eq!(
            manifest(&layer("x/y", "z")).unwrap_err().to_string(),
            format!("manifest does not contain a layer with mediatype {CHART_LAYER}")
        );
        assert_eq!(
            Manifest::read(b"{}").unwrap_err().to_string(),
            "manifest does not contain minimum number of descriptors (2), descriptors found: 1"
        );
        assert_eq!(
            Manifest::read(b"{\"mediaType\": \"application/vnd.oci.image.index.v1+json\"}")
                .unwrap_err()
                .to_string(),
            format!("could not load config with mediatype {CONFIG}")
        );
        assert!(Manifest::read(b"<html>").is_err());
    }
}
