//! The software bill of materials, in CycloneDX 1.5.

use anyhow::Result;
use serde_json::{Value, json};

use crate::inventory::{Component, Inventory};
use crate::release::Release;

/// The document as text. It has no serial number: one that is made up would differ between two builds.
pub fn document(release: &Release, inventory: &Inventory) -> Result<String> {
    let all = std::iter::once(&inventory.program).chain(&inventory.components);
    let uses = all.map(|part| json!({"ref": part.purl, "dependsOn": part.uses}));
    let document = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": release.timestamp()?,
            "component": component(&inventory.program, "application"),
        },
        "components": inventory.components.iter().map(|part| component(part, "library")).collect::<Vec<_>>(),
        "dependencies": uses.collect::<Vec<_>>(),
    });
    Ok(format!("{document:#}\n"))
}

fn component(part: &Component, kind: &str) -> Value {
    let mut value = json!({
        "type": kind,
        "bom-ref": part.purl,
        "name": part.name,
        "version": part.version,
        "licenses": [{"expression": part.licence}],
        "purl": part.purl,
    });
    if let Some(fields) = value.as_object_mut() {
        if let Some(sum) = &part.checksum {
            fields.insert("hashes".to_owned(), json!([{"alg": "SHA-256", "content": sum}]));
        }
        if let Some(repository) = &part.repository {
            fields.insert("externalReferences".to_owned(), json!([{"type": "vcs", "url": repository}]));
        }
    }
    value
}
