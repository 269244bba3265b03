//! The checks of `cargo xtask tidy`, so that `cargo test --workspace` runs them too.

#[test]
fn sources_and_generated_pages_are_tidy() {
    if let Err(error) = devtools::tidy::run() {
        panic!("{error:#}; `cargo xtask tidy` lists each problem");
    }
}

#[test]
fn licences_are_allowed() {
    if let Err(error) = devtools::tidy::licences() {
        panic!("{error:#}");
    }
}
