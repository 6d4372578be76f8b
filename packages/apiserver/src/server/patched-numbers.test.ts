// Numbers that are no plain integers, and lists that are empty, in each way to write an object.
// Every expected value is the real server's.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { readKindData } from "../apimachinery/kind-data/read-kind-data.ts";
import { createBuiltinResources } from "../kinds/create-builtin-resources.ts";
import { createKindTypes } from "../merge/typed/smd-from-kind-data.ts";
import { createTestServer, type TestServer } from "./testdata/test-server.ts";

const data = readKindData("1.36");
const kinds = new Set(["Deployment", "ResourceQuota", "NetworkPolicy", "ConfigMap"]);
const open = (): Promise<TestServer> =>
  createTestServer({
    serve: createBuiltinResources({ data, smdOf: createKindTypes(data) }).filter(
      ({ kind, version }) => kinds.has(kind) && version === "v1",
    ),
  });

const deployments = "/apis/apps/v1/namespaces/home/deployments";
const deployment = (spec: string): string =>
  `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{${spec}"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i","ports":[{"containerPort":1}]}]}}}}`;

const type = (patch: string): { "content-type": string } => ({
  "content-type": `application/${patch}`,
});

/** The number of replicas, or the end of the refusal. */
function outcome(body: JsonObject): unknown {
  if (body.kind !== "Status") return (body.spec as JsonObject).replicas;
  const message = String(body.message);
  return message.slice(message.lastIndexOf('": ') + 3);
}

const cannot = (literal: string, field = "replicas"): string =>
  `json: cannot unmarshal number ${literal} into Go struct field DeploymentSpec.spec.${field} of type int32`;
const negative = (value: number): string =>
  `Deployment.apps "d" is invalid: spec.replicas: Invalid value: ${value}: must be greater than or equal to 0`;

test("integers of applies and strategic merge patches wrap around, those of texts are literals", async () => {
  const { ask } = await open();
  await ask("POST", deployments, deployment(""));
  const rows: readonly (readonly [literal: string, converted: unknown, read: unknown])[] = [
    ["7", 7, 7],
    ["2.0", 2, cannot("2.0")],
    ["1e3", 1000, cannot("1e3")],
    ["4294967301", 5, cannot("4294967301")],
    ["2147483648", negative(-2147483648), cannot("2147483648")],
    ["9223372036854775807", negative(-1), cannot("9223372036854775807")],
    ["9223372036854775808", 0, cannot("9223372036854775808")],
    ["1e18", negative(-1486618624), cannot("1e18")],
    ["-1e30", 0, cannot("-1e30")],
    ["1.5", "cannot convert float64 to int32", cannot("1.5")],
  ];
  const patch = async (how: string, body: string): Promise<unknown> =>
    outcome(
      (
        await ask(
          "PATCH",
          `${deployments}/d?dryRun=All${how === "apply-patch+yaml" ? "&fieldManager=a&force=true" : ""}`,
          body,
          type(how),
        )
      ).body,
    );
  const last = (text: unknown): unknown => String(text).split(": ").at(-1);
  for (const [literal, converted, read] of rows) {
    const spec = `{"spec":{"replicas":${literal}}}`;
    const applied = spec.replace("{", '{"apiVersion":"apps/v1","kind":"Deployment",');
    const operation = `[{"op":"replace","path":"/spec/replicas","value":${literal}}]`;
    assert.equal(last(await patch("apply-patch+yaml", applied)), last(converted), literal);
    assert.equal(last(await patch("strategic-merge-patch+json", spec)), last(converted), literal);
    assert.equal(await patch("merge-patch+json", spec), read, literal);
    assert.equal(await patch("json-patch+json", operation), read, literal);
  }
});

test("a text that a patch makes shows its literals, and the first fault in its order", async () => {
  const { ask } = await open();
  await ask("POST", deployments, deployment(""));
  const message = async (operations: string, query = ""): Promise<string> =>
    String(
      (
        await ask(
          "PATCH",
          `${deployments}/d?dryRun=All${query}`,
          operations,
          type("json-patch+json"),
        )
      ).body.message,
    );
  const port = "/spec/template/spec/containers/0/ports/0/containerPort";
  const text = await message(
    `[{"op":"add","path":"${port}","value":1.0},{"op":"copy","from":"${port}","path":"/spec/replicas"},{"op":"move","from":"${port}","path":"/spec/minReadySeconds"}]`,
  );
  assert.ok(text.includes('\\"minReadySeconds\\":1.0,'), text);
  assert.ok(text.endsWith(cannot("1.0", "minReadySeconds")), text);
  assert.equal(
    await message('[{"op":"test","path":"/spec/replicas","value":1.0}]'),
    "the server rejected our request due to an error in our request",
  );
  const huge = '[{"op":"add","path":"/spec/replicas","value":1e400}]';
  assert.equal(
    await message(huge),
    "error decoding patch: json: cannot unmarshal number 1e400 into Go struct field jsonPatchOp.value of type float64",
  );
  assert.ok((await message(huge, "&fieldValidation=Ignore")).endsWith(cannot("1e400")));
});

test("an applied list prints as the client has it", async () => {
  const { ask } = await open();
  const path = "/api/v1/namespaces/home/resourcequotas/q?fieldManager=a&force=true";
  const apply = async (spec: string): Promise<unknown> =>
    (
      await ask(
        "PATCH",
        path,
        `{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"q"},"spec":${spec}}`,
        type("apply-patch+yaml"),
      )
    ).body.message;
  await apply('{"hard":{"pods":"1"},"scopes":["BestEffort"]}');
  const refused = (value: string): string =>
    `ResourceQuota "q" is invalid: spec.scopes: Invalid value: ${value}: field is immutable`;
  assert.equal(await apply('{"hard":{"pods":"1"},"scopes":[]}'), refused("[]"));
  assert.equal(await apply('{"hard":{"pods":"1"}}'), refused("null"));
});

test("an empty list is a change of a network policy, and an empty map one of immutable data", async () => {
  const { ask } = await open();
  const path = "/apis/networking.k8s.io/v1/namespaces/home/networkpolicies";
  const policy = (spec: JsonObject): JsonObject => ({ metadata: { name: "p" }, spec });
  const generations: unknown[] = [];
  await ask("POST", path, policy({ podSelector: {} }));
  for (const spec of [{ ingress: [] }, { ingress: [] }, {}, { policyTypes: [] }]) {
    const { body } = await ask("PUT", `${path}/p`, policy({ podSelector: {}, ...spec }));
    generations.push((body.metadata as JsonObject).generation);
  }
  assert.deepEqual(generations, [2, 3, 3, 3]);
  const maps = "/api/v1/namespaces/home/configmaps";
  const map = (more: JsonObject): JsonObject => ({
    metadata: { name: "m" },
    immutable: true,
    ...more,
  });
  await ask("POST", maps, map({}));
  const put = async (more: JsonObject): Promise<unknown> =>
    (await ask("PUT", `${maps}/m`, map(more))).status;
  assert.deepEqual([await put({ data: {} }), await put({ binaryData: {} })], [200, 422]);
});
