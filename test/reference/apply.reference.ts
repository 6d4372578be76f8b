// Random applies, updates and patches of one custom object by several managers, made on upstream's
// server and on our field manager alike: answers, values and ownership must be the same after every
// step.
// HOMEOSTAT_SEED and HOMEOSTAT_RUNS repeat or prolong a run.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, test } from "node:test";
import { cloneJson, isApiStatusError, isObject, type Json, type JsonObject } from "homeostat/api";
import { readKindData } from "../../packages/apiserver/src/apimachinery/kind-data/read-kind-data.ts";
import {
  createFieldManager,
  type FieldManager,
} from "../../packages/apiserver/src/merge/managedfields/field-manager.ts";
import { managedFieldsOf } from "../../packages/apiserver/src/merge/managedfields/managed-fields.ts";
import { applyMergePatch } from "../../packages/apiserver/src/merge/patch/merge-patch.ts";
import { smdFromJsonSchema } from "../../packages/apiserver/src/merge/typed/smd-from-json-schema.ts";
import { createKindTypes } from "../../packages/apiserver/src/merge/typed/smd-from-kind-data.ts";
import type { JsonSchemaProps } from "../../packages/apiserver/src/schema/json-schema-props.ts";
import { type KubectlProxy, openKubectlProxy, type Send } from "./kubectl-proxy.ts";
import { createRandom, pick, type Random, shuffled, some } from "./random.ts";

const group = "apply.reference.homeostat.dev",
  apiVersion = `${group}/v1`,
  kind = "Probe",
  plural = "probes",
  namespace = "default";
const seed = Number(process.env["HOMEOSTAT_SEED"] ?? "1"),
  runs = Number(process.env["HOMEOSTAT_RUNS"] ?? "20"),
  steps = 12;

const port: JsonSchemaProps = {
  type: "object",
  required: ["port"],
  properties: {
    port: { type: "integer" },
    protocol: { type: "string", default: "TCP" },
    note: { type: "string" },
    tags: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
  },
};
const schema: JsonSchemaProps = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        size: { type: "integer" },
        title: { type: "string" },
        set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
        numbers: { type: "array", "x-kubernetes-list-type": "set", items: { type: "integer" } },
        ports: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["port", "protocol"],
          items: port,
        },
        atoms: { type: "array", items: { type: "string" } },
        labels: { type: "object", additionalProperties: { type: "string" } },
        colour: {
          type: "object",
          "x-kubernetes-map-type": "atomic",
          properties: { r: { type: "integer" }, g: { type: "integer" } },
        },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        half: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          properties: { known: { type: "object", properties: { a: { type: "string" } } } },
        },
        either: { "x-kubernetes-int-or-string": true },
        deep: {
          type: "object",
          additionalProperties: {
            type: "object",
            properties: {
              x: { type: "string" },
              list: {
                type: "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"],
                items: {
                  type: "object",
                  required: ["name"],
                  properties: { name: { type: "string" }, value: { type: "string" } },
                },
              },
            },
          },
        },
      },
    },
  },
};

const mapOf = (entries: readonly (readonly [string, Json])[]): JsonObject =>
  Object.fromEntries(entries);

function randomPort(random: Random, number: number): JsonObject {
  return {
    port: number,
    ...(random(2) ? { protocol: pick(random, ["TCP", "UDP"]) } : {}),
    ...(random(2) ? { note: pick(random, ["a", "b"]) } : {}),
    ...(random(3) ? {} : { tags: shuffled(random, some(random, ["t1", "t2", "t3"])) }),
  };
}

