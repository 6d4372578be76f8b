"""Cases of one session, printed as they end: "ok NAME: seen" or "not ok NAME: why"; what was seen is the same on every server."""
import re
import sys
import time
import traceback

CHANGING = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|outside-[a-z0-9]{5}|\d{4}-\d\d-\d\dT[\d:.]+Z")


class Session:
    def __init__(self):
        self.failed = 0

    def case(self, name):
        """Runs the decorated function at once."""

        def run(function):
            try:
                seen = function()
                print(f"ok {name}: {CHANGING.sub('…', str(seen))}".replace("\n", " | "), flush=True)
            except Exception as error:  # whatever it is, it is this case's
                self.failed += 1
                print(f"not ok {name}: {type(error).__name__}: {error}".replace("\n", " | "), flush=True)
                traceback.print_exc(file=sys.stderr)
            return function

        return run

    def end(self):
        sys.exit(1 if self.failed else 0)


def within(seconds, ask):
    """Asks until there is no exception and the answer is true."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            answer = ask()
            if answer:
                return answer
            error = AssertionError(f"got {answer!r}")
        except Exception as caught:
            error = caught
        if time.monotonic() > deadline:
            raise error
        time.sleep(0.1)


def definition(plural, kind, group="outside.example.com", subresources=None):
    """A definition with a small schema."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": plural, "singular": kind.lower(), "kind": kind},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "subresources": subresources or {},
                    "schema": {
                        "openAPIV3Schema": {
                            "type": "object",
                            "properties": {
                                "spec": {"type": "object", "properties": {"size": {"type": "integer", "minimum": 1}, "colour": {"type": "string", "default": "green"}}},
                                "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                            },
                        }
                    },
                }
            ],
        },
    }
