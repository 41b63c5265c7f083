use super::*;
use crate::sql::lex::lex;
use proptest::prelude::*;

fn pieces(text: &str) -> Vec<&str> {
    let tokens = lex(text);
    split(text, &tokens)
        .into_iter()
        .map(|piece| &text[tokens[piece.tokens.start].span().start..tokens[piece.tokens.end - 1].span().end])
        .collect()
}

fn ends(text: &str) -> Vec<Terminator> {
    split(text, &lex(text)).into_iter().map(|piece| piece.end).collect()
}

#[test]
fn semicolons_outside_quotes_and_comments_end_statements() {
    assert_eq!(
        pieces("SELECT ';' /* ; */ ; ;; DO $$ a; b $$; -- ;\n SELECT \";\""),
        ["SELECT ';'", "DO $$ a; b $$", "SELECT \";\""]
    );
    assert_eq!(ends("SELECT 1; SELECT 2"), [Terminator::Semicolon, Terminator::EndOfText]);
}

#[test]
fn a_routine_with_an_sql_body_is_one_statement() {
    let body = "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN a THEN 1 END; SELECT t.end; END";
    assert_eq!(pieces(&format!("{body}; SELECT 2;")), [body, "SELECT 2"]);
    let open = "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1;\nSELECT 3";
    assert_eq!(pieces(&format!("{open};\nCREATE TABLE t ();")), [open, "CREATE TABLE t ()"]);
    assert_eq!(pieces("BEGIN; SELECT atomic; END;"), ["BEGIN", "SELECT atomic", "END"]);
}

#[test]
fn a_rule_keeps_its_actions() {
    let rule = "CREATE OR REPLACE RULE r AS ON INSERT TO t DO (\nINSERT INTO a VALUES (1);\nDELETE FROM b;\n)";
    assert_eq!(pieces(&format!("{rule};\nSELECT 2;")), [rule, "SELECT 2"]);
}

#[test]
fn an_open_parenthesis_does_not_swallow_the_file() {
    assert_eq!(pieces("SELECT f((1);\nSELECT 2;\n-- why\nSELECT 3;"), ["SELECT f((1)", "SELECT 2", "SELECT 3"]);
    assert_eq!(
        pieces("CREATE RULE r AS ON INSERT TO t DO (DELETE FROM b;\nSELECT (2);"),
        ["CREATE RULE r AS ON INSERT TO t DO (DELETE FROM b", "SELECT (2)"]
    );
    assert_eq!(pieces("SELECT (1;\n\\connect x"), ["SELECT (1", "\\connect x"]);
    assert_eq!(pieces("SELECT 1); SELECT 2;"), ["SELECT 1)", "SELECT 2"]);
}

#[test]
fn psql_commands_are_pieces() {
    let text = "SELECT 1 \\gset\nSELECT 2 \\; SELECT 3;\n\\if :x\nSELECT 4";
    assert_eq!(pieces(text), ["SELECT 1", "\\gset", "SELECT 2", "SELECT 3", "\\if :x", "SELECT 4"]);
    assert_eq!(
        ends(text),
        [
            Terminator::PsqlCommand,
            Terminator::PsqlCommand,
            Terminator::PsqlSeparator,
            Terminator::Semicolon,
            Terminator::PsqlCommand,
            Terminator::EndOfText
        ]
    );
}

#[test]
fn copy_data_are_in_no_piece() {
    assert_eq!(pieces("COPY t FROM stdin;\n1\t;(\n\\.\nSELECT 2;"), ["COPY t FROM stdin", "SELECT 2"]);
}

proptest! {
    #[test]
    fn pieces_cover_the_tokens(words in prop::collection::vec(prop::sample::select(vec![
        "select", "create", "rule", "begin", "atomic", "case", "end", "(", ")", ";", "\n", " ", "\\;", "\\x\n", "'a'",
        "--c\n", ",", "copy t from stdin;\na\n\\.\n", "$$", "'", "or replace", ".",
    ]), 0..40)) {
        let text = words.join(" ");
        let tokens = lex(&text);
        let mut at = 0;
        for piece in split(&text, &tokens) {
            prop_assert!(piece.tokens.start >= at && piece.tokens.end > piece.tokens.start);
            prop_assert!(!tokens[piece.tokens.start].kind.is_trivia());
            prop_assert!(!tokens[piece.tokens.end - 1].kind.is_trivia());
            for token in &tokens[at..piece.tokens.start] {
                prop_assert!(token.kind.is_trivia() || matches!(
                    token.kind, TokenKind::Semicolon | TokenKind::PsqlSeparator | TokenKind::CopyData
                ));
            }
            at = piece.tokens.end;
        }
        for token in &tokens[at..] {
            prop_assert!(token.kind.is_trivia() || matches!(
                token.kind, TokenKind::Semicolon | TokenKind::PsqlSeparator | TokenKind::CopyData
            ));
        }
    }
}