function randomSpec(random: Random): JsonObject {
  const list = (names: readonly string[]): Json[] => shuffled(random, some(random, names));
  const parts: readonly (readonly [string, () => Json])[] = [
    ["size", () => random(3)],
    ["title", () => pick(random, ["x", "y"])],
    ["set", () => list(["a", "b", "c", "d", "e"])],
    ["numbers", () => shuffled(random, some(random, [1, 2, 10, 100]))],
    [
      "ports",
      () =>
        shuffled(
          random,
          some(random, [80, 443, 8080]).map((number) => randomPort(random, number)),
        ),
    ],
    ["atoms", () => list(["a", "b"])],
    [
      "labels",
      () => mapOf(some(random, ["l1", "l2", "l3"]).map((name) => [name, pick(random, ["v", "w"])])),
    ],
    ["colour", () => mapOf(some(random, ["r", "g"]).map((name) => [name, random(2)]))],
    [
      "free",
      () =>
        mapOf(
          some(random, ["a", "b", "c"]).map((name) => [
            name,
            pick<Json>(random, [1, "s", [1, 2], { k: random(2) }, {}, []]),
          ]),
        ),
    ],
    [
      "half",
      () => ({
        ...(random(2) ? { known: random(2) ? { a: pick(random, ["p", "q"]) } : {} } : {}),
        ...(random(2) ? { other: { z: random(2) } } : {}),
      }),
    ],
    ["either", () => pick<Json>(random, [1, "one"])],
    [
      "deep",
      () =>
        mapOf(
          some(random, ["d1", "d2"]).map((name) => [
            name,
            {
              ...(random(2) ? { x: pick(random, ["1", "2"]) } : {}),
              ...(random(2)
                ? {
                    list: shuffled(random, some(random, ["n1", "n2", "n3"])).map((item) => ({
                      name: item,
                      ...(random(2) ? { value: pick(random, ["1", "2"]) } : {}),
                    })),
                  }
                : {}),
            },
          ]),
        ),
    ],
  ];
  return Object.fromEntries(some(random, parts).map(([name, make]) => [name, make()]));
}

function randomIntent(random: Random): JsonObject {
  const metadata: JsonObject = {
    name: "p",
    ...(random(3)
      ? {}
      : {
          labels: mapOf(some(random, ["m1", "m2"]).map((name) => [name, pick(random, ["v", "w"])])),
        }),
    ...(random(5)
      ? {}
      : { finalizers: shuffled(random, some(random, ["homeostat.dev/a", "homeostat.dev/b"])) }),
  };
  return { apiVersion, kind, metadata, ...(random(8) ? { spec: randomSpec(random) } : {}) };
}

interface Step {
  readonly verb: "apply" | "patch" | "put";
  readonly manager: string;
  readonly force: boolean;
  readonly body: JsonObject;
}

function randomStep(random: Random, live: JsonObject | undefined): Step {
  const verb = live ? pick(random, ["apply", "apply", "apply", "patch", "put"] as const) : "apply";
  const manager = pick(random, ["ann", "bob", "cat"]);
  const body = randomIntent(random);
  if (verb === "patch" && isObject(body["spec"]))
    for (const name of some(random, ["size", "set", "ports", "labels", "free", "deep"]))
      body["spec"][name] = null;
  return { verb, manager, force: random(2) === 0, body };
}

const kubeconfig = process.env["HOMEOSTAT_REFERENCE_KUBECONFIG"];
const kubectl = (args: readonly string[], input?: string): string =>
  execFileSync("kubectl", ["--kubeconfig", kubeconfig!, ...args], {
    ...(input === undefined ? {} : { input }),
    encoding: "utf8",
    stdio: ["pipe", "pipe", "pipe"],
  });

let proxy: KubectlProxy;
const send: Send = (method, path, contentType, body) =>
  proxy.send(
    method,
    `/apis/${apiVersion}/namespaces/${namespace}/${plural}${path}`,
    contentType,
    body,
  );

/** Fills in what the schema above defaults, and drops empty metadata as the server's codec does. */
function withDefaults(object: JsonObject): JsonObject {
  const { spec, metadata } = object;
  if (isObject(metadata))
    for (const name of ["labels", "finalizers"])
      if (!Object.keys(metadata[name] ?? {}).length) delete metadata[name];
  if (isObject(spec) && Array.isArray(spec["ports"]))
    for (const item of spec["ports"]) if (isObject(item)) item["protocol"] ??= "TCP";
  return object;
}

const objectMeta = createKindTypes(readKindData("1.36"))(
  "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
);
const empty = (): JsonObject => ({ apiVersion, kind });
const ours: FieldManager = createFieldManager({
  group,
  version: "v1",
  kind,
  subresource: "",
  typeOf: (version) =>
    version === apiVersion ? smdFromJsonSchema(schema, { objectMeta }) : undefined,
  convert: (object) => object,
  empty,
  complete: withDefaults,
  unknownVersions: "fail",
  resetFields: new Map(),
});
const now = "2026-01-01T00:00:00Z";

/**
 * A map or list that loses all of its items becomes null, which validation then refuses: not the
 * field manager's matter.
 */
const nullFault = "422 null";
const hasNull = (value: Json | undefined): boolean =>
  value === null ||
  (typeof value === "object" &&
    Object.entries(value).some(
      ([name, member]) => name !== "other" && (name === "free" ? member === null : hasNull(member)),
    ));

