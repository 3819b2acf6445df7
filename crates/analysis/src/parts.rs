//! What a check of a unit leaves for others: what the unit was rendered to, for whoever asks for that; and what the next check
//! of the same unit uses again as long as the text that it was made from is the same, at the same source. What a check does
//! not ask for is forgotten after it.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rustc_hash::FxHashMap;
use trueline_diagnostic::Diagnostic;
use trueline_helm::chart::Chart;
use trueline_helm::engine::{self, Texts};
use trueline_helm::usage;
use trueline_source::SourceId;

use crate::chart::ReadText;
use crate::rendering::Rendering;

/// The parts of one unit.
#[derive(Debug, Default)]
pub(crate) struct UnitParts {
    /// The chart as it was loaded, and its templates.
    loaded: OnceLock<(Chart, Arc<Texts>)>,
    earlier_loaded: Option<(Chart, Arc<Texts>)>,
    usage: OnceLock<Arc<usage::Earlier>>,
    /// What was found in templates when all of them could be read.
    earlier_usage: Option<Arc<usage::Earlier>>,
    /// What templates wrote with each set of values.
    rendered: Mutex<FxHashMap<usize, Arc<engine::Earlier>>>,
    earlier_rendered: FxHashMap<usize, Arc<engine::Earlier>>,
    /// What rendered texts are as YAML.
    pub(crate) documents: ByText<Arc<ReadText>>,
    /// The remarks on files of values.
    pub(crate) values: ByText<Vec<Diagnostic>>,
    renderings: OnceLock<Vec<Rendering>>,
    /// Whether the rendering is wanted; otherwise nothing is kept of a file that is not a template.
    is_rendered: bool,
}

impl UnitParts {
    /// No parts yet; those of an earlier check can be asked for.
    pub(crate) fn after(earlier: &UnitParts) -> Self {
        UnitParts {
            earlier_loaded: earlier.loaded.get().cloned(),
            earlier_usage: earlier.usage_for_later(),
            earlier_rendered: lock(&earlier.rendered).clone(),
            documents: ByText::after(&earlier.documents),
            values: ByText::after(&earlier.values),
            ..UnitParts::default()
        }
    }

    /// No parts yet, of a unit that somebody wants to see rendered.
    pub(crate) fn rendered() -> Self {
        UnitParts { is_rendered: true, ..UnitParts::default() }
    }

    /// Whether somebody asks what the unit is rendered to.
    pub(crate) fn is_rendered(&self) -> bool {
        self.is_rendered
    }

    /// What was found in templates, for the next check: of those that cannot be read now, what they were before.
    fn usage_for_later(&self) -> Option<Arc<usage::Earlier>> {
        let now = self.usage.get().filter(|usage| usage.is_of_use());
        now.or(self.earlier_usage.as_ref()).cloned()
    }

    /// Frees what was not asked for. What needs templates that can be read is kept until they can be read again.
    pub(crate) fn forget_earlier(&mut self) {
        self.earlier_loaded = None;
        if self.usage.get().is_some_and(|usage| usage.is_of_use()) {
            self.earlier_usage = None;
        }
        let earlier = std::mem::take(&mut self.earlier_rendered);
        let mut rendered = lock(&self.rendered);
        for (number, earlier) in earlier {
            rendered.entry(number).or_insert(earlier);
        }
        drop(rendered);
        self.documents.earlier = Arc::default();
        self.values.earlier = Arc::default();
    }

    pub(crate) fn earlier_loaded(&self) -> Option<&(Chart, Arc<Texts>)> {
        self.earlier_loaded.as_ref()
    }

    pub(crate) fn keep_loaded(&self, chart: &Chart, texts: &Arc<Texts>) {
        // A chart is loaded once in each check.
        let _ = self.loaded.set((chart.clone(), Arc::clone(texts)));
    }

    /// The chart as it was loaded, and its templates.
    pub(crate) fn loaded(&self) -> Option<&(Chart, Arc<Texts>)> {
        self.loaded.get()
    }

    /// What was found in its templates.
    pub(crate) fn usage(&self) -> Option<&usage::Earlier> {
        self.usage.get().map(Arc::as_ref)
    }

    pub(crate) fn keep_renderings(&self, renderings: Vec<Rendering>) {
        let _ = self.renderings.set(renderings);
    }

    /// What the unit was rendered to; of what is not rendered, its documents as they were typed.
    pub(crate) fn renderings(&self) -> &[Rendering] {
        self.renderings.get().map(Vec::as_slice).unwrap_or_default()
    }

    pub(crate) fn earlier_usage(&self) -> Option<&usage::Earlier> {
        self.earlier_usage.as_deref()
    }

    /// What templates wrote with a set of values.
    pub(crate) fn earlier_rendered(&self, number: usize) -> Option<&engine::Earlier> {
        self.earlier_rendered.get(&number).map(Arc::as_ref)
    }

    pub(crate) fn keep_rendered(&self, number: usize, rendered: &Arc<engine::Earlier>) {
        lock(&self.rendered).insert(number, Arc::clone(rendered));
    }

    pub(crate) fn keep_usage(&self, usage: usage::Earlier) {
        let _ = self.usage.set(Arc::new(usage));
    }
}

/// What was made of texts, by their sources.
#[derive(Debug)]
pub(crate) struct ByText<V> {
    earlier: Arc<FxHashMap<SourceId, (Arc<str>, V)>>,
    now: Mutex<FxHashMap<SourceId, (Arc<str>, V)>>,
}

impl<V> Default for ByText<V> {
    fn default() -> Self {
        ByText { earlier: Arc::default(), now: Mutex::default() }
    }
}

impl<V: Clone> ByText<V> {
    fn after(earlier: &Self) -> Self {
        let known = lock(&earlier.now).clone();
        ByText { earlier: Arc::new(known), now: Mutex::default() }
    }

    /// What is made of the content of a file, or was made of it before.
    pub(crate) fn of(&self, source: SourceId, text: &Arc<str>, make: impl FnOnce() -> V) -> V {
        let made = match self.earlier.get(&source) {
            Some((known, made)) if Arc::ptr_eq(known, text) || known == text => made.clone(),
            _ => make(),
        };
        lock(&self.now).insert(source, (Arc::clone(text), made.clone()));
        made
    }
}

fn lock<T>(kept: &Mutex<T>) -> MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_of_a_text_is_made_again_when_the_text_changes() {
        let source = SourceId::from_index(0);
        let first = ByText::default();
        assert_eq!(first.of(source, &"a".into(), || 1), 1);
        let second = ByText::after(&first);
        assert_eq!(second.of(source, &"a".into(), || 2), 1);
        let third = ByText::after(&second);
        assert_eq!(third.of(source, &"b".into(), || 3), 3);
        // What nobody asked for is forgotten.
        let fifth = ByText::after(&ByText::after(&third));
        assert_eq!(fifth.of(source, &"b".into(), || 5), 5);
    }
}
