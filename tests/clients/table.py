"""Holds what the runs saw against what is claimed, and makes docs/clients.md of it.

    table.py DIRECTORY [--write] [--only LANGUAGE…]

DIRECTORY has a file for each run, NAME.tsv, where src/drivers/NAME.rs is the driver. Its lines: `versions WHAT`, and
`row HANDLE CALL CLAIM SEEN`, separated by tabs. HANDLE is a kind of the driver; CLAIM is what its row says, as the code spells it, or
what else is relied on, in the words of SEEN.
"""

import os
import re
import sys
from pathlib import Path

# What has to be seen where a table says so.
SEEN = {
    "Owner::PerCall": "another connection",
    "Owner::Borrowed": "a session lock is kept",
    "Owner::Reset": "a session lock is released",
    "Owner::Own": "the connection is closed",
    "Owner::UntilCommit": "the pool has it back, with a session lock",
    "Owner::Ambient": "one connection",
    "Begins::Never": "no transaction is open",
    "Begins::NeverByDefault": "no transaction is open",
    "Begins::ByItself": "a transaction is open",
    "Begins::Already": "a transaction is open",
    "AtEnd::Nothing": "a transaction is open",
    "AtEnd::Ends": "no transaction is open",
    "AtEnd::Returns": "no transaction is open",
    "AtEnd::Closes": "the connection is closed",
    "Does::Begins": "a transaction is open",
    "Does::Within": "a transaction is open",
    "Does::Holds": "one connection",
    "Does::Limit": "one connection",
    "Does::Ends": "no transaction is open",
    "Does::Inner": "back to a savepoint",
    "Does::Returns": "no transaction is open",
    "Does::Closes": "the connection is closed",
}
LANGUAGES = {
    "python": ["Python"],
    "node": ["SCRIPT"],
    "ruby": ["Ruby"],
    "php": ["Php"],
    "java": ["JVM", "Java"],
    "go": ["Go"],
    "rust": ["Rust"],
}
TITLES = {"node": "JavaScript and TypeScript", "php": "PHP"}
HEAD = """# What client libraries do

A rule about sessions stands on what [`src/drivers`](../src/drivers) says of each library. `scripts/clients` wrote this page: it ran the
libraries against PostgreSQL {server}, asked the server over a connection of its own what had become of locks, transactions and connections, and
fails where that is not what is claimed.

| claim | what has to be seen |
|---|---|
| `Owner::PerCall` | two calls, or two of what it gives, that overlap are on two connections |
| `Owner::Borrowed`, `Owner::Reset` | a session lock, after the connection went back to its pool: kept, released |
| `Owner::Own` | the connection, when its handle goes: closed |
| `Owner::UntilCommit` | the connection, after COMMIT: in the pool again, with a session lock on it |
| `Owner::Ambient` | one call after another: on one connection |
| `Begins::Never`, `Begins::NeverByDefault` | after a SELECT no transaction is open |
| `Begins::ByItself` | a SELECT begins a transaction |
| `Begins::Already` | in what it is, a transaction is open |
| `AtEnd::…`, `Does::…` | what the end of a block and what a method does: ends the transaction, closes or gives back the connection, goes back to a savepoint |

A claim in words is one that rules and their pages rely on without a row in a table.
"""
REST = """
## Not seen here

No run covers these, so what is claimed of them is from documentation and code alone, which the headings of the files name: for want of a
package, of a compiler or of a service, or because all of it is what a library above does.
"""


def drivers() -> dict[str, tuple[str, str]]:
    """Name and language of each driver file."""
    found = {}
    for path in sorted(Path("src/drivers").glob("*.rs")):
        match = re.search(r'const DRIVER: Driver = Driver \{\s+name: "([^"]+)",\s+languages: ([^;]+?),\n', path.read_text())
        if match:
            found[path.stem] = (match[1], re.sub(r"&|\[|\]|HostLanguage::", "", match[2]))
    return found


def main() -> int:
    arguments = sys.argv[1:]
    seen = Path(arguments.pop(0))
    write = "--write" in arguments
    partial = "--only" in arguments
    known = drivers()
    wrong = 0
    sections = {}
    for path in sorted(seen.glob("*.tsv")):
        name, _ = known[path.stem]
        lines = [line.split("\t") for line in path.read_text().splitlines()]
        versions = [line[1] for line in lines if line[0] == "versions"]
        rows = [line[1:] for line in lines if line[0] == "row"]
        table = [f"### [{name}](../src/drivers/{path.stem}.rs)", "", f"{', '.join(versions)}", ""]
        table += ["| handle | what is done | claim | seen |", "|---|---|---|---|"]
        for handle, call, claim, what in rows:
            if what != SEEN.get(claim, claim):
                wrong += 1
                print(f"{path.stem}: {handle}, {call}: {claim} is claimed, and seen was: {what}", file=sys.stderr)
            shown = f"`{claim}`" if "::" in claim else claim
            table.append(f"| `{handle}` | {call} | {shown} | {what} |")
        sections[path.stem] = table
        print(f"{name}: {len(rows)} claims, {', '.join(versions)}")
    text = HEAD.format(server=os.environ["SERVER"].split(" ")[0])
    for language, names in LANGUAGES.items():
        here = [stem for stem in sections if known[stem][1] in names]
        if here:
            text += f"\n## {TITLES.get(language, language.capitalize())}\n"
        for stem in here:
            text += "\n" + "\n".join(sections[stem]) + "\n"
    text += REST + "\n"
    for stem, (name, _) in known.items():
        if stem not in sections:
            text += f"- [{name}](../src/drivers/{stem}.rs)\n"
    page = Path("docs/clients.md")
    if write and not (partial or wrong):
        page.write_text(text)
    elif not partial and (not page.exists() or page.read_text() != text):
        print("docs/clients.md says something else: scripts/clients --write renews it", file=sys.stderr)
        return 1
    return 1 if wrong else 0


sys.exit(main())
