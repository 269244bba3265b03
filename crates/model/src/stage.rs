//! What a database or a branch is for, by its name.

/// Is it one for tests, which can be made anew at any time? Of an address only the database counts, never the host:
/// `app_test`, `postgres://localhost/app_test` and `tmp/test.db` are, `db.example.test` is not.
#[must_use]
pub fn is_test_database(name: &str) -> bool {
    let path = match name.split_once("://") {
        Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
        None => name,
    };
    let (path, query) = path.split_once(['?', '#']).unwrap_or((path, ""));
    // An address may name another database behind its path.
    let other = query.split('&').filter_map(|pair| pair.strip_prefix("dbname=")).next_back();
    if let Some(other) = other.filter(|other| *other != path) {
        return is_test_database(other) && !is_production(name);
    }
    let file = path.rsplit('/').next().unwrap_or_default();
    let endings = [".db", ".sqlite", ".sqlite3", ".duckdb"];
    let stem = endings.iter().find_map(|ending| file.strip_suffix(ending)).unwrap_or(file);
    // A dot is that of a host or a file of another kind.
    !stem.contains('.') && parts(stem).any(|part| is_test_word(&part)) && !is_production(name)
}

/// Does the name say production?
#[must_use]
pub fn is_production(name: &str) -> bool {
    parts(name).any(|part| {
        matches!(part.as_str(), "prod" | "production" | "prd" | "live")
            || (part.starts_with("prod") && !part.starts_with("produc"))
            || part.ends_with("prod")
            || part.ends_with("production")
    })
}

/// Is only data for tests lost? Of a database that is dropped its own name counts, of what lies in one that of the
/// database (`in name on host`), and of a tool's words any.
#[must_use]
pub fn is_for_tests(operation: &str, object: &str) -> bool {
    let named = object.strip_prefix('`').and_then(|rest| rest.split_once('`')).map(|(name, _)| name);
    let whole = operation == "drop-database" && !matches!(named, Some("public" | "dropDatabase"));
    let test = match named {
        Some(name) if whole || name.contains("://") => is_test_database(name),
        Some(_) => {
            let place = place_of(object);
            let databases = place.split_once(" on ").map_or(place, |(databases, _)| databases);
            object.contains(" in ") && databases.split(' ').all(is_test_database)
        }
        None => object.split(' ').skip(1).any(is_test_database),
    };
    test && !is_production(place_of(object))
}

/// Where something lies in a database: what stands behind `in`.
#[must_use]
pub fn place_of(object: &str) -> &str {
    object.rsplit_once(" in ").map_or(object, |(_, place)| place)
}

const PROTECTED: &[&str] = &[
    "main",
    "master",
    "trunk",
    "develop",
    "development",
    "production",
    "prod",
    "stable",
    "staging",
    "release",
];

/// Do others build on the branch? One that is not known may be such.
#[must_use]
pub fn is_protected_branch(branch: &str) -> bool {
    let Some((before, _)) = branch.split_once('*') else {
        return branch.is_empty() || PROTECTED.contains(&branch) || is_release(branch);
    };
    PROTECTED.iter().any(|name| name.starts_with(before)) || is_release(before)
}

fn is_release(branch: &str) -> bool {
    ["release/", "releases/", "release-", "hotfix/"].iter().any(|start| branch.starts_with(start))
}

fn parts(name: &str) -> impl Iterator<Item = String> {
    name.split(|letter: char| !letter.is_alphanumeric()).map(str::to_lowercase)
}

fn is_test_word(part: &str) -> bool {
    let number = part.strip_prefix("test").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    number || matches!(part, "tests" | "testing" | "testdb" | "e2e" | "tmp" | "temp" | "scratch")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_for_tests() {
        let yes =
            ["app_test", "test_app", "test2", "postgres://u@db:5432/app_test?x=1", "var/test.db", "shop-e2e"];
        let no = [
            "app",
            "latest",
            "contest",
            "testimonials",
            "db.example.test",
            "postgres://db.example.test:5432/app",
            "postgres://test/app",
            "test.example.com",
            "prod_test",
            "protest",
            "postgres://u@db/app_test?dbname=app",
        ];
        assert_eq!(yes.map(is_test_database), [true; 6]);
        assert_eq!(no.map(is_test_database), [false; 11]);
    }

    #[test]
    fn of_a_connection_only_the_database_counts() {
        for (object, test) in [
            ("`users` in app_test", true),
            ("`users` in app_test on db.example.com", true),
            ("`users` in app on db_test", false),
            ("`users` in app_test app", false),
            ("`users` in psql on test", false),
            ("`users`", false),
        ] {
            assert_eq!(is_for_tests("drop", object), test, "{object}");
        }
    }

    #[test]
    fn protected_branches() {
        for branch in ["main", "master", "release/1.2", "", "*", "ma*", "release-*"] {
            assert!(is_protected_branch(branch), "{branch}");
        }
        for branch in ["feature/x", "mainline-fix", "fix-release", "feature/*", "refs/tags/v1", "refs/tags/*"]
        {
            assert!(!is_protected_branch(branch), "{branch}");
        }
    }
}
