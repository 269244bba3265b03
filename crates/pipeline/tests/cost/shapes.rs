//! Ordinary texts of any size, generated: time to judge them must grow as their size does.
//!
//! Every line differs from the others, so that nothing is judged once and remembered. None is built to be expensive; those
//! are in `inputs.rs`.

/// One kind of text, made of numbered pieces.
pub struct Shape {
    /// What it is, for a table.
    pub name: &'static str,
    /// The tool, as in rules' examples.
    pub tool: &'static str,
    /// What comes before the pieces.
    pub start: &'static str,
    /// The piece with this number.
    pub piece: fn(usize) -> String,
    /// What comes after the pieces.
    pub end: &'static str,
}

impl Shape {
    /// The call's text with at most this many bytes, and as many pieces as have room in that.
    #[must_use]
    pub fn of_size(&self, bytes: usize) -> String {
        let mut text = self.start.to_owned();
        for piece in (0..).map(self.piece) {
            if text.len() + piece.len() + self.end.len() > bytes {
                break;
            }
            text.push_str(&piece);
        }
        text + self.end
    }
}

const fn shell(name: &'static str, piece: fn(usize) -> String) -> Shape {
    Shape { name, tool: "Shell", start: "", piece, end: "" }
}

const fn written(name: &'static str, start: &'static str, piece: fn(usize) -> String) -> Shape {
    Shape { name, tool: "Write", start, piece, end: "" }
}

/// All shapes.
#[must_use]
pub fn all() -> Vec<Shape> {
    [shell_shapes(), script_shapes(), code_shapes(), data_shapes()].into_iter().flatten().collect()
}

#[expect(clippy::too_many_lines, reason = "a table of shapes")]
fn shell_shapes() -> Vec<Shape> {
    vec![
        shell("commands", |n| {
            format!(
                "mkdir -p build/part{n} && cp src/file{n}.txt build/part{n}/ || echo \"part {n} failed\"\n"
            )
        }),
        shell("functions", |n| {
            format!(
                "step_{n}() {{\n  for f in a b c{n}; do\n    echo \"$f\" >> out_{n}.log\n  done\n}}\nstep_{n}\n"
            )
        }),
        shell("branches", |n| {
            format!(
                "if [ -f config_{n}.ini ]; then\n  MODE=fast{n}\nelse\n  MODE=slow\nfi\necho \"$MODE\" > mode_{n}\n"
            )
        }),
        shell("moves", |n| format!("mv build/old_{n}.txt build/new_{n}.txt\n")),
        shell("nested loops", |n| {
            format!(
                "for a in 1 2; do for b in x y; do for c in p q; do for d in m n{n}; do echo \"$a$b$c$d\"; done; done; done; done\n"
            )
        }),
        shell("variables", |n| {
            format!("VAR_{n}=\"value {n}\"; export PATH_{n}=\"$VAR_{n}/bin\"; echo \"$PATH_{n}\"\n")
        }),
        shell("pipes", |n| {
            format!("grep -n 'item{n}' notes.txt | sort -u | head -{} > found_{n}.txt\n", n % 50 + 1)
        }),
        shell("cases", |n| {
            format!("case \"$1\" in\n  start{n}) echo start {n} ;;\n  stop{n}|halt) echo stop ;;\nesac\n")
        }),
        shell("substitutions", |n| {
            format!("count_{n}=$(wc -l < src/file_{n}.rs); echo \"$count_{n} lines\"\n")
        }),
        shell("git", |n| format!("git add src/file_{n}.rs && git commit -q -m 'change number {n}'\n")),
        shell("folders", |n| format!("(cd packages/p{n} && npm run build && cp -r dist ../../out/p{n})\n")),
        Shape {
            name: "arguments",
            tool: "Shell",
            start: "rm -f",
            piece: |n| format!(" build/obj/file_{n}.o"),
            end: "",
        },
        Shape {
            name: "words",
            tool: "Shell",
            start: "git commit -m '",
            piece: |n| format!("word{n} and more\n"),
            end: "'",
        },
        Shape {
            name: "heredoc",
            tool: "Shell",
            start: "cat > notes.md <<'EOF'\n",
            piece: |n| format!("Line {n} says that `part {n}` is done; see the report for the rest.\n"),
            end: "EOF\n",
        },
        Shape {
            name: "python heredoc",
            tool: "Shell",
            start: "python3 - <<'PY'\nimport json\n",
            piece: |n| {
                format!(
                    "rows_{n} = [r for r in load('data_{n}.json') if r['id'] > {n}]\nprint(len(rows_{n}))\n"
                )
            },
            end: "PY\n",
        },
    ]
}

fn script_shapes() -> Vec<Shape> {
    vec![
        written("script commands", "deploy.sh\n#!/bin/sh\nset -e\n", |n| {
            format!("install -m 644 conf/site{n}.conf \"$OUT/site{n}.conf\" || exit 1\n")
        }),
        written("script functions", "lib.sh\n#!/bin/bash\n", |n| {
            format!(
                "task_{n}() {{\n  local name=$1\n  if [ -z \"$name\" ]; then\n    return {n}\n  fi\n  echo \"$name\" | tr a-z A-Z\n}}\ntask_{n} item{n}\n"
            )
        }),
        written("makefile", "Makefile\nall:\n", |n| {
            format!("part{n}.o: part{n}.c common.h\n\t$(CC) $(CFLAGS) -c part{n}.c -o $@\n")
        }),
        written("dockerfile", "Dockerfile\nFROM debian:12\n", |n| {
            format!("RUN apt-get install -y package{n} && echo 'done {n}'\n")
        }),
        written("workflow", ".github/workflows/ci.yml\nname: ci\non: push\njobs:\n", |n| {
            format!(
                "  job{n}:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: make test{n}\n"
            )
        }),
        Shape {
            name: "package scripts",
            tool: "Write",
            start: "package.json\n{\"name\":\"x\",\"scripts\":{\"a\":\"true\"",
            piece: |n| format!(",\n\"build:{n}\":\"tsc -p packages/p{n} && node scripts/copy.js p{n}\""),
            end: "}}\n",
        },
    ]
}

