//! Whether to colour.

use std::env;
use std::io::IsTerminal;

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Color {
    /// Where it is read by a person
    Auto,
    /// Even into files and pipes
    Always,
    /// Never
    Never,
}

impl Color {
    /// Whether what goes to `stream` is coloured.
    pub(super) fn on(self, stream: &impl IsTerminal) -> bool {
        self.decide(stream.is_terminal(), |name| env::var(name).ok())
    }

    /// The flag wins; NO_COLOR counts where it is not empty, and over those that force colour.
    fn decide(self, terminal: bool, variable: impl Fn(&str) -> Option<String>) -> bool {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let forced = |name: &str| set(name).is_some_and(|value| value != "0");
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto if set("NO_COLOR").is_some() => false,
            Self::Auto if forced("FORCE_COLOR") || forced("CLICOLOR_FORCE") => true,
            Self::Auto => {
                terminal
                    && set("TERM").is_none_or(|term| term != "dumb")
                    && set("CLICOLOR").is_none_or(|value| value != "0")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Color;

    #[test]
    fn the_flag_then_no_color_then_force_then_the_terminal() {
        let on = |color: Color, terminal: bool, variables: &[(&str, &str)]| {
            color.decide(terminal, |name| {
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            })
        };
        assert!(on(Color::Auto, true, &[]));
        assert!(!on(Color::Auto, false, &[]));
        assert!(on(Color::Always, false, &[("NO_COLOR", "1")]));
        assert!(!on(Color::Never, true, &[("FORCE_COLOR", "1")]));
        assert!(!on(Color::Auto, true, &[("NO_COLOR", "0")]));
        assert!(on(Color::Auto, true, &[("NO_COLOR", "")]));
        for name in ["FORCE_COLOR", "CLICOLOR_FORCE"] {
            assert!(on(Color::Auto, false, &[(name, "1")]));
            assert!(!on(Color::Auto, false, &[(name, "0")]));
            assert!(!on(Color::Auto, true, &[(name, "1"), ("NO_COLOR", "1")]));
        }
        assert!(!on(Color::Auto, true, &[("TERM", "dumb")]));
        assert!(!on(Color::Auto, true, &[("CLICOLOR", "0")]));
    }
}
