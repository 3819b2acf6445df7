//! The message of a rule that its author worded, with fields in braces.

use trueline_starlark::{Args, Thread, Value};

/// A template for `string.format`, with the fields `key`, `value`, `desc` and `failure`.
#[derive(Debug, Clone)]
pub(super) struct Message(Value);

/// What the fields are.
pub(super) struct Fields<'v> {
    /// The key of a map item; the index of an array item or a document.
    pub(super) key: &'v Value,
    /// The value that breaks the rule.
    pub(super) value: &'v Value,
    pub(super) description: &'v str,
    pub(super) failure: &'v str,
}

impl Message {
    /// A template that `string.format` takes.
    pub(super) fn new(template: &Value, thread: &mut Thread) -> Result<Message, String> {
        if template.as_bytes().is_none() {
            let found = template.type_name();
            return Err(format!("expected third item in the 3-tuple to be a string, but was {found}"));
        }
        let message = Message(template.clone());
        let fields = Fields { key: &Value::NONE, value: &Value::NONE, description: "", failure: "" };
        match message.fill_in(&fields, thread) {
            Ok(_) => Ok(message),
            Err(error) => Err(format!(
                "expected third item in the 3-tuple to be a message with {{key}}, {{value}}, {{desc}} and {{failure}}: {}",
                error.message()
            )),
        }
    }

    /// The message for a value.
    pub(super) fn fill_in(
        &self,
        fields: &Fields<'_>,
        thread: &mut Thread,
    ) -> Result<String, trueline_starlark::Error> {
        let format = thread.attr(&self.0, "format")?;
        let value = thread.repr(fields.value)?;
        let named = [
            (Value::string("key"), fields.key.clone()),
            (Value::string("value"), Value::string_from(value)),
            (Value::string("desc"), Value::string(fields.description)),
            (Value::string("failure"), Value::string(fields.failure)),
        ];
        let text = thread.call(&format, Args { positional: &[], named: &named })?;
        Ok(String::from_utf8_lossy(text.as_bytes().unwrap_or_default()).into_owned())
    }
}
