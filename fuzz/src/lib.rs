//! What the fuzzer and the short run in the tests of `tollgate-pipeline` share.

pub mod code;
pub mod targets;
