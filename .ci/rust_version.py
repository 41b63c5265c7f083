"""No package that locklint is built from may need a later Rust than Cargo.toml says; clippy looks at locklint itself."""

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
print(f"{len(built)} packages, Rust {own['rust_version']}")
sys.exit(1 if late else 0)
