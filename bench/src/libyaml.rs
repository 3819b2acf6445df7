//! libyaml's parser, through the port of its C code that the Rust ecosystem uses.

use std::mem::MaybeUninit;

use unsafe_libyaml::{
    YAML_STREAM_END_EVENT, yaml_event_delete, yaml_parser_delete, yaml_parser_initialize, yaml_parser_parse,
    yaml_parser_set_input_string,
};

/// The number of events in a YAML stream.
///
/// # Panics
/// When libyaml refuses the text.
pub(crate) fn count_events(text: &str) -> usize {
    let mut parser = MaybeUninit::uninit();
    let mut event = MaybeUninit::uninit();
    let mut count = 0;
    // SAFETY: the parser is initialised before it is used and deleted once; the text outlives it; each
    // event was filled in by a parse that succeeded and is deleted once.
    unsafe {
        assert!(yaml_parser_initialize(parser.as_mut_ptr()).ok, "libyaml could not be initialised");
        yaml_parser_set_input_string(parser.as_mut_ptr(), text.as_ptr(), text.len() as u64);
        loop {
            assert!(
                yaml_parser_parse(parser.as_mut_ptr(), event.as_mut_ptr()).ok,
                "libyaml refused the text"
            );
            count += 1;
            let kind = (*event.as_ptr()).type_;
            yaml_event_delete(event.as_mut_ptr());
            if kind == YAML_STREAM_END_EVENT {
                break;
            }
        }
        yaml_parser_delete(parser.as_mut_ptr());
    }
    count
}
