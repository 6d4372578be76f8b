import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { withVariables } from "../environment/environment.ts";
import { kubernetesEnvironment } from "../kubernetes/kubernetes-environment.ts";
import { compileExpression } from "../program.ts";
import { dynType } from "../types/type.ts";
import { equalValues } from "./equality.ts";
import { adaptJson, type Json } from "./json-values.ts";
import { toJson } from "./to-json.ts";

describe("JSON without a schema", () => {
  it("can be asked for its members", () => {
    const compiled = compileExpression(
      "object.spec.replicas > 2 && object.spec.weight == 0.5 && object.metadata.labels['a'] in ['b'] && object.list.exists(x, x == 9007199254740993)",
      withVariables(kubernetesEnvironment(), new Map([["object", dynType]])),
    );
    assert.ok("program" in compiled);
    const object = {
      spec: { replicas: 3, weight: 0.5 },
      metadata: { labels: { a: "b" } },
      list: [1, 9007199254740993n],
    };
    const result = compiled.program.evaluate({ object: adaptJson(object) });
    assert.ok("value" in result && result.value === true);
  });

  it("equals itself and comes back as it was", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.parse(JSON.stringify(value)) as Json;
        assert.ok(equalValues(adaptJson(json), adaptJson(json)));
        assert.deepEqual(toJson(adaptJson(json)), json);
      }),
    );
  });
});
