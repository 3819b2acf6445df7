//! One document from a server, with Helm's words for what goes wrong.

use trueline_helm::quote;
use trueline_helm::repository::WEB_PAGE;

use super::{Access, Remote};
use crate::http::shown;
use crate::transport::{Answer, Ask, coded};
use crate::world::World;

impl Remote {
    /// A document.
    pub(super) fn get(
        &self,
        url: &str,
        access: &Access,
        accept: Option<&'static str>,
        limit: u64,
        world: &World,
    ) -> Result<Answer, String> {
        let (plain, authorization) = access.authorize(url);
        let scheme = plain.split(':').next().unwrap_or_default().to_ascii_lowercase();
        if !matches!(scheme.as_str(), "http" | "https") {
            return Err(format!("scheme {} not supported", quote(&scheme)));
        }
        let tls = access.tls(world)?;
        let name = plain.rsplit('/').next().unwrap_or_default();
        let ask = Ask { url: &plain, authorization, reach: access.reach, accept, limit, form: None };
        let transport = world.transport(self.options.network);
        let answer = transport.send(&ask, &tls, self.options.patience, &world.progress(name))?;
        if answer.status != 200 {
            return Err(format!("failed to fetch {} : {}", shown(url), answer.status_text));
        }
        Ok(answer)
    }
}

/// Adds that what came is a web page, where it is: the reader of what was expected only stumbles over it.
pub(super) fn with_clue(words: String, answer: &Answer) -> String {
    if !answer.is_web_page() {
        return words;
    }
    format!("{words}: {}", coded("the server answered with a web page (HTML)", &WEB_PAGE))
}
