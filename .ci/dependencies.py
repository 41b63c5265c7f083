"""No package that locklint is built from may need a later Rust than Cargo.toml says (clippy looks at locklint itself), and those
that Cargo.toml names are locked at the least version that it allows: so every build is one of minimal versions."""

import json
import subprocess
import sys

command = ["cargo", "metadata", "--locked", "--offline", "--format-version", "1"]
meta = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
packages = {package["id"]: package for package in meta["packages"]}
needs = {node["id"]: node["deps"] for node in meta["resolve"]["nodes"]}


def version(package):
    return ([int(part) for part in (package["rust_version"] or "0").split(".")] + [0, 0])[:3]


# What only tests need is not counted.
built, waiting = set(), [meta["resolve"]["root"]]
while waiting:
    one = waiting.pop()
    if one not in built:
        built.add(one)
        waiting += [dep["pkg"] for dep in needs[one] if any(kind["kind"] != "dev" for kind in dep["dep_kinds"])]
own = packages[meta["resolve"]["root"]]
late = [packages[one] for one in built if version(packages[one]) > version(own)]
for package in late:
    print(f"{package['name']} {package['version']} needs Rust {package['rust_version']}, later than {own['rust_version']}")
locked = {packages[dep["pkg"]]["name"]: packages[dep["pkg"]]["version"].split("+")[0] for dep in needs[own["id"]]}
least = {need["name"]: need["req"].lstrip("^") for need in own["dependencies"]}
newer = {name: asked for name, asked in least.items() if locked.get(name, asked) != asked}
for name, asked in newer.items():
    print(f"{name} is locked at {locked[name]}, and Cargo.toml allows {asked}, which nobody has built")
print(f"{len(built)} packages, Rust {own['rust_version']}")
sys.exit(1 if late or newer else 0)
