import assert from "node:assert/strict";
import { test } from "node:test";
import { isImageReference } from "./image-reference.ts";

const hex = "0123456789abcdef".repeat(4);

// Cases of github.com/distribution/reference, reference_test.go and normalize_test.go.
test("image references are told from other texts", () => {
  for (const text of [
    "nginx",
    "r/things:2",
    "test.com/foo_com",
    "ghcr.io/acme/sites:1.0.0",
    "localhost:5000/my__image/a-b.c---d:Tag_1",
    "test:5000/repo@sha256:" + hex,
    "test:5000/repo:tag@sha256:" + hex,
    "[2001:db8::1]:5000/repo",
    "Uppercase.com/lower:TAG",
    "a:" + "t".repeat(128),
  ])
    assert.ok(isImageReference(text), text);
  for (const text of [
    "",
    "Bad Image",
    "Uppercase:tag",
    "test:5000/Uppercase/lower:tag",
    ":justtag",
    "@sha256:" + hex,
    "repo@sha256:ffffffff",
    "repo@sha256",
    "-foo/bar",
    "foo//bar",
    "foo/",
    "a:" + "t".repeat(129),
    "a__-b",
    "https://ghcr.io/acme/sites",
    hex,
    "a/".repeat(128) + "a",
    "nginx\n",
  ])
    assert.ok(!isImageReference(text), text);
});