fn code_shapes() -> Vec<Shape> {
    vec![
        written("python functions", "app.py\nimport os\nimport json\n\n", |n| {
            format!(
                "def handle_{n}(request, limit={n}):\n    \"\"\"Handles request {n}.\"\"\"\n    path = os.path.join('data', f'item-{n}.json')\n    with open(path) as source:\n        rows = json.load(source)\n    if limit and len(rows) > limit:\n        rows = rows[:limit]\n    return {{'rows': rows, 'count': len(rows)}}\n\n\n"
            )
        }),
        written("python classes", "models.py\nfrom base import Model\n\n", |n| {
            format!(
                "class Thing{n}(Model):\n    kind = 'thing{n}'\n\n    def __init__(self, name):\n        self.name = name\n        self.items = []\n\n    def save(self):\n        self.items.append(self.name)\n        return self.store('thing{n}', self.items)\n\n\n"
            )
        }),
        written("python calls", "run.py\nimport shutil\n", |n| {
            format!("shutil.copy('src/a{n}.txt', 'build/a{n}.txt')\nprint('copied', {n})\n")
        }),
        written("javascript", "app.js\nconst fs = require('fs');\n", |n| {
            format!(
                "function render{n}(items) {{\n  const out = items.filter((item) => item.id > {n}).map((item) => `<li>${{item.name}}</li>`);\n  if (out.length === 0) {{\n    return null;\n  }}\n  return out.join('');\n}}\n"
            )
        }),
        written("javascript minified", "bundle.js\n", |n| {
            format!("var a{n}=function(e,t){{return e&&t?e.b{n}(t)||c(e):(d[{n}]=t,!1)}},f{n}=a{n}(g,h);")
        }),
        written("typescript", "app.ts\nimport {{ api }} from './api';\n", |n| {
            format!(
                "export interface Row{n} {{ id: number; name: string }}\nexport async function load{n}(id: number): Promise<Row{n}> {{\n  const reply = await api.get<Row{n}>(`/rows/${{id}}`);\n  return reply.data;\n}}\n"
            )
        }),
        written("ruby", "app.rb\nrequire 'json'\n", |n| {
            format!(
                "def handle_{n}(items)\n  items.select {{ |item| item[:id] > {n} }}.map {{ |item| item[:name] }}\nend\n\n"
            )
        }),
        written("php", "app.php\n<?php\n", |n| {
            format!(
                "function handle_{n}(array $items): array {{\n    return array_filter($items, fn($i) => $i['id'] > {n});\n}}\n"
            )
        }),
        written("go", "main.go\npackage main\n\n", |n| {
            format!(
                "func handle{n}(items []Item) int {{\n\tcount := 0\n\tfor _, item := range items {{\n\t\tif item.ID > {n} {{\n\t\t\tcount++\n\t\t}}\n\t}}\n\treturn count\n}}\n\n"
            )
        }),
        written("rust", "main.rs\nuse std::fs;\n\n", |n| {
            format!(
                "pub fn handle_{n}(items: &[Item]) -> usize {{\n    items.iter().filter(|item| item.id > {n}).count()\n}}\n\n"
            )
        }),
        written("java", "App.java\nclass App {\n", |n| {
            format!(
                "    int handle{n}(List<Item> items) {{\n        return (int) items.stream().filter(i -> i.id > {n}).count();\n    }}\n\n"
            )
        }),
        written("c", "main.c\n#include <stdio.h>\n", |n| {
            format!(
                "static int handle_{n}(const struct item *items, int count) {{\n    return items[0].id > {n} ? count : 0;\n}}\n\n"
            )
        }),
    ]
}

fn data_shapes() -> Vec<Shape> {
    vec![
        written("yaml", "config.yaml\nitems:\n", |n| {
            format!("  - name: item{n}\n    size: {n}\n    tags: [a, b{n}]\n")
        }),
        written("json", "data.json\n[{\"id\":0}\n", |n| {
            format!(",{{\"id\":{n},\"name\":\"item {n}\",\"tags\":[\"a\",\"b{n}\"]}}\n")
        }),
        written("toml", "data.toml\n", |n| format!("[table{n}]\nname = \"item {n}\"\nsize = {n}\n\n")),
        written("markdown", "notes.md\n# Notes\n", |n| {
            format!(
                "## Part {n}\n\nRun `make part{n}` and look at [the report](reports/{n}.md). Then go on.\n\n"
            )
        }),
        written("html", "index.html\n<html>\n", |n| {
            format!("<p class=\"item\" id=\"p{n}\">Paragraph {n} of the page</p>\n")
        }),
        written("sql", "seed.sql\n", |n| format!("INSERT INTO items (id, name) VALUES ({n}, 'item {n}');\n")),
        written("csv", "data.csv\nid,name,size\n", |n| format!("{n},item {n},{}\n", n * 3)),
    ]
}
