import assert from "node:assert/strict";
import { test } from "node:test";
import { parseServiceLocations } from "./parse-service-locations.ts";

test("services are mapped to addresses", () => {
  assert.deepEqual(
    [...parseServiceLocations("a/b=127.0.0.1:9443, a/c:8443=[::1]:1")],
    [
      ["a/b", { host: "127.0.0.1", port: 9443 }],
      ["a/c:8443", { host: "::1", port: 1 }],
    ],
  );
});

test("anything else is refused", () => {
  for (const text of ["", "a/b", "a=b:1", "a/b=c", "a/b=c:70000", "a/b=c:1,"])
    assert.throws(() => parseServiceLocations(text), /--service-locations: expected namespace/);
});
