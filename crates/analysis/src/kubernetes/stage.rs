//! One object after the other: what it is validated against, and what is reported about it.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use trueline_diagnostic::{Diagnostic, LeftOut, Level, Severity, nearest};
use trueline_kube::api::{Api, transient};
use trueline_kube::cluster::{Cluster, CustomKind, Input, Outcome, Request, Review};
use trueline_kube::crd::{self, CheckOptions};
use trueline_kube::manifest::{self, Fact, Object as Manifest, Options, Problem, Suggestions};
use trueline_kube::{FieldValidation, KubeVersion, offer};
use trueline_schema::{Instance, WordingContext, diagnose, in_its_quotes};
use trueline_source::{SourceKind, SourceMap, Span};
use trueline_yaml::{Data, Document, NodeId, NodeRef, ScalarStyle, Stream, SyntaxError, Value};

use super::codes::{NO_OBJECT, NO_SCHEMA, REREAD_KEY, UNKNOWN_KIND, UNUSABLE_SCHEMA};
use super::custom::{self, not_applied};
use super::definitions::{Definitions, Known};
use super::duplicate::{self, Named};
use super::expression::{at_part, part_of_scalar};
use super::head::{Head, Type, has_head, is_definition};
use super::location::{Strictness, Wanted};
use super::policies::Server;
use super::services::{self, Extent};
use super::settings::{KubernetesSettings, MissingSchemas};
use super::{Held, Objects, Waiting, local, size};
use crate::chart::{without_type, wrong_fields};
use crate::rendering::RenderedDocument;
use crate::session::Session;
use crate::unit::Mode;

/// After how many findings of a file, or documents of a chart, it is not searched any more what was meant by unknown
/// fields. A report lists fewer.
const MANY: usize = 2_000;

/// What was found in a document that a chart was rendered to.
#[derive(Debug, Clone, Default)]
struct LookedAt {
    objects: Objects,
    findings: Vec<Diagnostic>,
    suggestions: Suggestions,
    holds_objects: bool,
}

impl LookedAt {
    /// Whether a stage of the same unit would find the same. What its settings say has not changed, or nothing of the unit
    /// is remembered.
    fn is_for(&self, stage: &Stage<'_>) -> bool {
        (self.suggestions, self.holds_objects) == (stage.options.suggestions, stage.mode.holds_objects)
    }
}

/// Remembers what was found in a document, for as long as the document is held.
#[derive(Debug, Default)]
pub(crate) struct Remembered(Mutex<Option<Arc<LookedAt>>>);

impl Remembered {
    fn of(&self, holds: impl Fn(&LookedAt) -> bool, look: impl FnOnce() -> LookedAt) -> Arc<LookedAt> {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept().as_ref().filter(|known| holds(known)) {
            return Arc::clone(known);
        }
        // Nothing is locked while it is found.
        let looked_at = Arc::new(look());
        *kept() = Some(Arc::clone(&looked_at));
        looked_at
    }
}

/// What objects are validated against, and how.
#[derive(Debug)]
pub(crate) struct Stage<'s> {
    settings: &'s KubernetesSettings,
    cluster: Cluster,
    options: Options,
    mode: Mode<'s>,
    /// Where objects land that name no namespace.
    namespace: &'s str,
    sources: &'s SourceMap,
}

impl<'s> Stage<'s> {
    /// The stage for a unit.
    pub(crate) fn new(mode: Mode<'s>, settings: &'s Session, sources: &'s SourceMap) -> Self {
        Stage {
            settings: &settings.kubernetes,
            cluster: mode.kube_version.map_or_else(Cluster::newest, Cluster::new),
            options: Options { field_validation: mode.field_validation, ..Options::default() },
            mode,
            namespace: &settings.charts.namespace,
            sources,
        }
    }

    /// The version of the server.
    pub(super) fn version(&self) -> KubeVersion {
        self.cluster.version()
    }

    /// The same without a search for what was meant.
    fn brief(&self) -> Self {
        let options = Options { suggestions: Suggestions::LeftOut, ..self.options };
        Stage { options, cluster: self.cluster.clone(), ..*self }
    }

