import assert from "node:assert/strict";
import { it } from "node:test";
import { shareParameters } from "./shared-parameters.ts";

const query = (name: string): { name: string; in: string; type: string } => ({
  name,
  in: "query",
  type: "string",
});

it("writes a parameter once and refers to it", () => {
  const { paths, parameters } = shareParameters({
    "/a": { get: { parameters: [query("limit")] }, parameters: [query("pretty")] },
    "/b": { get: { parameters: [query("limit")] } },
  });
  const [limit, pretty] = Object.keys(parameters);
  assert.match(limit!, /^limit-[\w-]{8}$/);
  assert.deepEqual(parameters[limit!], query("limit"));
  assert.deepEqual(paths, {
    "/a": {
      get: { parameters: [{ $ref: `#/parameters/${limit}` }] },
      parameters: [{ $ref: `#/parameters/${pretty}` }],
    },
    "/b": { get: { parameters: [{ $ref: `#/parameters/${limit}` }] } },
  });
});

it("leaves names, bodies of kinds and what old clients look for in place", () => {
  const kept = [
    query("name"),
    query("dryRun"),
    query("fieldValidation"),
    { name: "body", in: "body", schema: { $ref: "#/definitions/io.k8s.api.core.v1.Pod" } },
  ];
  const item = { "/a": { post: { parameters: kept } } };
  assert.deepEqual(shareParameters(item), { paths: item, parameters: {} });
});
