//! Reading an expression, and checking it in an environment.

use crate::check::{self, Checked};
use crate::env::Env;
use crate::syntax::{self, Issue};

impl Env {
    /// Reads an expression and checks its types.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, in the order of the places.
    pub fn compile(&self, text: &str) -> Result<Checked, Vec<Issue>> {
        self.compile_in_any_order(text).map_err(syntax::sorted)
    }

    fn compile_in_any_order(&self, text: &str) -> Result<Checked, Vec<Issue>> {
        let ast = syntax::parse(text, &self.syntax)?;
        let checked = check::check(self, ast, text)?;
        let mut issues = Vec::new();
        for validator in self.validators() {
            validator(self, &checked, text, &mut issues);
        }
        if issues.is_empty() { Ok(checked) } else { Err(issues) }
    }
}
