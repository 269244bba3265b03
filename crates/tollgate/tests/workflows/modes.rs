//! Modes of work bind every way to write: by shells, file tools, patches, servers' tools and subagents.

use serde_json::{Value, json};

use crate::agents::other;
use crate::support::Answer;
use crate::team::{Team, passes};

/// Every one changes something in `src/`, or in the whole project.
const WRITES: &str = r#"
touch src/new.rs
touch -d yesterday src/a.rs
mkdir src/sub
mkdir -p src/x/y
rmdir src/sub
mktemp -p src
mktemp src/x.XXXX
mkfifo src/pipe
ln -s /tmp/x src/link
ln README.md src/hard
cp README.md src/b.rs
cp -t src README.md
mv README.md src/c.rs
mv src/a.rs /tmp/z.rs
rm src/a.rs
unlink src/a.rs
install -m 644 README.md src/d.rs
install -d src/dir
dd if=/dev/zero of=src/zero bs=1 count=1
truncate -s 0 src/a.rs
fallocate -l 1 src/a.rs
tee src/a.rs < README.md
: > src/a.rs
echo x >> src/a.rs
echo x >| src/a.rs
exec 3> src/a.rs; echo x >&3
sed -i s/a/b/ src/a.rs
sed -n 'w src/out.rs' README.md
perl -pi -e s/a/b/ src/a.rs
perl -e 'open(F, ">src/a.rs"); print F "x"'
ruby -e 'File.write("src/a.rs","x")'
node -e 'require("fs").writeFileSync("src/a.rs","x")'
php -r 'file_put_contents("src/a.php","x");'
python3 -c 'from pathlib import Path; Path("src/a.py").write_text("x")'
python3 -c 'import pathlib; pathlib.Path("src/a.py").touch()'
python3 -c 'import os; os.rename("src/a.rs","/tmp/b.rs")'
awk '{print > "src/out.rs"}' README.md
gawk -i inplace '{print}' src/a.rs
patch src/a.rs /tmp/fix.diff
git apply fix.diff
git checkout -- src/a.rs
git checkout main -- src/a.rs
git checkout other
git switch other
git restore src/a.rs
git stash
git stash pop
git mv src/a.rs src/b.rs
git rm src/a.rs
pipx run black .
pipx run --spec black==24.1 black src
kustomize build -o src
gh run download -D src
gh run download 123
gh release download v1 --dir src
helm template . --output-dir src
git merge other
git rebase other
git pull
git cherry-pick abc123
git revert abc123
git am fix.patch
git -C src clean -fd
git worktree add src/wt
git clone https://example.com/x.git src/x
tar -xf a.tar -C src
unzip a.zip -d src
gzip src/a.rs
xz -d src/a.xz
zip src/a.zip README.md
curl -o src/a.rs https://example.com/a
wget -O src/a.rs https://example.com/a
rsync -a other/ src/
chmod +x src/a.rs
ed -s src/a.rs
vim -es -c '%s/a/b/g' -c 'wq' src/a.rs
sponge src/a.rs < README.md
split README.md src/part
sort -o src/a.rs README.md
find src -name '*.rs' -delete
find src -name '*.rs' -exec sed -i s/a/b/ {} +
echo src/a.rs | xargs rm
xargs -I{} touch src/{} < list
yq -i '.a=1' src/a.yaml
rustfmt src/a.rs
cargo fmt
cargo add serde
prettier --write src/a.js
npx prettier --write src
npx create-react-app src/app
black src
ruff format src
ruff check --fix src
eslint --fix src
gofmt -w src
clang-format -i src/a.c
npm init -y
npm install left-pad
env touch src/a.rs
bash -c 'touch src/a.rs'
sh -c 'echo x > src/a.rs'
(cd src && touch a.rs)
cd src && date | tee c.rs
eval 'touch src/a.rs'
timeout 5 touch src/a.rs
cp README.md project/../src/x
python3 -c 'import subprocess; subprocess.run(["touch","src/a.rs"])'
node -e 'require("fs").mkdirSync("src/x")'
ruby -e 'require "fileutils"; FileUtils.touch("src/a.rs")'
for f in src/*.rs; do sed -i s/a/b/ "$f"; done
f=src/a.rs; echo x > "$f"
tee >(cat > src/a.rs) < README.md
git show other:src/a.rs > src/a.rs
git checkout other src/a.rs
git subtree add --prefix=src/sub x main
gh pr checkout 3
aria2c -d src https://example.com/a
aws s3 sync s3://b src
npm create vite@latest src/app
npx degit a/b src/b
npx tsc --init
rails new src/app
ng generate component x
php artisan make:model X
python3 manage.py makemigrations
go mod tidy
nvim --headless -c 'wq' src/a.rs
pwsh -c 'Set-Content src/a.rs x'
echo 'touch src/a.rs' | sh
find . -name a -exec touch src/{} \;
flock /tmp/l touch src/a.rs
sqlite3 app.db 'create table t (a)'
sqlite3 src/app.db "insert into t values (1)"
sqlite3 app.db 'with x as (select 1) delete from t'
sqlite3 app.db 'pragma user_version = 3'
sqlite3 app.db '.import data.csv t'
sqlite3 app.db 'select 1; drop table t'
sqlite3 -cmd 'update t set a = 1' app.db 'select 1'
echo 'insert into t values (1);' | sqlite3 app.db
duckdb app.duckdb -c 'create table t (a int)'
protoc --python_out=src api.proto
protoc -I. --go_out=paths=source_relative:src --go-grpc_out=src api.proto
protoc --descriptor_set_out=src/api.pb api.proto
cmake .
cmake -S . -B src
cmake -Bsrc/gen
meson setup src/meson
gcc -o src/a.rs a.c
make gen
make -C . fmt
npm run gen
flatc --python schema.fbs
bison -o src/parser.c parser.y
sphinx-build docs src/html
babel lib --out-dir src
esbuild a.ts --outfile=src/a.js
tailwindcss -i a.css -o src/a.css
jupyter nbconvert --inplace a.ipynb
cargo update
cargo insta accept
npm audit fix
npm version patch
npm pkg set type=module
yarn upgrade
poetry lock
pip-compile
pip install -t src/vendored requests
pip3 install --target=src requests
python3 -m pip install --target src requests
go mod vendor
prisma migrate dev
flask db migrate
npx knex migrate:make x
dotnet ef migrations add x
jest -u
npx vitest run -u
pytest --snapshot-update
helm create src/chart
npx lint-staged
python3 -m black src
python3 -m isort .
python3 -m ruff format src
uvx black src
"#;

/// Ordinary work in a mode: looking, running tests, scratch files, and what the mode is for.
const LOOKS: &str = r#"
ls src; cat src/a.rs | head -3; git status
git diff
git log --oneline -5
git branch -a
git stash list
git fetch
git checkout -b plan-login
git switch -c plan-login
git clean -n
git apply --check fix.diff
git add project
git commit -m plan
grep -rn foo src
find . -type f -exec grep -l foo {} +
cargo test > /dev/null 2>&1; echo done > /tmp/notes.txt
cargo fmt --check
cargo build
npm test
npm install
pytest -q
sed -n 1,10p src/a.rs
python3 -c 'print(open("src/a.rs").read())'
mkdir -p project/M1:login/plans
mkdir -p project/M1:login/plans/drafts
touch project/M1:login/plans/plan_2ebc1fa1-9668_1.md
cp README.md project/M1:login/plans/notes.md
gzip -c README.md > /tmp/readme.gz
zcat a.gz
touch /tmp/x
mktemp -d
mkdir -p /tmp/work && cd /tmp/work && touch a
TMP=$(mktemp); echo x > "$TMP"; rm "$TMP"
git clone https://example.com/x.git /tmp/x
curl -o /tmp/a https://example.com/a
tar tf a.tar
unzip -l a.zip
gh pr list
ruff check src
prettier --check src
pipx run black --check src
just test
task lint
kustomize build overlays/dev
gh run download -D /tmp/artifacts
gh run view 123 --log
helm template .
gofmt -l src
black --check src
black --version
eslint src
git worktree list
git submodule status
git show HEAD:src/a.rs > /tmp/a.rs
npx tsc --noEmit
make test
go vet ./...
terraform fmt -check
gcc -o /tmp/a.out a.c
python3 -m pytest -q
python3 manage.py test
php artisan test
make
make check
make app
npm run build
npm ci
pip install -r requirements.txt
pip install -e .
pip install pytest
python3 -m venv .venv
cmake -S . -B build
cmake -B build -DCMAKE_BUILD_TYPE=Debug && cmake --build build && ctest --test-dir build
meson setup builddir && ninja -C builddir
gcc -o app main.c
cc -c -o main.o main.c
go build -o app ./...
rustc -o app main.rs
vite build --outDir dist
tsc -p . --outDir dist
sqlite3 app.db 'select * from t'
sqlite3 app.db .tables
sqlite3 app.db '.schema t'
sqlite3 -readonly app.db 'select 1'
sqlite3 app.db "select 'a;b' from t; explain select 1"
sqlite3 app.db 'pragma table_info(t)'
sqlite3 app.db 'with x as (select 1) select * from x'
sqlite3 :memory: 'create table t (a)'
sqlite3 /tmp/x.db 'create table t (a)'
duckdb -c 'select 1'
protoc --python_out=/tmp/out api.proto
protoc --version
jest
vitest run
pytest -q --tb=short
go test ./...
mvn test
gradle test
dotnet test
cargo nextest run
kubectl get pods -o json
az vm list --output table
trivy fs --format json .
pre-commit --version
python3 -m black --check src
python3 -m isort --check-only .
python3 -m http.server --help
claude --version
claude mcp list
codex --help
gemini --version
opencode models
"#;

fn lines(list: &str) -> impl Iterator<Item = &str> {
    list.lines().filter(|line| !line.is_empty())
}

/// A project in a mode, with a file in it.
fn team(mode: &str) -> Team {
    let team = Team::with("[plan, explore, research]");
    team.write("src/a.rs", "fn a() {}\n");
    team.write(
        "Makefile",
        "app:\n\tcc -o app main.c\ncheck: app\n\t./app --check\ntest:\n\tpytest -q\ngen:\n\tprotoc --python_out=src api.proto\nfmt:\n\tcargo fmt\n",
    );
    team.write(
        "package.json",
        r#"{"scripts":{"test":"jest","build":"vite build","gen":"prettier --write src"}}"#,
    );
    team.git(&["init", "-q"]);
    team.git(&["add", "-A"]);
    team.git(&["commit", "-qm", "a"]);
    passes(&team.prompt(&format!("/{mode}")));
    team
}

/// What a mode makes of calls: all that come out otherwise. Each call is another session's, so that none is refused for
/// being like the last.
#[track_caller]
fn each<'c>(mode: &str, calls: impl Iterator<Item = &'c str>, expected: &str) {
    let mut team = team(mode);
    let mut wrong = Vec::new();
    for (number, command) in calls.enumerate() {
        team.session = format!("s{number}");
        passes(&team.prompt(&format!("/{mode}")));
        let answer = team.tool("Bash", json!({"command": command}));
        let by_mode = expected == "none" || answer.says(" mode: only files under");
        if answer.decision() != expected || !by_mode {
            wrong.push(format!("{command}: {}{}", answer.stdout, answer.stderr));
        }
    }
    assert!(wrong.is_empty(), "not {expected}:\n{}", wrong.join("\n"));
}

#[track_caller]
fn bound(what: &str, answer: &Answer) {
    assert!(answer.says(" mode: only files under"), "{what}: {}{}", answer.stdout, answer.stderr);
    assert_eq!(answer.decision(), "deny", "{what}: {}", answer.stdout);
}

#[test]
fn every_way_to_write_in_a_shell_is_bound() {
    each("plan", lines(WRITES), "deny");
}

#[test]
fn looking_and_the_modes_own_work_pass() {
    each("plan", lines(LOOKS), "none");
}

#[test]
fn what_is_not_known_is_asked() {
    for command in [
        "tar xf a.tar",
        "ls | xargs touch",
        "patch -p1 < missing.diff",
        "sqlite3 app.db < missing.sql",
        "sometool --fix src",
        "sometool --in-place src/a.rs",
        "sometool --output src/a.rs",
        "sometool --out-dir=src",
        "sometool -o src",
        "just gen",
        "task api:generate",
        "pnpm run codegen",
        "touch \"project/M1:login/plans/$X/../../../src/a.rs\"",
        // Another agent is another session, which this mode does not bind.
        "claude -p 'write the code'",
        "codex exec 'write the code'",
        "gemini -p 'write the code'",
        "opencode run 'write the code'",
        "aider --message 'write the code'",
        "cursor-agent -p 'write the code'",
        "goose run -t 'write the code'",
    ] {
        let answer = team("plan").tool("Bash", json!({"command": command}));
        assert!(
            answer.decision() == "ask" && answer.says(" mode: only files under"),
            "{command}: {}",
            answer.stdout
        );
    }
}

#[test]
fn each_mode_has_a_place_of_its_own() {
    for (mode, own, other) in [
        ("explore", "exploration/codebase-status_x.md", "project/M1:login/plans/p.md"),
        ("explore", "specs/tasks.md", "src/b.rs"),
        ("research", "project/M1:login/research/r.md", "exploration/e.md"),
        ("plan", "project/M1:login/plans/p.md", "project/M1:login/research/r.md"),
        ("plan", "project/M1:login/plans/deep/p.md", "project/M2:other/plans/p.md"),
    ] {
        let team = team(mode);
        passes(&team.file(own, "x"));
        passes(
            &team.tool("Bash", json!({"command": format!("mkdir -p '{}' && touch '{own}'", folder(own))})),
        );
        bound(&format!("{mode} {other}"), &team.file(other, "x"));
    }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or(".", |(folder, _)| folder)
}

#[test]
fn servers_tools_and_notebooks_are_bound() {
    let team = team("plan");
    let project = team.scratch.project();
    let source = project.join("src/a.rs");
    let plan = project.join(team.plan());
    for (tool, input, refused) in [
        ("mcp__filesystem__write_file", json!({"path": source, "content": "x"}), true),
        (
            "mcp__filesystem__edit_file",
            json!({"path": source, "edits": [{"oldText": "a", "newText": "b"}]}),
            true,
        ),
        (
            "mcp__filesystem__move_file",
            json!({"source": source, "destination": project.join("src/b.rs")}),
            true,
        ),
        ("mcp__filesystem__create_directory", json!({"path": project.join("src/new")}), true),
        ("NotebookEdit", json!({"notebook_path": project.join("n.ipynb"), "new_source": "x"}), true),
        ("MultiEdit", json!({"file_path": source, "edits": [{"old_string": "a", "new_string": "b"}]}), true),
        ("mcp__filesystem__write_file", json!({"path": plan, "content": "x"}), false),
        ("mcp__filesystem__read_text_file", json!({"path": source}), false),
        ("mcp__github__list_issues", json!({"owner": "a", "repo": "b"}), false),
    ] {
        let answer = team.tool(tool, input.clone());
        let what = format!("{tool} {input}");
        if refused {
            bound(&what, &answer);
        } else {
            assert_eq!(answer.decision(), "none", "{what}: {}", answer.stdout);
        }
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn patches_and_the_tools_of_other_agents_are_bound() {
    let team = Team::with("[plan]");
    team.write("src/a.rs", "fn a() {}\n");
    let cwd = team.scratch.project();
    let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-fn a() {}\n+fn b() {}\n*** End Patch";
    let good = format!("*** Begin Patch\n*** Add File: {}\n+# plan\n*** End Patch", team.plan());
    let like = |event: &str, rest: Value| {
        let mut all =
            json!({"session_id": "s", "cwd": cwd, "hook_event_name": event, "permission_mode": "default"});
        all.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        all
    };
    for (agent, prompt, before, rest, refused) in [
        (
            "codex",
            "UserPromptSubmit",
            "PreToolUse",
            json!({"tool_name": "apply_patch", "tool_input": {"command": patch}, "tool_use_id": "c"}),
            true,
        ),
        (
            "codex",
            "UserPromptSubmit",
            "PreToolUse",
            json!({"tool_name": "apply_patch", "tool_input": {"command": good}, "tool_use_id": "c"}),
            false,
        ),
        (
            "codex",
            "UserPromptSubmit",
            "PreToolUse",
            json!({"tool_name": "Bash", "tool_input": {"command": "touch src/x"}, "tool_use_id": "c"}),
            true,
        ),
        (
            "gemini-cli",
            "BeforeAgent",
            "BeforeTool",
            json!({"tool_name": "write_file", "tool_input": {"file_path": "src/b.rs", "content": "x"}}),
            true,
        ),
        (
            "gemini-cli",
            "BeforeAgent",
            "BeforeTool",
            json!({"tool_name": "read_file", "tool_input": {"file_path": "src/b.rs"}}),
            false,
        ),
        (
            "qwen-code",
            "UserPromptSubmit",
            "PreToolUse",
            json!({"tool_name": "edit", "tool_input": {"file_path": cwd.join("src/a.rs"), "old_string": "a", "new_string": "b"}, "tool_use_id": "c"}),
            true,
        ),
        (
            "qwen-code",
            "UserPromptSubmit",
            "PreToolUse",
            json!({"tool_name": "run_shell_command", "tool_input": {"command": "ls src"}, "tool_use_id": "c"}),
            false,
        ),
    ] {
        other(&team, agent, prompt, &like(prompt, json!({"prompt": "/plan it"})));
        let answer = other(&team, agent, before, &like(before, rest.clone()));
        let said = answer.says("Plan mode: only files under");
        assert_eq!(said, refused, "{agent} {rest}: {} {}", answer.stdout, answer.stderr);
    }
}

#[test]
fn subagents_are_bound_like_the_main_agent() {
    let team = team("explore");
    for command in ["touch src/b.rs", "cargo fmt", "echo x > src/a.rs"] {
        let fields = json!({
            "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t9",
            "agent_id": "a1", "agent_type": "codebase-explorer",
        });
        bound(command, &team.send("PreToolUse", fields));
    }
}

/// A hard link in the mode's own place is a file of somewhere else.
#[test]
fn a_second_name_of_a_file_is_not_the_modes_own() {
    let team = team("plan");
    let project = team.scratch.project();
    let link = format!("{}/plans/link.rs", crate::team::PLACE);
    let own = format!("{}/plans/own.md", crate::team::PLACE);
    team.write(&own, "# plan\n");
    std::fs::hard_link(project.join("src/a.rs"), project.join(&link)).unwrap();
    bound("a file tool", &team.file(&link, "x"));
    bound("a shell", &team.tool("Bash", json!({"command": format!("echo x > '{link}'")})));
    bound("a formatter", &team.tool("Bash", json!({"command": format!("rustfmt '{link}'")})));
    passes(&team.file(&own, "x"));
    passes(&team.tool("Bash", json!({"command": format!("echo x > '{own}'")})));
    // A link that leads elsewhere is followed.
    std::os::unix::fs::symlink(project.join("src"), project.join(format!("{}/plans/l", crate::team::PLACE)))
        .unwrap();
    bound("a folder behind a link", &team.file(&format!("{}/plans/l/b.rs", crate::team::PLACE), "x"));
}

/// A person may go on to the next command before a mode is over; the agent itself may not.
#[test]
fn an_agent_does_not_end_its_mode_by_a_command_of_its_own() {
    let team = Team::with("[plan, code, code-review]");
    team.git(&["init", "-q"]);
    passes(&team.prompt("/plan"));
    team.write(&team.plan(), "# plan\n");
    let skill = |name: &str| team.tool("Skill", json!({"skill": name, "args": "go"}));
    let slash = |name: &str| team.tool("SlashCommand", json!({"command": format!("/{name}")}));
    for name in ["code", "code-review"] {
        for call in [skill(name), slash(name)] {
            assert_eq!(call.decision(), "deny", "{name}: {}", call.stdout);
            assert!(call.says("The workflow plan is not over"), "{name}: {}", call.stdout);
        }
    }
    bound("plan", &team.file("src/a.rs", "x"));
    team.write(&team.plan(), "---\nconsulted_by: consulting-expert\n---\n# plan\n");
    passes(&team.done("consulting-expert"));
    passes(&skill("code"));
    assert!(team.file("src/a.rs", "x").says("No failing test was seen yet."), "now it is coding");
    let person = Team::with("[plan, code]");
    passes(&person.prompt("/plan"));
    person.write(&person.plan(), "# plan\n");
    passes(&person.prompt("/code"));
    assert!(person.file("src/a.rs", "x").says("No failing test was seen yet."));
}

#[test]
fn two_modes_in_two_sessions_of_one_project() {
    let mut team = team("plan");
    let first = team.session.clone();
    "second".clone_into(&mut team.session);
    passes(&team.prompt("/explore"));
    passes(&team.file("exploration/x.md", "x"));
    bound("explore", &team.file(&format!("{}/plans/p.md", crate::team::PLACE), "x"));
    team.session = first;
    bound("plan", &team.file("exploration/x.md", "x"));
    passes(&team.file(&team.plan(), "x"));
}