    /// What is wrong with the objects in a file; those that wait for definitions are put by.
    pub(crate) fn look_at_file(&self, stream: &Stream, objects: &mut Objects) -> Vec<Diagnostic> {
        let mut findings: Vec<Diagnostic> = stream.errors.iter().map(SyntaxError::to_diagnostic).collect();
        let mut named = Vec::new();
        for document in stream.documents.iter().filter(|document| !document.root().is_null()) {
            if self.mode.is_cancelled() {
                return findings;
            }
            findings.extend(self.repeated_keys(document));
            findings.extend(headless(document.root()));
            self.look_at(document, objects, &mut named, &mut findings);
        }
        findings.extend(duplicate::twice(&named));
        let roots = stream.documents.iter().map(Document::root);
        findings.extend(self.look_at_services(roots, Extent::File));
        findings
    }

    /// What is wrong with the Services among objects, seen beside the pods there.
    fn look_at_services<'d>(
        &self,
        roots: impl Iterator<Item = NodeRef<'d>>,
        extent: Extent,
    ) -> Vec<Diagnostic> {
        let objects: Vec<Manifest<'d>> = roots.flat_map(manifest::objects).collect();
        let mut findings = services::check(&objects, self.namespace, extent);
        findings.extend(services::check_probes(&objects));
        findings
    }

    /// What is wrong with the Services that a chart was rendered to. Only a whole render says which pods there are.
    pub(crate) fn look_at_rendered_services(&self, documents: &[RenderedDocument]) -> Vec<Diagnostic> {
        let roots = documents.iter().map(|rendered| rendered.document.root());
        self.look_at_services(roots, Extent::Render)
    }

    /// What is wrong with the objects that a chart was rendered to, other than what was found in their heads. What is
    /// remembered of each document is used again.
    pub(crate) fn look_at_rendered<'d>(
        &self,
        documents: &'d [RenderedDocument],
        remembered: &[&Remembered],
        found: &[Diagnostic],
        objects: &mut Objects,
    ) -> Vec<Diagnostic> {
        let look = |(number, rendered): (usize, &'d RenderedDocument)| {
            if self.mode.is_cancelled() {
                return (Arc::default(), Vec::new());
            }
            // Documents are looked at side by side, so their number is used for what was found before.
            let stage = if number < MANY { self } else { &self.brief() };
            let look = || stage.look_at_one_rendered(&rendered.document);
            let looked_at = match remembered.get(number) {
                Some(remembered) => remembered.of(|known| known.is_for(stage), look),
                None => Arc::new(look()),
            };
            (looked_at, self.named_in(&rendered.document))
        };
        let parts: Vec<_> = documents.par_iter().enumerate().map(look).collect();
        let said: FxHashSet<Span> = found.iter().map(|finding| finding.primary.span).collect();
        let (mut findings, mut named) = (Vec::new(), Vec::new());
        for (looked_at, names) in parts {
            let LookedAt { objects: of_one, findings: news, .. } = Arc::unwrap_or_clone(looked_at);
            objects.join(of_one);
            named.extend(names);
            findings.extend(news.into_iter().filter(|finding| !said.contains(&finding.primary.span)));
        }
        findings.extend(duplicate::twice(&named));
        findings
    }

    fn look_at_one_rendered(&self, document: &Document) -> LookedAt {
        let (mut objects, mut findings) = (Objects::default(), self.repeated_keys(document));
        self.look_at(document, &mut objects, &mut Vec::new(), &mut findings);
        // What a chart renders to is sent to a cluster, whoever else could read it.
        objects.waiting.iter_mut().for_each(|waiting| waiting.reader = None);
        let (suggestions, holds_objects) = (self.options.suggestions, self.mode.holds_objects);
        LookedAt { objects, findings, suggestions, holds_objects }
    }

    /// The names of the objects in a document that are looked at.
    fn named_in<'d>(&self, document: &'d Document) -> Vec<Named<'d>> {
        let is_looked_at = |manifest: &Manifest<'_>| {
            has_head(manifest) && self.skipped(manifest, &mut Objects::default()).is_none()
        };
        let manifests = manifest::objects(document.root()).into_iter().filter(is_looked_at);
        manifests.filter_map(|manifest| Named::of(&manifest, self.namespace)).collect()
    }

    /// What is wrong with the objects in a document.
    pub(crate) fn look(&self, document: &Document, objects: &mut Objects) -> Vec<Diagnostic> {
        let mut findings = Vec::new();
        self.look_at(document, objects, &mut Vec::new(), &mut findings);
        findings
    }

    fn look_at<'d>(
        &self,
        document: &'d Document,
        objects: &mut Objects,
        named: &mut Vec<Named<'d>>,
        findings: &mut Vec<Diagnostic>,
    ) {
        let mut is_checked = false;
        for manifest in manifest::objects(document.root()) {
            if !has_head(&manifest) {
                // What is wrong with a whole document is reported with the document.
                if manifest.node.id() != document.root().id() {
                    findings.extend(headless(manifest.node));
                }
                continue;
            }
            if let Some(why) = self.skipped(&manifest, objects) {
                objects.left_out.push(LeftOut { what: Type::of(&manifest).to_string(), why });
            } else {
                named.extend(Named::of(&manifest, self.namespace));
                match size::too_large(manifest.node) {
                    Some(finding) => findings.push(finding),
                    None => self.look_at_one(&manifest, objects, findings),
                }
                is_checked = true;
            }
        }
        if is_checked {
            findings.extend(reread_keys(document));
        }
    }

    fn look_at_one(&self, manifest: &Manifest<'_>, objects: &mut Objects, findings: &mut Vec<Diagnostic>) {
        if is_definition(manifest.node) {
            self.look_at_definition(manifest, objects, findings);
            return;
        }
        let old = self.old_of(manifest);
        let options = if findings.len() < MANY { self.options } else { self.brief().options };
        let (group, _) = manifest.group_and_version();
        // Whatever else defines the kind in the run counts less than a CRD that was given, so objects of it need not wait.
        let given = self.mode.definitions.and_then(|definitions| definitions.given(group, manifest.kind));
        let request = self.request(*manifest, options).replacing(old);
        let request = given.map_or(request, |known| request.defined_by(&known.kind));
        let review = self.cluster.review(request);
        if review.is_of_custom_kind() {
            let Some(head) = Head::of(manifest) else { return };
            let found = self.told_of_custom(&review, &head, objects);
            if self.mode.holds_objects {
                self.hold(head, manifest.value(), &found, objects);
            }
            findings.extend(found);
            return;
        }
        match review.outcome() {
            Outcome::Reviewed => {
                objects.checked += 1;
                let what = || Type::of(manifest).to_string();
                objects.left_out.extend(not_applied(manifest.kind, what));
                let source = self.sources.get(manifest.node.span().source);
                let problems = match options.suggestions {
                    Suggestions::Searched => Cow::Owned(review.root_causes(source.text())),
                    Suggestions::LeftOut => Cow::Borrowed(review.problems()),
                };
                if self.mode.holds_objects {
                    let is_refused = problems.iter().any(|problem| problem.severity == Severity::Error);
                    let held = |head| Held { head, value: manifest.value(), is_refused };
                    objects.held.extend(Head::of(manifest).map(held));
                }
                let found = problems.iter().map(|problem| self.problem(problem, manifest)).collect();
                findings.extend(manifest::together(&problems, found));
            }
            Outcome::UnknownKind(near) => {
                let (value, reader) = (manifest.value(), local::reader(manifest));
                let Some(head) = Head::of(manifest) else { return };
                objects.waiting.push(Waiting { head, value, near, reader });
            }
            Outcome::NotAnObject | Outcome::UnusableDefinition(_) => {}
        }
    }

    /// What a cluster is asked about an object.
    fn request<'r>(&'r self, object: impl Into<Input<'r>>, options: Options) -> Request<'r> {
        let Options { field_validation, suggestions } = options;
        let request = Request::create(object).field_validation(field_validation);
        request.suggestions(suggestions).namespace(self.namespace)
    }

    /// Why an object is left out on purpose, if it is.
    fn skipped(&self, manifest: &Manifest<'_>, objects: &mut Objects) -> Option<String> {
        if self.settings.skip.is_empty() && self.mode.skip.is_empty() {
            return None;
        }
        let of = Type::of(manifest);
        let given = self.settings.skip.iter().enumerate().filter(|(_, name)| of.is_named(name));
        let configured = self.mode.skip.iter().enumerate().filter(|(_, (name, _))| of.is_named(name));
        objects.skips.given.extend(given.clone().map(|(index, _)| index));
        objects.skips.configured.extend(configured.clone().map(|(index, _)| index));
        let given = given.map(|(_, name)| format!("`--skip {name}` leaves them out")).next();
        given.or_else(|| {
            let (_, (name, _)) = configured.into_iter().next()?;
            Some(format!("`skip` in trueline.toml leaves {name} out"))
        })
    }

    /// The finding for a problem of an object, with a change that fixes it where one is known.
    fn problem(&self, problem: &Problem, manifest: &Manifest<'_>) -> Diagnostic {
        let finding = manifest::diagnostic(problem, manifest);
        let meant = match &problem.fact {
            Fact::Removed(_, Some(replacement)) | Fact::Deprecated(_, _, Some(replacement)) => {
                self.takes_as(manifest, replacement).then(|| replacement.clone())
            }
            _ => None,
        };
        let finding = match meant {
            Some(meant) => trueline_kube::offer(finding, &meant),
            None => finding,
        };
        let finding = match &problem.fact {
            Fact::WrongType(..) => self.at_contents(finding, problem, manifest),
            Fact::Refused(..) => at_part(finding, problem, self.sources),
            _ => finding,
        };
        in_its_quotes(finding, self.sources)
    }

    /// The finding at what a list or map holds, in rendered text: a template has the key, and values may have what is
    /// printed after it.
    fn at_contents(&self, mut finding: Diagnostic, problem: &Problem, manifest: &Manifest<'_>) -> Diagnostic {
        if !matches!(self.sources.get(problem.place.source).kind(), SourceKind::Rendered(_)) {
            return finding;
        }
        let node = manifest.node.at_pointer(&problem.field.pointer());
        let first = node.and_then(|node| match node.entries() {
            Some(mut entries) => entries.next().map(|(key, _)| key),
            None => node.items().and_then(|mut items| items.next()),
        });
        if let Some(first) = first {
            finding.primary.span = first.span();
        }
        finding
    }

    /// Whether an object is valid in another version as it is.
    fn takes_as(&self, manifest: &Manifest<'_>, api_version: &str) -> bool {
        let other = Manifest { api_version, ..*manifest };
        self.cluster.review(self.request(other, self.options)).is_accepted()
    }

    /// What a cluster says of a definition, and the definition itself for the objects of its kind.
    fn look_at_definition(
        &self,
        manifest: &Manifest<'_>,
        objects: &mut Objects,
        findings: &mut Vec<Diagnostic>,
    ) {
        let node = manifest.node;
        let old = self.old_of(manifest).and_then(|old| crd::decode(&Value::from_node(old.node)).ok());
        let old = old.map(|old| {
            let mut old = old.crd;
            // What a cluster has stored is in use, whether or not the file still has its status.
            old.assume_established();
            old
        });
        let locate =
            |scalar: Span, value: &str, part: Range<u32>| part_of_scalar(self.sources, scalar, value, part);
        let options = CheckOptions {
            field_validation: self.options.field_validation,
            version: self.version(),
            locate: &locate,
        };
        let checked = crd::check(&Value::from_node(node), old.as_ref(), options, node.span());
        objects.checked += 1;
        findings.extend(checked.diagnostics.into_iter().map(|finding| in_its_quotes(finding, self.sources)));
        if let Some(crd) = checked.crd {
            objects.definitions.push(Arc::new(CustomKind::new(&crd)));
        }
    }

    /// Keys that are there twice, as much as they matter here.
    fn repeated_keys(&self, document: &Document) -> Vec<Diagnostic> {
        let found = document.duplicate_diagnostics().into_iter();
        match self.options.field_validation {
            FieldValidation::Strict => found.collect(),
            FieldValidation::Warn => found.map(|finding| finding.severity(Severity::Warning)).collect(),
            FieldValidation::Ignore => Vec::new(),
        }
    }

    /// Checks the objects of a unit that waited for definitions.
    pub(crate) fn resolve(
        &self,
        objects: &mut Objects,
        definitions: &Definitions,
        unit: &str,
    ) -> Vec<Diagnostic> {
        let mut findings = Vec::new();
        for waiting in std::mem::take(&mut objects.waiting) {
            match definitions.find(&waiting.head.of, unit) {
                Some(known) => {
                    let found = self.look_at_custom(&waiting, known, objects);
                    self.hold(waiting.head, waiting.value, &found, objects);
                    findings.extend(found);
                }
                None => {
                    let found = self.at_location(&waiting);
                    if let (None, Some(reader)) = (&found, waiting.reader) {
                        let what = waiting.head.of.to_string();
                        objects.left_out.push(LeftOut { what, why: local::why(reader) });
                        objects.unasked += 1;
                        continue;
                    }
                    let found = found.or_else(|| self.wrong_kind(&waiting).map(|finding| vec![finding]));
                    let found = match found {
                        Some(found) => {
                            objects.checked += 1;
                            found
                        }
                        None => {
                            let near = definitions.near(&waiting.head.of);
                            self.without_schema(&waiting, near, objects).into_iter().collect()
                        }
                    };
                    self.hold(waiting.head, waiting.value, &found, objects);
                    findings.extend(found);
                }
            }
        }
        findings
    }

    /// Keeps an object for the policies of the run.
    fn hold(&self, head: Head, value: Value, found: &[Diagnostic], objects: &mut Objects) {
        if self.mode.holds_objects {
            let is_refused = found.iter().any(|finding| finding.severity == Severity::Error);
            objects.held.push(Held { head, value, is_refused });
        }
    }

    /// Reads objects as the server of the unit does.
    pub(super) fn server<'d>(&'d self, definitions: &'d Definitions, unit: &'d str) -> Option<Server<'d>> {
        let api = self.cluster.api()?;
        Some(Server { api, version: self.version(), definitions, namespace: self.namespace, unit })
    }

    /// What an object takes the place of.
    pub(super) fn old_value(&self, head: &Head) -> Option<Value> {
        let old = self.old(head)?;
        (old.api_version == head.of.api_version()).then(|| old.value())
    }

    /// What is wrong with an object of a kind that a CRD defines.
    fn look_at_custom(&self, waiting: &Waiting, known: &Known, objects: &mut Objects) -> Vec<Diagnostic> {
        let old = self.old(&waiting.head).map(|old| old.value());
        let request = self.request(&waiting.value, self.options).replacing(old.as_ref());
        self.told_of_custom(&self.cluster.review(request.defined_by(&known.kind)), &waiting.head, objects)
    }

    /// What a review of an object of such a kind means for the report.
    fn told_of_custom(&self, review: &Review<'_>, head: &Head, objects: &mut Objects) -> Vec<Diagnostic> {
        // What is wrong with the CRD itself is reported where it was typed.
        if let Outcome::UnusableDefinition(_) = review.outcome() {
            let what = head.of.to_string();
            let why = "the CRD of the kind cannot be used".to_owned();
            objects.left_out.push(LeftOut { what, why });
            objects.unasked += 1;
            return Vec::new();
        }
        objects.checked += 1;
        objects.left_out.extend(custom::not_evaluated(review, head));
        let locate =
            |scalar: Span, value: &str, part: Range<u32>| part_of_scalar(self.sources, scalar, value, part);
        let found = review.diagnostics(head.place, &locate).into_iter();
        found.map(|finding| in_its_quotes(finding, self.sources)).collect()
    }

    /// What an object is an update of; its head is only read where there is something to compare it with.
    fn old_of(&self, manifest: &Manifest<'_>) -> Option<Manifest<'_>> {
        self.mode.old?;
        self.old(&Head::of(manifest)?)
    }

    /// What an object is an update of.
    fn old(&self, head: &Head) -> Option<Manifest<'_>> {
        self.mode.old?.of(head, self.namespace)
    }

    /// What the JSON Schema of a kind says, if a location has one.
    fn at_location(&self, waiting: &Waiting) -> Option<Vec<Diagnostic>> {
        let of = &waiting.head.of;
        let fallback = waiting.head.place;
        let wanted = Wanted {
            api_version: &of.api_version(),
            kind: &of.kind,
            kubernetes: &format!("{}.0", self.version()),
            strictness: match self.options.field_validation {
                FieldValidation::Strict => Strictness::Strict,
                FieldValidation::Warn | FieldValidation::Ignore => Strictness::Lenient,
            },
        };
        match self.mode.locations?.schema(&wanted) {
            Ok(schema) => {
                let schema = schema?;
                let instance = Instance::from(&waiting.value);
                let context = WordingContext { sources: self.sources, schema: &*schema, instance, fallback };
                Some(diagnose(&schema.validate(instance), &context))
            }
            Err(error) => {
                let message = format!("the schema of {of} cannot be used: {error}");
                Some(vec![Diagnostic::new(&UNUSABLE_SCHEMA, fallback, message).level(Level::Schema)])
            }
        }
    }

    /// A kind that Kubernetes never keeps, or does not have in a group of its own; and what may have been meant.
    fn wrong_kind(&self, waiting: &Waiting) -> Option<Diagnostic> {
        let api = self.cluster.api()?;
        let of = &waiting.head.of;
        let head = waiting.head.place;
        if let Some(transient) = transient(&of.group, &of.kind) {
            let message = format!("{of} cannot be applied by itself: {}", transient.what);
            let finding = Diagnostic::new(&NO_OBJECT, head, message).level(Level::Semantic);
            return Some(finding.help(transient.help.unwrap_or("remove it from what is applied")));
        }
        // Groups of definitions have a dot: one of Kubernetes' own kinds in a group without one is a slip.
        let is_known = api.kinds().any(|kind| kind.kind == of.kind);
        let is_own = Api::has_group(&of.group) || is_known && !of.group.contains('.');
        if !of.version.contains('/') && !is_own {
            return None;
        }
        let place = waiting.value.get("apiVersion").and_then(|value| value.origin).unwrap_or(head);
        let message = format!("Kubernetes has no kind `{}` in `{}`", of.kind, of.api_version());
        let elsewhere = api.kinds().find(|kind| kind.kind == of.kind);
        let near_group = if Api::has_group(&of.group) { None } else { self.meant_group(of) };
        let (place, meant) = match (waiting.near, elsewhere) {
            (Some(near), _) => (head, Some(near.to_owned())),
            (None, Some(_)) if near_group.is_some() => (place, near_group),
            (None, Some(kind)) if kind.group.is_empty() => (place, Some(kind.version.to_owned())),
            (None, Some(kind)) => (place, Some(format!("{}/{}", kind.group, kind.version))),
            (None, None) => (place, None),
        };
        let finding = Diagnostic::new(&UNKNOWN_KIND, place, message).level(Level::Semantic);
        if of.kind == "List" && of.group.is_empty() {
            return Some(self.without_items(finding, &waiting.value));
        }
        Some(match meant {
            Some(meant) => in_its_quotes(trueline_kube::offer(finding, &meant), self.sources),
            None => finding.help("check the spelling of `apiVersion` and `kind`"),
        })
    }

    /// What is wrong with a `List` that has no list of items: it has a similar name, or is missing.
    fn without_items(&self, finding: Diagnostic, list: &Value) -> Diagnostic {
        const ITEMS: &str = "items";
        let Data::Map(fields) = &list.data else { return finding };
        let place = |name: &str| fields.get(name).and_then(|field| field.key_origin);
        let slip = || nearest(ITEMS, fields.keys().map(|name| &**name));
        let at = |place: Span, message: String| {
            Diagnostic::new(&UNKNOWN_KIND, place, message).level(Level::Semantic)
        };
        if let Some(place) = place(ITEMS) {
            let message = "`items` of a `List` must be a list of objects".to_owned();
            return at(place, message).help("write each object after `- `, on a line of its own");
        }
        match slip().and_then(|name| Some((name, place(name)?))) {
            Some((name, place)) => {
                let message = format!("a `List` has its objects under `items`, not under `{name}`");
                in_its_quotes(trueline_kube::offer(at(place, message), ITEMS), self.sources)
            }
            None => finding.help("a `List` has its objects under `items`; check its spelling"),
        }
    }

    /// The group and version of Kubernetes itself that were most likely meant for one of its kinds.
    fn meant_group(&self, of: &Type) -> Option<String> {
        let typed = of.group.to_lowercase();
        // Groups of definitions have a dot; those that have none are of Kubernetes itself, or cut short.
        let is_meant = |group: &'static str| {
            let names = [group, group.split('.').next().unwrap_or_default()];
            let names = names.into_iter().filter(|name| name.contains('.') == typed.contains('.'));
            !group.is_empty() && nearest(&typed, names).is_some()
        };
        let meant =
            self.cluster.api()?.kinds().find(|known| known.kind == of.kind && is_meant(known.group))?;
        Some(format!("{}/{}", meant.group, meant.version))
    }

    /// Notes an object as not checked; what there is to say of it where that is not enough.
    fn without_schema(
        &self,
        waiting: &Waiting,
        near: Option<&str>,
        objects: &mut Objects,
    ) -> Option<Diagnostic> {
        let of = &waiting.head.of;
        let why = WITHOUT_SCHEMA.to_owned();
        objects.left_out.push(LeftOut { what: of.to_string(), why });
        if self.mode.missing == MissingSchemas::Ignored {
            return None;
        }
        objects.unasked += 1;
        let message = format!("there is no schema for {of}, so this object was not checked");
        let finding = Diagnostic::new(&NO_SCHEMA, waiting.head.place, message).level(Level::Semantic);
        // A slip would keep an object from being checked that its definition is there for.
        if let Some(near) = near {
            return Some(finding.help(format!("did you mean `{near}`? That kind has a CRD")));
        }
        if let Some(meant) = self.meant_group(of) {
            let help =
                format!("did you mean `apiVersion: {meant}`? Kubernetes has the kind {} there", of.kind);
            let mut finding = finding.help(help);
            if let Some(place) = waiting.value.get("apiVersion").and_then(|value| value.origin) {
                finding.primary.span = place;
            }
            return Some(finding);
        }
        self.mode
            .strict
            .then(|| finding.help("give its CRD with `--crd FILE`, or use `--ignore-missing-schemas`"))
    }
}

