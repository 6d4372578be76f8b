// kinds/serializer/testdata/template-hashes.json: what upstream's ComputeHash makes of these
// templates (tools/kinds/hashes).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readKindData } from "../../apimachinery/kind-data/read-kind-data.ts";
import type { PodTemplateSpec } from "homeostat/k8s/core/v1";
import { templateHash } from "./template-hash.ts";

interface Recorded {
  readonly name: string;
  readonly template: PodTemplateSpec;
  readonly collisionCount?: number;
  readonly hash: string;
}

const recorded = JSON.parse(
  readFileSync(
    new URL("../../kinds/serializer/testdata/template-hashes.json", import.meta.url),
    "utf8",
  ),
) as readonly Recorded[];
const data = readKindData("1.36");

for (const { name, template, collisionCount, hash } of recorded)
  test(`the hash of a template is upstream's: ${name}`, () => {
    assert.equal(templateHash(data, template, collisionCount), hash);
  });

test("empty lists and maps count as absent, and the order of members is ignored", () => {
  const spec = { containers: [{ name: "c", image: "c:1" }] };
  const labels = { app: "web" };
  assert.equal(
    templateHash(
      data,
      { spec: { ...spec, volumes: [] }, metadata: { labels, annotations: {} } },
      0,
    ),
    templateHash(data, { metadata: { labels }, spec }, 0),
  );
});
