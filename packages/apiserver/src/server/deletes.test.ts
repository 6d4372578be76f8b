import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { createBuiltinResources } from "../kinds/create-builtin-resources.ts";
import { readKindData } from "../apimachinery/kind-data/read-kind-data.ts";
import { deducedType } from "../apimachinery/types/smd-type.ts";
import { createTestServer, widget, widgetsPath } from "./testdata/test-server.ts";

const merge = { "content-type": "application/merge-patch+json" };
const meta = (object: JsonObject): JsonObject => object.metadata as JsonObject;

test("a plain delete answers a Status with the uid, and the object is gone", async () => {
  const { ask } = await createTestServer();
  const { uid } = meta((await ask("POST", widgetsPath, widget("a"))).body);
  const { status, body } = await ask("DELETE", `${widgetsPath}/a`);
  assert.deepEqual(
    [status, body],
    [
      200,
      {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Success",
        details: { name: "a", group: "example.com", kind: "widgets", uid },
      },
    ],
  );
  assert.equal((await ask("GET", `${widgetsPath}/a`)).status, 404);
});

test("finalizers hold an object; the last one to go ends it", async () => {
  const { ask } = await createTestServer();
  await ask("POST", widgetsPath, widget("a", {}, { finalizers: ["e.org/f"] }));
  const marked = (await ask("DELETE", `${widgetsPath}/a`)).body;
  assert.deepEqual(
    [
      meta(marked).deletionGracePeriodSeconds,
      meta(marked).generation,
      typeof meta(marked).deletionTimestamp,
    ],
    [0, 2, "string"],
  );
  const again = await ask("DELETE", `${widgetsPath}/a`);
  assert.equal(meta(again.body).resourceVersion, meta(marked).resourceVersion);
  assert.match(
    String(
      (await ask("PATCH", `${widgetsPath}/a`, { metadata: { finalizers: ["e.org/g"] } }, merge))
        .body.message,
    ),
    /no new finalizers can be added if the object is being deleted, found new finalizers \[\]string\{"e.org\/g"\}/,
  );
  assert.equal(
    (await ask("POST", widgetsPath, widget("a"))).body.message,
    'object is being deleted: widgets.example.com "a" already exists',
  );
  assert.equal(
    (await ask("PATCH", `${widgetsPath}/a`, { metadata: { finalizers: null } }, merge)).status,
    200,
  );
  assert.equal((await ask("GET", `${widgetsPath}/a`)).status, 404);
});

test("the propagation policy becomes a finalizer", async () => {
  const { ask } = await createTestServer();
  const cases: readonly (readonly [
    string,
    readonly string[] | undefined,
    readonly string[] | undefined,
  ])[] = [
    ["?propagationPolicy=Foreground", undefined, ["foregroundDeletion"]],
    ["?propagationPolicy=Orphan", undefined, ["orphan"]],
    ["?orphanDependents=true", ["foregroundDeletion", "e.org/f"], ["e.org/f", "orphan"]],
    ["?propagationPolicy=Background", ["orphan", "e.org/f"], ["e.org/f"]],
    ["", ["orphan", "e.org/f"], ["orphan", "e.org/f"]],
  ];
  for (const [i, [query, before, after]] of cases.entries()) {
    await ask("POST", widgetsPath, widget(`w${i}`, {}, before ? { finalizers: [...before] } : {}));
    assert.deepEqual(
      meta((await ask("DELETE", `${widgetsPath}/w${i}${query}`)).body).finalizers,
      after,
      query,
    );
  }
});

test("preconditions and options are checked, and a body hides the query", async () => {
  const { ask } = await createTestServer();
  await ask("POST", widgetsPath, widget("a"));
  const messages: readonly (readonly [string, JsonObject | undefined, number, RegExp])[] = [
    [
      "",
      { preconditions: { uid: "x" } },
      409,
      /^Operation cannot be fulfilled on Widget.example.com "a": the UID in the precondition \(x\) does not match the UID in record/,
    ],
    [
      "?resourceVersion=1",
      undefined,
      409,
      /the ResourceVersion in the precondition \(1\) does not match/,
    ],
    [
      "?propagationPolicy=",
      undefined,
      422,
      /propagationPolicy: Unsupported value: "": supported values: "Foreground", "Background", "Orphan", "nil"/,
    ],
    ["", { kind: "Pod", apiVersion: "v1" }, 400, /^no kind "Pod" is registered for version "v1"/],
    [
      "",
      { gracePeriodSeconds: "5" },
      400,
      /cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64/,
    ],
  ];
  for (const [query, body, status, message] of messages) {
    const answer = await ask("DELETE", `${widgetsPath}/a${query}`, body);
    assert.equal(answer.status, status);
    assert.match(String(answer.body.message), message);
  }
  assert.equal((await ask("DELETE", `${widgetsPath}/a?dryRun=nonsense`, {})).status, 200);
});

test("a collection is deleted by selector, one page at most when a limit is given", async () => {
  const { ask } = await createTestServer();
  for (const name of ["a", "b", "c", "d"])
    await ask("POST", widgetsPath, widget(name, {}, { labels: { half: name < "c" ? "1" : "2" } }));
  const names = async (): Promise<unknown> =>
    ((await ask("GET", widgetsPath)).body.items as JsonObject[]).map((item) => meta(item).name);
  const page = await ask("DELETE", `${widgetsPath}?labelSelector=half%3D2&limit=1`);
  assert.equal((page.body.items as JsonObject[]).length, 1);
  assert.deepEqual(await names(), ["a", "b", "d"]);
  await ask("DELETE", `${widgetsPath}?dryRun=All`);
  assert.deepEqual(await names(), ["a", "b", "d"]);
  await ask("DELETE", widgetsPath);
  assert.deepEqual(await names(), []);
});

test("deleting a Job without a propagation policy causes a warning, once for a collection", async () => {
  const data = readKindData("1.36");
  const serve = createBuiltinResources({ data, smdOf: () => deducedType }).filter(
    ({ kind }) => kind === "Job",
  );
  const { ask } = await createTestServer({ serve });
  const path = "/apis/batch/v1/namespaces/home/jobs";
  for (const name of ["a", "b"])
    await ask("POST", path, {
      metadata: { name },
      spec: {
        template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } },
      },
    });
  const warned = async (of: string): Promise<boolean> =>
    JSON.stringify((await ask("DELETE", of)).headers).includes(
      "child pods are preserved by default when jobs are deleted",
    );
  assert.deepEqual(
    [
      await warned(`${path}/none`),
      await warned(`${path}/a?propagationPolicy=Orphan`),
      await warned(path),
    ],
    [true, false, true],
  );
});
