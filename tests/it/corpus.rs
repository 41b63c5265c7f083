//! The stored corpus of the fuzzer, file by file, through the same functions.

#[path = "../../fuzz/src/targets.rs"]
mod targets;

use std::fs;
use std::path::Path;
use walkdir::WalkDir;

#[test]
fn the_corpus_holds() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    for (name, target) in targets::ALL {
        let files = WalkDir::new(corpus.join(name)).sort_by_file_name().into_iter().map(Result::unwrap);
        let mut count = 0;
        for entry in files.filter(|entry| entry.file_type().is_file()) {
            target(&fs::read(entry.path()).unwrap());
            count += 1;
        }
        assert!(count > 0, "nothing is stored for {name}");
    }
}
