"""Reads literals of Python as Python does: lines of JSON, as a literal stands and as it was read."""
import ast
import json
import sys
import warnings

warnings.simplefilter("ignore")
agreed, other, wrong = 0, 0, []
for line in open(sys.argv[1], encoding="utf-8"):
    stands, text = json.loads(line)
    try:
        value = ast.literal_eval(stands)
    except (SyntaxError, ValueError):
        other += 1
        continue
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if not isinstance(value, str) or "\ufffd" in value:
        other += 1
    elif value.encode("utf-8", "replace") == text.encode("utf-8", "replace"):
        agreed += 1
    else:
        wrong.append((stands, text, value))
print(f"Python {sys.version.split()[0]}: {agreed} agreed, {len(wrong)} did not, {other} are no literals of their own")
for it in wrong[:10]:
    print("  %r: %r, and not %r" % it)
sys.exit(1 if wrong or not agreed else 0)
