use super::*;

#[test]
fn differences_are_read_as_git_prints_them() {
    let (zero, one) = ("0".repeat(40), "1".repeat(40));
    let raw = format!(
        ":100644 100644 {one} {zero} M\0a.sql\0:100644 000000 {one} {zero} D\0b.sql\0\
         :000000 100755 {zero} {zero} A\0c d.sql\0:100644 100644 {one} {one} R087\0old.sql\0new.sql\0\
         :100644 100644 {one} {one} C100\0a.sql\0copy.sql\0:100644 120000 {one} {zero} T\0link.sql\0"
    );
    let read: Vec<_> = git::differences(raw.as_bytes());
    let told: Vec<_> =
        read.iter().map(|d| (d.path.as_str(), d.path_now(), d.before.is_some(), d.is_file_now())).collect();
    assert_eq!(
        told,
        [
            ("a.sql", "a.sql", true, true),
            ("b.sql", "b.sql", true, false),
            ("c d.sql", "c d.sql", false, true),
            ("old.sql", "new.sql", true, true),
            ("copy.sql", "copy.sql", false, true),
            ("link.sql", "link.sql", true, false),
        ]
    );
    assert!(git::differences(b"").is_empty());
    assert!(git::differences(b":100644 100644\0a\0").is_empty());
}
