//! A fault of ours in one file is told with the version, and the others are linted all the same.

use locklint::finding::FileId;
use locklint::lint::lint;
use locklint::project::{Memory, Project, ProjectFile, Targets};
use locklint::settings::Settings;
use std::borrow::Cow;

/// A project in which reading some file is a fault.
struct Faulty {
    files: Memory,
    fault: &'static str,
}

impl Project for Faulty {
    fn files(&self) -> &[ProjectFile] {
        self.files.files()
    }

    fn read(&self, file: FileId) -> Result<Cow<'_, [u8]>, String> {
        assert!(&*self.files()[file.0 as usize].path != self.fault, "made to fail");
        self.files.read(file)
    }

    fn complete(&self) -> bool {
        true
    }
}

#[test]
fn one_file_that_fails_is_told_and_the_others_are_linted() {
    let bad = "BEGIN;\nSELECT pg_advisory_lock(7);\nCOMMIT;\n";
    let files = [("a.sql", bad), ("b.sql", bad), ("b.sql.conf", "executeInTransaction=false\n"), ("c.sql", bad)];
    // A script is read with the file beside it, so a fault there is one in the midst of the analysis.
    for (fault, lost) in [("b.sql", vec!["b.sql"]), ("b.sql.conf", vec!["b.sql", "b.sql.conf"])] {
        let project = Faulty { files: Memory::new(files), fault };
        let report = lint(&project, &Targets::all(&project), &Settings::default());
        let found: Vec<&str> = report.findings.iter().map(|finding| &**report.source(finding.at).path()).collect();
        assert_eq!(found, ["a.sql", "c.sql"], "{fault}");
        let told: Vec<&str> = report.notices.iter().map(|notice| &*notice.path).collect();
        assert_eq!(told, lost, "{fault}");
        let notice = &report.notices[0];
        assert!(notice.trouble);
        for part in ["internal-error", env!("CARGO_PKG_VERSION"), "made to fail"] {
            assert!(notice.message.contains(part), "{notice:?}");
        }
    }
}