interface Outcome {
  readonly error?: string;
  readonly object?: JsonObject;
}

function stepOnOurs(live: JsonObject | undefined, step: Step): Outcome {
  const before = live ?? empty();
  const created = (object: JsonObject): JsonObject => ({
    ...object,
    metadata: { ...(object["metadata"] as JsonObject), uid: "u", namespace },
  });
  try {
    if (step.verb === "apply") {
      const object = created(
        ours.apply(before, step.body, { manager: step.manager, force: step.force, now }),
      );
      return hasNull(object["spec"]) ? { error: nullFault } : { object };
    }
    const next =
      step.verb === "patch"
        ? (applyMergePatch(before, step.body) as JsonObject)
        : {
            ...step.body,
            metadata: { ...(step.body["metadata"] as JsonObject), uid: "u", namespace },
          };
    return {
      object: created(ours.update(before, withDefaults(cloneJson(next)), step.manager, now)),
    };
  } catch (error) {
    if (isApiStatusError(error)) return { error: `${error.status.code} ${error.status.message}` };
    throw error;
  }
}

async function stepOnUpstream(resourceVersion: string | undefined, step: Step): Promise<Outcome> {
  const query = `/p?fieldManager=${step.manager}${step.force && step.verb === "apply" ? "&force=true" : ""}`;
  const put = {
    ...step.body,
    metadata: {
      ...(step.body["metadata"] as JsonObject),
      ...(resourceVersion ? { resourceVersion } : {}),
    },
  };
  const requests = {
    apply: ["PATCH", "application/apply-patch+yaml", step.body],
    patch: ["PATCH", "application/merge-patch+json", step.body],
    put: ["PUT", "application/json", put],
  } as const;
  const [method, type, body] = requests[step.verb];
  const answer = await send(method, query, type, body);
  const message = String(answer.body["message"]);
  return answer.status < 300
    ? { object: answer.body }
    : {
        error:
          message.includes('must be of type object: "null"') ||
          message.includes('must be of type array: "null"')
            ? nullFault
            : `${answer.status} ${message}`,
      };
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** What both sides must agree on. */
function essence({ error, object }: Outcome): unknown {
  if (!object) return { error };
  const metadata = object["metadata"] as JsonObject;
  const owners = (managedFieldsOf(object) ?? []).map((entry) => ({
    ...(entry as JsonObject),
    time: "time" in (entry as JsonObject),
  }));
  const idOf = (owner: JsonObject): string =>
    `${String(owner["manager"])} ${String(owner["operation"])}`;
  const byName = owners.sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
  return {
    labels: metadata["labels"],
    finalizers: metadata["finalizers"],
    spec: object["spec"],
    owners: byName,
  };
}

before(async () => {
  if (!kubeconfig)
    throw new Error(
      "run random applies on upstream: HOMEOSTAT_REFERENCE_KUBECONFIG names no kubeconfig; use npm run test:reference",
    );
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, singular: "probe", kind, listKind: "ProbeList" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
  kubectl(["apply", "-f", "-"], JSON.stringify(definition));
  kubectl(["wait", "--for=condition=Established", `crd/${plural}.${group}`]);
  proxy = await openKubectlProxy(kubeconfig);
});

/** The object goes first: its finalizers would keep the definition. */
async function clear(): Promise<void> {
  await send("PATCH", "/p", "application/merge-patch+json", { metadata: { finalizers: null } });
  await send("DELETE", "/p", "application/json", {});
}

after(async () => {
  await clear();
  proxy.close();
  kubectl(["delete", "crd", `${plural}.${group}`, "--wait=false"]);
});

async function replay(run: number): Promise<void> {
  const random = createRandom(run);
  let live: JsonObject | undefined, resourceVersion: string | undefined;
  await clear();
  for (let i = 0; i < steps; i++) {
    const step = randomStep(random, live);
    const theirs = await stepOnUpstream(resourceVersion, step);
    const own = stepOnOurs(live, step);
    assert.deepEqual(
      plain(essence(own)),
      plain(essence(theirs)),
      `run ${run}, step ${i}: ${JSON.stringify(step)} on ${JSON.stringify(live)}`,
    );
    if (!theirs.object) continue;
    live = own.object!;
    resourceVersion = String((theirs.object["metadata"] as JsonObject)["resourceVersion"]);
  }
}

for (let run = seed; run < seed + runs; run++)
  test(`random applies, seed ${run}`, () => replay(run));
