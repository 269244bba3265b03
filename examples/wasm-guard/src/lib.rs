//! Refuses shell commands that hold one of the words in its `config`. The event comes as JSON, the answer goes as JSON;
//! there are no files, no clock and no network.

use std::cell::RefCell;

use serde_json::{Value, json};

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// What the middleware says to an event.
fn guard(event: &Value) -> Value {
    let command = event["tool_input"]["command"].as_str().unwrap_or_default();
    let words = event["config"]["words"].as_array().cloned().unwrap_or_default();
    let found = words.iter().filter_map(Value::as_str).find(|word| command.contains(word));
    match found {
        Some(word) => json!({"decision": "block", "reason": format!("`{word}` is not for agents")}),
        None => json!({"decision": "allow", "metrics": {"words": words.len()}}),
    }
}

/// Makes room for the event.
#[unsafe(no_mangle)]
pub extern "C" fn alloc(length: usize) -> *const u8 {
    INPUT.with_borrow_mut(|input| {
        *input = vec![0; length];
        input.as_ptr()
    })
}

/// Answers the event: where the answer is, and how long.
#[unsafe(no_mangle)]
pub extern "C" fn process(_: *const u8, _: usize) -> u64 {
    let event = INPUT.with_borrow(|input| serde_json::from_slice(input).unwrap_or(Value::Null));
    OUTPUT.with_borrow_mut(|output| {
        *output = guard(&event).to_string().into_bytes();
        ((output.as_ptr() as u64) << 32) | output.len() as u64
    })
}
