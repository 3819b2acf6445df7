//! Groups of the Kubernetes project: their CRDs have to say where they were approved.

use trueline_gostd::url::Url;
use trueline_kube_facts::{FieldError, Trail, rules};

use crate::definition::Crd;

rules! {
    /// A group of Kubernetes itself needs the annotation for approval.
    NO_APPROVAL: Required in crate::codes::APPROVAL, "crd/no-approval", "{}{}";
    /// The annotation for approval is not allowed as it is.
    APPROVAL: Invalid in crate::codes::APPROVAL, "crd/approval", "{}{}{}";
}

const ANNOTATION: &str = "api-approved.kubernetes.io";
const SEE: &str = ", see https://github.com/kubernetes/enhancements/pull/1111";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Missing,
    Bypassed,
    Approved,
    Invalid,
}

pub(super) fn validate(crd: &Crd, old: Option<&Crd>, root: &Trail<'_>, errors: &mut Vec<FieldError>) {
    if !is_protected(&crd.spec.group) {
        return;
    }
    let state = state(crd);
    if old.is_some_and(|old| self::state(old) == state) {
        return;
    }
    let metadata = root.child("metadata");
    let annotations = metadata.child("annotations");
    let path = annotations.key(ANNOTATION);
    let must = format!("protected groups must have approval annotation \"{ANNOTATION}\"");
    match state {
        State::Missing => errors.push(path.refuse(NO_APPROVAL.with(must).and(SEE))),
        State::Invalid => {
            let how = " with either a URL or a reason starting with \"unapproved\"";
            errors.push(path.refuse_text(text(crd), APPROVAL.with(must).and(how).and(SEE)));
        }
        State::Bypassed | State::Approved => {}
    }
}

fn is_protected(group: &str) -> bool {
    ["k8s.io", "kubernetes.io"].iter().any(|domain| {
        group.strip_suffix(domain).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    })
}

fn text(crd: &Crd) -> &str {
    crd.metadata.annotations.get(ANNOTATION).map(|text| &**text).unwrap_or_default()
}

fn state(crd: &Crd) -> State {
    let text = text(crd);
    if text.is_empty() {
        State::Missing
    } else if text.starts_with("unapproved") {
        State::Bypassed
    } else if Url::parse(text.as_bytes()).is_ok_and(|url| !url.scheme.is_empty() && !url.host.is_empty()) {
        State::Approved
    } else {
        State::Invalid
    }
}
