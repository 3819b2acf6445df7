//! Objects in, facts out.

use crate::rules::testing::Bench;

#[test]
fn an_api_version_in_capitals_is_an_error() {
    let bench = Bench::new();
    for (version, meant) in [("apps/V1", "apps/v1"), ("Apps/v1", "apps/v1")] {
        let text = format!("apiVersion: {version}\nkind: Deployment\nmetadata: {{name: d}}\n");
        let errors = bench.errors(&text);
        let expected = format!("apiVersion: Unreadable(Capitals, [{meant:?}])");
        assert_eq!(errors, [expected]);
    }
    let errors = bench.errors("apiVersion: V1\nkind: Service\nmetadata: {name: d}\n");
    assert_eq!(errors.len(), 1, "{errors:?}");
}

#[test]
fn times_with_decimals_say_that_they_need_them() {
    let lease = |time: &str| {
        format!(
            "apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {{name: l}}\nspec: {{renewTime: '{time}'}}\n"
        )
    };
    let bench = Bench::new();
    bench.accepts(&lease("2024-01-01T00:00:00.000001Z"));
    for (time, words) in [
        ("2024-01-01T00:00:00Z", "it needs six decimals of a second, as in 2006-01-02T15:04:05.000000Z"),
        ("2024-01-01", "it is not of the form 2006-01-02T15:04:05.000000Z"),
    ] {
        let errors = bench.errors(&lease(time));
        assert!(matches!(&errors[..], [error] if error.contains(words)), "{errors:?}");
    }
}
