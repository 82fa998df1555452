//! Variables that are named like netcl's and are none: a misspelt one would do nothing, and nobody would know why.

use super::variables;
use netcl_kernels::layers::nearest;
use std::sync::Once;

const PREFIX: &str = "NETCL_";

/// What programs do not heed, but the command `netcl` and netcl's macros and tests do.
const ELSEWHERE: [&str; 6] =
    ["NETCL_LOG", "NETCL_DUMP", "NETCL_BLESS", "NETCL_FUZZ", "NETCL_FUZZ_SEED", "NETCL_REQUIRE_OPENCL"];

/// How names begin that one test or script tells another.
const BETWEEN_TESTS: [&str; 2] = ["NETCL_TEST_", "NETCL_CI_"];

/// Warns of those that are set, once. No error: other programs may name their variables so, too.
pub fn warn() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // What is no Unicode is no slip of a name that is.
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        for name in names.filter(|name| is_unknown(name)) {
            let hint = match nearest(&name.to_uppercase(), known()) {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => "docs/environment.md lists those that netcl heeds".to_owned(),
            };
            tracing::warn!(variable = name, hint, "netcl has no such environment variable");
        }
    });
}

fn is_unknown(name: &str) -> bool {
    name.starts_with(PREFIX)
        && known().all(|known| known != name)
        && !BETWEEN_TESTS.iter().any(|prefix| name.starts_with(prefix))
}

fn known() -> impl Iterator<Item = &'static str> + Clone {
    variables::all().map(|variable| variable.name).chain(ELSEWHERE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_unknown_and_what_the_page_lists_is_not() {
        for (slip, meant) in [
            ("NETCL_DEVCIE", Some("NETCL_DEVICE")),
            ("NETCL_LGO", Some("NETCL_LOG")),
            ("NETCL_CACHEDIR", Some("NETCL_CACHE_DIR")),
            ("NETCL_MAX_CACHE_GB", Some("NETCL_MAX_CACHED_GB")),
            ("NETCL_HOME_OF_SOMETHING", None),
        ] {
            assert!(is_unknown(slip));
            assert_eq!(nearest(slip, known()), meant, "{slip}");
        }
        assert!(!is_unknown("NETCLASS_DEVICE") && !is_unknown("NETCL_TEST_ROLE"));
        let page = include_str!("../../../../docs/environment.md");
        let listed = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
        let own: Vec<&str> = listed.filter(|name| name.starts_with(PREFIX)).collect();
        assert!(own.len() > variables::all().count(), "{own:?}");
        assert!(!own.iter().any(|name| is_unknown(name)), "{own:?}");
    }
}
