// Objects as deeply nested as upstream takes them: to the last level, save for the few that the
// description of who owns their fields adds, and then refused in the words that upstream has for
// it.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createVirtualRuntime } from "homeostat/runtime";
import { createMemoryStore } from "../storage/memory-store.ts";
import { createControlPlane, type ControlPlane } from "./control-plane.ts";

const path = "/apis/example.com/v1/namespaces/default/deeps";
const definition = {
  metadata: { name: "deeps.example.com" },
  spec: {
    group: "example.com",
    names: { plural: "deeps", kind: "Deep" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
      },
    ],
  },
};
const user = { name: "admin", groups: ["system:masters", "system:authenticated"] };
let core: ControlPlane;
before(async () => {
  const runtime = createVirtualRuntime();
  core = await createControlPlane({ store: createMemoryStore(), runtime, tokens: new Map() });
  await ask(
    "POST",
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    JSON.stringify(definition),
  );
  await runtime.advance(10_000);
});

/** The status, and the body or the message of what failed. */
async function ask(
  method: string,
  to: string,
  body = "",
  type = "application/json",
): Promise<readonly [number, string]> {
  const answer = await core.handler({
    method,
    path: to,
    headers: { "content-type": type },
    body: new TextEncoder().encode(body),
    user,
  });
  const text = Buffer.from(answer.body as Uint8Array).toString();
  return [
    answer.status,
    answer.status < 300 ? text : (JSON.parse(text) as { readonly message: string }).message,
  ];
}

/** Nested so deep as a whole. */
const lists = (depth: number): string => "[".repeat(depth - 1) + "]".repeat(depth - 1);
const objects = (depth: number): string => '{"a":'.repeat(depth - 2) + "{}" + "}".repeat(depth - 2);
const deep = (name: string, spec: string): string =>
  `{"apiVersion":"example.com/v1","kind":"Deep","metadata":{"name":"${name}"},"spec":${spec}}`;
const yaml = "application/yaml";
const apply = "application/apply-patch+yaml";
const merge = "application/merge-patch+json";
const tooDeep = "exceeded max depth";

test("lists of ten thousand levels are written, patched, applied and read", async () => {
  const spec = lists(10_000);
  assert.equal((await ask("POST", path, deep("a", spec)))[0], 201);
  assert.equal((await ask("POST", path, deep("y", spec), yaml))[0], 201);
  assert.equal((await ask("PATCH", `${path}/p?fieldManager=x`, deep("p", spec), apply))[0], 201);
  assert.equal(
    (await ask("PATCH", `${path}/p?fieldManager=x`, deep("p", lists(9_999)), apply))[0],
    200,
  );
  assert.equal((await ask("PATCH", `${path}/a`, `{"spec":${lists(9_998)}}`, merge))[0], 200);
  assert.equal((await ask("PATCH", `${path}/a`, `{"spec":${spec}}`, merge))[0], 200);
  assert.ok((await ask("GET", `${path}/a`))[1].includes(`"spec":${spec}`));
  for (const name of ["a", "y", "p"])
    assert.equal((await ask("DELETE", `${path}/${name}`))[0], 200);
});

test("one level more is too deep, in the words of each decoder", async () => {
  const message = `the object provided is unrecognized (must be of type Deep): couldn't get version/kind; json parse error: invalid character '[' ${tooDeep} ({"apiVersion":"example.com/v1", ...)`;
  const [status, said] = await ask("POST", path, deep("a", lists(10_001)));
  assert.deepEqual([status, said.slice(0, 130)], [400, message.slice(0, 130)]);
  assert.match(
    (await ask("POST", path, deep("a", lists(10_001)), yaml))[1],
    /yaml: exceeded max depth of 10000/,
  );
  assert.deepEqual(
    await ask("PATCH", `${path}/p?fieldManager=x`, deep("p", lists(10_001)), apply),
    [400, "error decoding YAML: error converting YAML to JSON: yaml: exceeded max depth of 10000"],
  );
});

test("objects are written, patched, applied and read just as deep", async () => {
  const spec = objects(9_990);
  assert.equal((await ask("POST", path, deep("a", spec)))[0], 201);
  assert.equal((await ask("PATCH", `${path}/p?fieldManager=x`, deep("p", spec), apply))[0], 201);
  assert.equal(
    (
      await ask("PATCH", `${path}/p?fieldManager=y&force=true`, deep("p", objects(9_980)), apply)
    )[0],
    200,
  );
  assert.equal(
    (await ask("PATCH", `${path}/p?fieldManager=x`, deep("p", '{"b":1}'), apply))[0],
    200,
  );
  assert.equal((await ask("PATCH", `${path}/a`, `{"spec":${objects(9_991)}}`, merge))[0], 200);
  assert.equal(
    (
      await ask(
        "PATCH",
        `${path}/a`,
        `[{"op":"add","path":"/other","value":${spec}}]`,
        "application/json-patch+json",
      )
    )[0],
    200,
  );
  assert.ok((await ask("GET", `${path}/a`))[1].includes(`"spec":${objects(9_991)}`));
  assert.equal((await ask("GET", `${path}?labelSelector=none`))[0], 200);
  for (const name of ["a", "p"]) assert.equal((await ask("DELETE", `${path}/${name}`))[0], 200);
});

test("an object whose managed fields could not be read again is refused, and nothing is stored", async () => {
  const [status] = await ask("POST", path, deep("c", objects(9_996)));
  assert.equal(status, 201);
  assert.deepEqual(await ask("POST", path, deep("b", objects(9_997))), [
    500,
    `invalid character '{' ${tooDeep}`,
  ]);
  assert.equal((await ask("GET", `${path}/b`))[0], 404);
  assert.equal((await ask("GET", path))[0], 200);
  assert.equal(
    (await ask("PATCH", `${path}/c`, '{"metadata":{"labels":{"a":"b"}}}', merge))[0],
    200,
    "what is stored can be read",
  );
});

test("a deep patch of a built-in kind is refused with its error", async () => {
  const to = "/api/v1/namespaces/default/configmaps";
  const strategic = "application/strategic-merge-patch+json";
  assert.equal(
    (await ask("POST", to, '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}'))[0],
    201,
  );
  assert.equal((await ask("PATCH", `${to}/c`, objects(9_990), strategic))[0], 200);
  assert.deepEqual(await ask("PATCH", `${to}/none`, objects(9_990), strategic), [
    404,
    'configmaps "none" not found',
  ]);
  const [status, message] = await ask("PATCH", `${to}/c`, `{"data":${objects(5_000)}}`, strategic);
  assert.equal(status, 422);
  assert.match(
    message,
    /^ "" is invalid: patch: Invalid value: "map\[data:map\[a:.*\]": unrecognized type: string$/,
  );
});