/// Why an object of a kind that nobody knows is not checked.
pub(crate) const WITHOUT_SCHEMA: &str = "there is no schema for the kind";

/// A finding for each key that is not what was typed. Why is reported with duplicates already.
fn reread_keys(document: &Document) -> impl Iterator<Item = Diagnostic> {
    let twice = document.duplicates().iter().flat_map(|twice| [twice.first, twice.second]);
    let told: FxHashSet<NodeId> = twice.collect();
    document.reread_keys().filter(move |key| !told.contains(&key.id())).map(|key| {
        let (typed, read) = (key.text().unwrap_or_default(), key.key_text());
        let message = format!("the key `{typed}` is read as `{read}`");
        let finding = Diagnostic::new(&REREAD_KEY, key.span(), message);
        match key.style() {
            Some(ScalarStyle::Plain) => {
                let finding = finding.help("quote it if it is meant as it is typed");
                offer(finding, &format!("\"{typed}\""))
            }
            _ => finding.help("remove its tag if it is meant as it is typed"),
        }
    })
}

/// What is wrong with the head of an object.
fn headless(node: NodeRef<'_>) -> Vec<Diagnostic> {
    let mut findings = without_type(node);
    findings.extend(wrong_fields(node).into_iter().filter(|finding| {
        // The other fields of the head are checked with the rest of the object.
        matches!(finding.path.as_deref(), Some("/apiVersion" | "/kind"))
    }));
    findings
}
