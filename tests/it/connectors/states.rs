//! What status finds: drift, shadows, trust, switches, programs that are gone.

use super::Place;

#[test]
fn drift_is_shown_with_its_difference_and_mended() {
    let place = Place::new();
    place.rows(&["install", "claude"]);
    let good = place.text(".mcp.json");
    place.write(".mcp.json", good.replace("[\"mcp\"]", "[\"mcp\", \"--old\"]"));
    let rows = place.rows(&["status", "claude"]);
    assert_eq!(rows[0]["state"], "drifted");
    assert_eq!(rows[0]["diff"], "- args: [\"mcp\",\"--old\"]\n+ args: [\"mcp\"]");
    let rows = place.rows(&["install", "claude"]);
    assert_eq!((rows[0]["change"].as_str(), rows[0]["state"].as_str()), (Some("updated"), Some("untrusted")));
    assert_eq!(place.text(".mcp.json"), good);
    place.rows(&["uninstall"]);
    assert!(!place.path(".mcp.json").exists());
}
