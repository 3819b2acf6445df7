//! One document from a server, with Helm's words for what goes wrong.

use trueline_helm::quote;
use trueline_helm::repository::{WEB_PAGE, coded, unanswered};
use trueline_source::{Request, Response};

use super::{Access, Remote};
use crate::world::World;
use trueline_diagnostic::shown_address;

impl Remote {
    /// A document.
    pub(super) fn get(
        &self,
        url: &str,
        access: &Access,
        accept: Option<&'static str>,
        limit: u64,
        world: &World,
    ) -> Result<Response, String> {
        let (plain, authorization) = access.authorize(url);
        let scheme = plain.split(':').next().unwrap_or_default().to_ascii_lowercase();
        if !matches!(scheme.as_str(), "http" | "https") {
            return Err(format!("scheme {} not supported", quote(&scheme)));
        }
        let request = Request {
            url: &plain,
            network: self.options.network,
            authorization,
            reach: access.reach,
            accept,
            limit,
            patience: self.options.patience,
            form: None,
            certificates: &access.certificates(world)?,
        };
        let answer = world.send(&request).map_err(|error| unanswered(&error))?;
        if answer.status != 200 {
            return Err(format!("failed to fetch {} : {}", shown_address(url), answer.status_text));
        }
        Ok(answer)
    }
}

/// Adds that what came is a web page, where it is: the reader of what was expected only stumbles over it.
pub(super) fn with_clue(words: String, answer: &Response) -> String {
    if !is_web_page(answer) {
        return words;
    }
    format!("{words}: {}", coded("the server answered with a web page (HTML)", &WEB_PAGE))
}

/// Whether an answer is a web page, whatever was asked for.
pub(super) fn is_web_page(answer: &Response) -> bool {
    let mime = answer.header("content-type").unwrap_or_default().to_ascii_lowercase();
    crate::http::is_web_page(mime.split(';').next().unwrap_or_default().trim(), &answer.body)
}
