//! Text with placeholders: `@NAME@`.

use anyhow::{Result, bail};

/// Puts the values in. A placeholder without a value, or a value without a placeholder, is an error.
pub fn fill(template: &str, values: &[(&str, &str)]) -> Result<String> {
    let mut text = template.to_owned();
    for (name, value) in values {
        let placeholder = format!("@{name}@");
        if !text.contains(&placeholder) {
            bail!("the template has no `{placeholder}`");
        }
        text = text.replace(&placeholder, value);
    }
    match text.split('@').find(|part| is_name(part)) {
        Some(name) => bail!("nothing was given for `@{name}@`"),
        None => Ok(text),
    }
}

fn is_name(part: &str) -> bool {
    !part.is_empty() && part.chars().all(|c| c.is_ascii_uppercase() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::fill;

    #[test]
    fn every_placeholder_and_every_value_is_used() {
        assert_eq!(fill("a@b.org @A@ @A@", &[("A", "1")]).unwrap(), "a@b.org 1 1");
        assert!(fill("@A@ @B@", &[("A", "1")]).is_err());
        assert!(fill("@A@", &[("A", "1"), ("B", "2")]).is_err());
    }
}
