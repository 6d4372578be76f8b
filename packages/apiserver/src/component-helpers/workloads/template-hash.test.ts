import assert from "node:assert/strict";
import { test } from "node:test";
import { templateHash } from "./template-hash.ts";

const template = {
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "c", image: "c:1" }], volumes: [] },
};

test("the hash is stable, fit for names, and another one for another template or after a collision", () => {
  const hash = templateHash(template, undefined);
  assert.match(hash, /^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
  assert.equal(templateHash({ spec: template.spec, metadata: template.metadata }, undefined), hash);
  assert.equal(
    new Set([
      hash,
      templateHash(template, 0),
      templateHash(template, 1),
      templateHash({ spec: { containers: [] } }, undefined),
    ]).size,
    4,
  );
});
