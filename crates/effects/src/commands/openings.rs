//! What command-line tools of clusters, forges and clouds are told to open, by what they are given.

use tollgate_shell::value::Value;

use super::Run;
use super::containers::host_path;
use super::verbs::Line;
use crate::openings::{Leaves, Opening, clouds, forges, manifests};
use crate::word::Word;

/// `gh api path -X method -f key=value --input file`, and the same of `glab`.
pub(super) fn forge(run: &mut Run) {
    let line = Line::read(
        run.args,
        "X method f raw-field F field H header input q jq t template p preview hostname cache",
        false,
    );
    let Some(path) = line.operands.get(1).filter(|_| line.verb(0) == "api").map(Word::shown) else { return };
    let mut body = Leaves::default();
    let fields = ["f", "raw-field", "F", "field"];
    let mut query = String::new();
    for field in line.values(&fields) {
        body.pair(&field.shown());
        query.push_str(field.shown().strip_prefix("query=").unwrap_or_default());
    }
    for file in line.values(&["input"]).cloned().collect::<Vec<_>>() {
        let text = given(run, &file).unwrap_or_default();
        body.join("", &Leaves::body(&text));
        query.push_str(&text);
    }
    let sends = !body.is_empty() || line.has("input");
    let method = line.values(&["X", "method"]).last().map(Word::shown);
    let method = method.unwrap_or_else(|| if sends { "POST" } else { "GET" }.to_owned());
    let found =
        if path == "graphql" { forges::mutation(&query) } else { forges::opening(&method, &path, &body) };
    push(run, found);
}

/// What a request to a forge opens.
pub(super) fn request(run: &mut Run, method: &str, address: &str, body: &str) {
    if address.contains("/apis/rbac.authorization.k8s.io") || address.contains(":6443/") {
        manifest(run, body);
    }
    if forges::is_forge(address) {
        let method = if method.is_empty() && !body.is_empty() { "POST" } else { method };
        let found = forges::opening(method, address, &Leaves::body(body)).or_else(|| forges::mutation(body));
        push(run, found);
    }
}

/// What the options of a cloud's tool open.
pub(super) fn cloud(run: &mut Run, line: &Line) {
    let looks = |word: &Word| {
        let text = word.text.prefix();
        // What goes out may go anywhere.
        ["describe", "list", "get-", "show", "wait", "head-"].iter().any(|verb| text.starts_with(verb))
            || text.ends_with("-egress")
    };
    if !matches!(run.program, "aws" | "gcloud" | "az") || line.operands.iter().take(5).any(looks) {
        return;
    }
    let mut leaves = Leaves::default();
    for (name, value) in line.given() {
        let file = value.text.prefix().strip_prefix("file://").map(|path| Word::literal_at(path, value.span));
        let text = match file {
            Some(file) => given(run, &file).unwrap_or_default(),
            None => value.shown(),
        };
        planned(run, &text);
        leaves.option(name, &text);
    }
    push(run, clouds::opening(&leaves));
}

/// How many requests of a plan are looked at.
const PLANNED: usize = 32;

/// Requests that a timer or a machine of states sends by itself: `arn:aws:scheduler:::aws-sdk:rds:deleteDBCluster`.
fn planned(run: &mut Run, text: &str) {
    for words in clouds::planned(text).take(PLANNED) {
        let words: Vec<Word> = words.iter().map(|word| Word::literal_at(word, run.call.span)).collect();
        run.inner(&words);
    }
}

/// What the manifests in a text open, and the folders of the machine that they give to pods.
pub(super) fn manifest(run: &mut Run, text: &str) {
    for document in Leaves::documents(text) {
        for opening in manifests::openings(&document) {
            push(run, Some(opening));
        }
        for folder in manifests::host_paths(&document) {
            host_path(run, folder);
        }
    }
}

/// `kubectl patch kind name -p …`: a merge, or a list of changes that each name a way.
pub(super) fn patch(run: &mut Run, line: &Line) {
    let kind = line.verb(1);
    let kind = kind.split('/').next().unwrap_or_default();
    let texts: Vec<Word> = line.values(&["p", "patch"]).cloned().collect();
    let files: Vec<Word> = line.values(&["patch-file"]).cloned().collect();
    let mut texts: Vec<String> = texts.iter().map(Word::shown).collect();
    texts.extend(files.iter().filter_map(|file| given(run, file)));
    for document in texts.iter().flat_map(|text| Leaves::documents(text)) {
        let mut object = document.clone();
        for (way, path) in document.ending("path") {
            let value = document.below(way).below("value");
            object.join(&path.trim_matches('/').replace('/', ".").to_ascii_lowercase(), &value);
        }
        for opening in manifests::of_kind(kind, &object) {
            push(run, Some(opening));
        }
    }
}

/// The text of standard input, of a file that this call has written, or of one on disk.
pub(super) fn given(run: &mut Run, file: &Word) -> Option<String> {
    let text = if file.is("-") || file.is("/dev/stdin") {
        run.stdin().cloned()
    } else {
        run.analyst.script(file, run.shell)
    };
    text.as_ref().and_then(Value::as_literal).map(str::to_owned)
}

fn push(run: &mut Run, opening: Option<Opening>) {
    if let Some(opening) = opening {
        let kind = opening.effect(run.program);
        run.push(kind);
    }
}
