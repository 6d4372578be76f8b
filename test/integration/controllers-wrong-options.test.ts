// Options that are null, no object, misspelt or of another type, and names that are no strings:
// each is refused by name, before anything is sent. A misspelt selector would select everything.
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import {
  and,
  createLog,
  createPinoLog,
  defineController,
  defineResource,
  defineSignal,
  generationChanged,
  installDefinitions,
  isHomeostatError,
  k,
  keepRevisions,
  labelsChanged,
  not,
  phaseMachine,
  finalPhase,
  ref,
  retry,
  retryOnConflict,
  rollBack,
  terminal,
} from "homeostat";
import { findStatusCondition, keyOf, parseObjectKey, toOwnerReference } from "homeostat/api";
import { createCache } from "homeostat/cache";
import { createClient, createUndiciTransport, dynamicKind, loadKubeconfig } from "homeostat/client";
import { createEventRecorder, objectReference } from "homeostat/events";
import { ControllerRevision } from "homeostat/k8s/apps/v1";
import { ConfigMap } from "homeostat/k8s/core/v1";
import { createWorkQueue } from "homeostat/queue";
import { createSystemRuntime } from "homeostat/runtime";
import * as z from "zod";
import { Box, describeLaws } from "../fixtures/laws.ts";

type Call = (...given: readonly any[]) => any;
const loose = <T>(value: T) => value as unknown as Call;
const transport = { send: () => assert.fail("nothing is sent"), close: async () => {} };
const client = createClient({ transport: transport as never });
const methods = client as unknown as Readonly<Record<string, Call>>;
const map = { metadata: { name: "a" } };
const signal = defineSignal({
  ...{ name: "s", on: ConfigMap, carrier: { label: "x.example.com/y" } },
  ...{ setBy: ["a"], clearedBy: ["b"] },
});

/** Where each call of a client takes its options. */
const withOptions: Readonly<Record<string, readonly unknown[]>> = {
  get: [ConfigMap, "a"],
  find: [ConfigMap, "a"],
  list: [ConfigMap],
  listPage: [ConfigMap],
  watch: [ConfigMap],
  create: [ConfigMap, map],
  update: [ConfigMap, map],
  patch: [ConfigMap, "a", { type: "merge", body: {} }],
  apply: [ConfigMap, map],
  applyUnread: [ConfigMap, map],
  delete: [ConfigMap, "a"],
  deleteCollection: [ConfigMap],
  request: [{ method: "GET", path: "/version" }],
};
const noOptions = {
  null: null,
  "a number": 5,
  "a text": "x",
  "a list": [],
  "a misspelt one": { nme: 1 },
};

const wrong: readonly (readonly [name: string, call: () => unknown, message: RegExp])[] = [
  [
    "client.list of a misspelt selector",
    () => methods["list"]!(ConfigMap, { labelSelctor: "a" }),
    /^ERR_ARGUMENT: client\.list\(ConfigMap, …\): labelSelctor: unknown option; expected any of signal, /,
  ],
  [
    "client.get with a signal that is none",
    () => methods["get"]!(ConfigMap, "a", { signal: {} }),
    /signal is \{\}, expected an AbortSignal$/,
  ],
  [
    "client.get of a symbol",
    () => methods["get"]!(ConfigMap, Symbol("s")),
    /^ERR_CLIENT_NAME: .*got Symbol\(s\)$/,
  ],
  [
    "client.get in a namespace that is a symbol",
    () => methods["get"]!(ConfigMap, { name: "a", namespace: Symbol("s") }),
    /^ERR_ARGUMENT: naming ConfigMap 'a': an argument is Symbol\(s\), expected a namespace/,
  ],
  [
    "client.list in a namespace that is a symbol",
    () => methods["list"]!(ConfigMap, { namespace: Symbol("s") }),
    /namespace is Symbol\(s\), expected a string$/,
  ],
  [
    "client.request()",
    () => methods["request"]!(),
    /^ERR_ARGUMENT: client\.request\(…\): its first argument is nothing, expected an object$/,
  ],
  [
    "client.request without a path",
    () => methods["request"]!({ method: "GET" }),
    /^ERR_ARGUMENT: client\.request\(…\): path is nothing, expected a string$/,
  ],
  [
    "client.request of a path without a slash",
    () => methods["request"]!({ method: "GET", path: "version" }),
    /expected a path that begins with "\/"$/,
  ],
  [
    "client.request without a method",
    () => methods["request"]!({ path: "/version" }),
    /method is nothing, expected a string$/,
  ],
  [
    "client.openStream without a path",
    () => methods["openStream"]!({ method: "GET" }, { closed() {} }),
    /^ERR_ARGUMENT: client\.openStream\(…\): path is nothing/,
  ],
  [
    "client.with of a misspelt option",
    () => methods["with"]!({ namspace: "a" }),
    /^ERR_ARGUMENT: client\.with\(…\): namspace: unknown option/,
  ],
  [
    "client.observeWrites()",
    () => methods["observeWrites"]!(),
    /^ERR_ARGUMENT: client\.observeWrites\(…\): an argument is nothing, expected a function$/,
  ],
  [
    "client.kinds.byResource()",
    () => loose(client.kinds.byResource)(),
    /^ERR_ARGUMENT: kinds\.byResource\(…\): its argument is nothing, expected a string$/,
  ],
  [
    "client.kinds.byKind of a symbol",
    () => loose(client.kinds.byKind)("v1", Symbol("s")),
    /^ERR_ARGUMENT: kinds\.byKind\(…\): its second argument is Symbol\(s\)/,
  ],
  [
    "createClient with a runtime that is none",
    () => loose(createClient)({ transport, runtime: 5 }),
    /runtime is a number, expected an object$/,
  ],
  [
    "createUndiciTransport()",
    () => loose(createUndiciTransport)(),
    /^ERR_ARGUMENT: createUndiciTransport\(…\): its argument is nothing/,
  ],
  [
    "dynamicKind of names without a scope",
    () => loose(dynamicKind)({ apiVersion: "v1", kind: "A", resource: "as" }),
    /^ERR_ARGUMENT: dynamicKind\(…\): an argument is nothing, expected the scope "Namespaced" or "Cluster"$/,
  ],
  [
    "loadKubeconfig(null)",
    () => loose(loadKubeconfig)(null),
    /^ERR_ARGUMENT: loadKubeconfig\(…\): an argument is null, expected an object with path, /,
  ],
  [
    "loadKubeconfig of a path that is a number",
    () => loose(loadKubeconfig)({ path: 5 }),
    /path is 5, expected a string$/,
  ],
  [
    "k.immutable()",
    () => loose(k.immutable)(),
    /^ERR_ARGUMENT: k\.immutable\(…\): an argument is nothing, expected a schema/,
  ],
  [
    "k.atomic of a text",
    () => loose(k.atomic)("x"),
    /^ERR_ARGUMENT: k\.atomic\(…\): an argument is 'x', expected a schema/,
  ],
  ["k.set()", () => loose(k.set)(), /^ERR_ARGUMENT: k\.set\(…\): /],
  [
    "k.listMap without a key",
    () => loose(k.listMap)(z.object({})),
    /^ERR_ARGUMENT: k\.listMap\(…\): a key is nothing, expected a string$/,
  ],
  [
    "k.rule of a number",
    () => loose(k.rule)(5),
    /^ERR_ARGUMENT: k\.rule\(…\): its first argument is 5, expected a string$/,
  ],
  [
    "k.rule with a misspelt option",
    () => loose(k.rule)("true", "x", { reson: "x" }),
    /reson: unknown option/,
  ],
  [
    "a rule of no schema",
    () => loose(k.rule("true"))(null),
    /^ERR_ARGUMENT: k\.rule\(…\): an argument is null, expected a schema/,
  ],
  [
    "k.name with a misspelt option",
    () => loose(k.name)({ maxlength: 5 }),
    /maxlength: unknown option; expected any of maxLength, pattern$/,
  ],
  [
    "defineResource with a status that is no schema",
    () => defineLoose({ status: {} }),
    /^ERR_RESOURCE_SHAPE: defining A: status must be a schema such as .*, got object$/,
  ],
  [
    "defineResource with conditions that are no list",
    () => defineLoose({ conditions: { Ready: true } }),
    /^ERR_RESOURCE_SHAPE: defining A: conditions must be a list such as \["Ready"\]/,
  ],
  [
    "defineResource with columns that are null",
    () => defineLoose({ columns: null }),
    /columns must be paths by title, got null$/,
  ],
  [
    "defineResource with a column that is no path",
    () => defineLoose({ columns: { A: 1 } }),
    /column "A" must be a path, got 1$/,
  ],
  [
    "defineResource with a scope that is none",
    () => defineLoose({ scope: "Global" }),
    /scope is 'Global', expected "Namespaced" or "Cluster"$/,
  ],
  [
    "defineResource with a short name alone",
    () => defineLoose({ shortNames: "a" }),
    /shortNames is 'a', expected a list of strings$/,
  ],
  [
    "defineResource of a kind that is a symbol",
    () => defineLoose({ kind: Symbol("s") }),
    /^ERR_RESOURCE_NAME: defining a resource: kind must be .*, got Symbol\(s\)$/,
  ],
  [
    "installDefinitions with null options",
    () => loose(installDefinitions)(client, [], null),
    /^ERR_ARGUMENT: installDefinitions\(…\): an argument is null/,
  ],
  [
    "createLog(null)",
    () => loose(createLog)(null),
    /^ERR_ARGUMENT: createLog\(…\): an argument is null, expected an object with format, /,
  ],
  [
    "createLog of a level that is none",
    () => loose(createLog)({ level: "loud" }),
    /^ERR_ARGUMENT: createLog\(…\): an argument is 'loud', expected a level: debug, /,
  ],
  [
    "createPinoLog(null)",
    () => loose(createPinoLog)(null),
    /^ERR_ARGUMENT: createPinoLog\(…\): an argument is null/,
  ],
  [
    "retry.in with null options",
    () => loose(retry.in)("1s", null),
    /^ERR_ARGUMENT: retry\.in\(…\): an argument is null, expected an object with because$/,
  ],
  [
    "retry.in with a reason alone",
    () => loose(retry.in)("1s", "hot"),
    /^ERR_ARGUMENT: retry\.in\(…\): an argument is 'hot'/,
  ],
  [
    "terminal of an object",
    () => loose(terminal)({}),
    /^ERR_ARGUMENT: terminal\(…\): its first argument is \{\}, expected a string$/,
  ],
  [
    "retryOnConflict with null options",
    () => loose(retryOnConflict)(() => {}, null),
    /^ERR_ARGUMENT: retryOnConflict\(…\): an argument is null/,
  ],
  [
    "retryOnConflict without a number of attempts",
    () => loose(retryOnConflict)(() => {}, { backoff: {} }),
    /backoff: steps is nothing, expected a number$/,
  ],
  [
    "and() of what is no predicate",
    () => loose(and)(generationChanged, 5),
    /^ERR_ARGUMENT: and\(…\): a predicate is 5, expected a function$/,
  ],
  ["not()", () => loose(not)(), /^ERR_ARGUMENT: not\(…\): a predicate is nothing/],
  [
    "a predicate of one revision",
    () => loose(labelsChanged)({ metadataText: () => "" }),
    /^ERR_ARGUMENT: a predicate: an argument is nothing, expected the two revisions/,
  ],
  [
    "signal.isSet()",
    () => loose(signal.isSet)(),
    /^ERR_ARGUMENT: a signal \(label x\.example\.com\/y\): an argument is nothing, expected an object$/,
  ],
  [
    "signal.set without the context",
    () => loose(signal.set)(map),
    /^ERR_ARGUMENT: writing the signal s .*expected the context of a reconcile$/,
  ],
  [
    "signal.clear without the context",
    () => loose(signal.clear)(map, map),
    /expected the context of a reconcile$/,
  ],
  [
    "a phase machine without the context",
    () => loose(phaseMachine({ initial: "A", phases: { A: finalPhase } }))(),
    /^ERR_ARGUMENT: running a phase machine: an argument is nothing/,
  ],
  [
    "rollBack without a restore",
    () => loose(rollBack)({ object: map }, { all: [] }, { kind: Box, to: 1 }),
    /^ERR_ARGUMENT: rollBack\(…\): restore is nothing, expected a function$/,
  ],
  [
    "createCache()",
    () => loose(createCache)(),
    /^ERR_ARGUMENT: createCache\(…\): its argument is nothing/,
  ],
  [
    "createCache without a runtime",
    () => loose(createCache)({ client }),
    /^ERR_ARGUMENT: createCache\(…\): runtime is nothing, expected a runtime$/,
  ],
  [
    "createWorkQueue({})",
    () => loose(createWorkQueue)({}),
    /^ERR_ARGUMENT: createWorkQueue\(…\): runtime is nothing/,
  ],
  [
    "createEventRecorder({})",
    () => loose(createEventRecorder)({}),
    /^ERR_ARGUMENT: createEventRecorder\(…\): client is nothing/,
  ],
  [
    "objectReference()",
    () => loose(objectReference)(),
    /^ERR_ARGUMENT: objectReference\(…\): the kind is nothing/,
  ],
  [
    "keyOf()",
    () => loose(keyOf)(),
    /^ERR_ARGUMENT: keyOf\(…\): an argument is nothing, expected an object with metadata$/,
  ],
  ["parseObjectKey()", () => loose(parseObjectKey)(), /^ERR_ARGUMENT: parseObjectKey\(…\): /],
  ["toOwnerReference()", () => loose(toOwnerReference)(), /^ERR_ARGUMENT: referring to an owner: /],
  [
    "findStatusCondition of a status",
    () => loose(findStatusCondition)({}, "Ready"),
    /^ERR_ARGUMENT: findStatusCondition\(…\): its first argument is \{\}, expected a list$/,
  ],
];

function defineLoose(options: object): unknown {
  const names = { group: "a.example.com", version: "v1", kind: "A", spec: z.object({}) };
  return loose(defineResource)({ ...names, ...options });
}

async function named(call: () => unknown, message: RegExp): Promise<void> {
  await assert.rejects(
    async () => call(),
    (error: Error) => {
      assert.ok(isHomeostatError(error), String(error));
      assert.match(error.message, message);
      return true;
    },
  );
}

describe("what a call cannot use is named", () => {
  for (const [name, call, message] of wrong) it(name, () => named(call, message));

  for (const [method, given] of Object.entries(withOptions))
    it(`client.${method} with options that are none`, async () => {
      for (const options of Object.values(noOptions))
        await named(() => methods[method]!(...given, options), /^ERR_ARGUMENT: client\.\w+\(/);
    });

  it("and a log takes any message and fields", async () => {
    for (const format of ["text", "json"] as const) {
      const lines: string[] = [];
      const log = await createLog({ format, write: (line) => void lines.push(line) });
      loose(log.info)(Symbol("s"), null);
      assert.equal(lines.length, 1);
    }
  });

  it("and an Event without a text is dropped and warned of", () => {
    const warnings: string[] = [];
    const recorder = createEventRecorder({
      ...{ client, runtime: createSystemRuntime(), controller: "a" },
      warn: (message) => void warnings.push(message),
    });
    const regarding = { kind: "Box", name: "a" };
    loose(recorder.record)({ regarding, type: "Normal", reason: Object.create(null), note: "x" });
    loose(recorder.record)(undefined);
    assert.match(
      warnings[0]!,
      /^ERR_EVENT_TEXT: recording an Event on Box a: reason and note are /,
    );
    assert.match(warnings[1]!, /^ERR_EVENT_TYPE: /);
  });
});

/** Of a context. */
const ofContext: readonly (readonly [name: string, call: Call, message: RegExp])[] = [
  [
    "own with null options",
    ({ own }) => own(ConfigMap, [], null),
    /^ERR_ARGUMENT: own\(ConfigMap, …\): an argument is null, expected an object with set, /,
  ],
  [
    "own with a misspelt option",
    ({ own }) => own(ConfigMap, [], { odrer: 1 }),
    /odrer: unknown option; expected any of set, adopt, order, ready$/,
  ],
  [
    "own with a set that is a symbol",
    ({ own }) => own(ConfigMap, [], { set: Symbol("s") }),
    /set is Symbol\(s\), expected a string$/,
  ],
  [
    "own of an object named by a symbol",
    ({ own }) => own(ConfigMap, [{ metadata: { name: Symbol("s") } }]),
    /^ERR_OWN_ARGUMENT: .*named Symbol\(s\), expected a name$/,
  ],
  [
    "own of an object in a namespace that is none",
    ({ own }) => own(ConfigMap, [{ metadata: { name: "a", namespace: 5 } }]),
    /the namespace of a is 5, expected a name$/,
  ],
  [
    "step with null options",
    ({ step }) => step("s", async () => 1, null),
    /^ERR_ARGUMENT: step\("s", …\): an argument is null/,
  ],
  [
    "step without a function",
    ({ step }) => step("s"),
    /^ERR_ARGUMENT: step\("s", …\): its second argument is nothing, expected a function$/,
  ],
  [
    "step of a symbol",
    ({ step }) => step(Symbol("s"), async () => 1),
    /^ERR_ARGUMENT: step\(…\): its name is Symbol\(s\), expected a string$/,
  ],
  [
    "cache.list with null options",
    ({ cache }) => cache.list(ConfigMap, null),
    /^ERR_WATCH_SELECTION: cache\.list\(ConfigMap\): the second argument is null, expected a selection$/,
  ],
  [
    "cache.list of a misspelt selection",
    ({ cache }) => cache.list(ConfigMap, { label: "a" }),
    /^ERR_WATCH_SELECTION: cache\.list\(ConfigMap\): label: unknown option/,
  ],
  [
    "cache.list in a namespace that is none",
    ({ cache }) => cache.list(ConfigMap, { namespace: 5 }),
    /namespace is 5, expected a string$/,
  ],
  [
    "cache.list by a number",
    ({ cache }) => cache.list(ConfigMap, { fields: { "data.a": 5 } }),
    /^ERR_WATCH_SELECTION: selecting objects: data\.a of fields is 5, expected a string$/,
  ],
  [
    "cache.get of a symbol",
    ({ cache }) => cache.get(ConfigMap, Symbol("s")),
    /^ERR_CLIENT_NAME: cache\.get\(ConfigMap\): .*got Symbol\(s\)$/,
  ],
  [
    "cache.byIndex of a symbol",
    ({ cache }) => cache.byIndex(Symbol("s"), "x"),
    /^ERR_ARGUMENT: cache\.byIndex\(…\): /,
  ],
  [
    "watch with a list",
    ({ watch }) => watch(ConfigMap, []),
    /^ERR_WATCH_SELECTION: watch\(ConfigMap\): the second argument is \[\], /,
  ],
  [
    "status that is not awaited",
    ({ status }) => status(Promise.resolve({})),
    /^ERR_ARGUMENT: status\(…\): an argument is a promise/,
  ],
  [
    "condition with a status that is a boolean",
    ({ condition }) => condition("Ready", true, "Yes"),
    /^ERR_ARGUMENT: condition\("Ready", …\): an argument is true, expected the status "True", /,
  ],
  [
    "condition without a reason",
    ({ condition }) => condition("Ready", "True"),
    /^ERR_ARGUMENT: condition\("Ready", …\): its reason is nothing, expected a string$/,
  ],
  [
    "condition with a message that is an error",
    ({ condition }) => condition("Ready", "True", "Yes", new Error("x")),
    /its message is Error: x/,
  ],
  [
    "condition of a symbol",
    ({ condition }) => condition(Symbol("s"), "True", "Yes"),
    /^ERR_ARGUMENT: condition\(…\): its type is Symbol\(s\)/,
  ],
  [
    "wait.for()",
    ({ wait }) => wait.for(),
    /^ERR_ARGUMENT: wait\.for\(…\): its argument is nothing, expected a string$/,
  ],
  [
    "wait.forRef of a name that is not declared",
    ({ wait }) => wait.forRef("frend"),
    /^ERR_UNDECLARED: "box" waits for the reference "frend", which it does not declare; it has friend$/,
  ],
  [
    "client.list with null options",
    (context) => context.client.list(ConfigMap, null),
    /^ERR_ARGUMENT: client\.list\(ConfigMap\): an argument is null/,
  ],
  [
    "client.list of a misspelt selector",
    (context) => context.client.list(ConfigMap, { labelSelctor: "a" }),
    /labelSelctor: unknown option/,
  ],
  [
    "client.apply with null options",
    (context) => context.client.apply(ConfigMap, map, null),
    /^ERR_ARGUMENT: client\.apply\(ConfigMap\): an argument is null/,
  ],
  [
    "client.patch with null options",
    (context) => context.client.patch(ConfigMap, "a", {}, null),
    /^ERR_ARGUMENT: client\.patch\(ConfigMap a\): an argument is null/,
  ],
  [
    "client.patch of a list",
    (context) => context.client.patch(ConfigMap, "a", []),
    /^ERR_CLIENT_REQUEST: client\.patch\(ConfigMap\): expected the fields to change, got \[\]$/,
  ],
  [
    "client.delete with null options",
    (context) => context.client.delete(ConfigMap, "a", null),
    /^ERR_ARGUMENT: client\.delete\(ConfigMap a\): an argument is null/,
  ],
  [
    "client.get of a symbol",
    (context) => context.client.get(ConfigMap, { name: Symbol("s") }),
    /^ERR_CLIENT_NAME: /,
  ],
  [
    "client.delete of a symbol",
    (context) => context.client.delete(ConfigMap, { name: Symbol("s") }),
    /^ERR_CLIENT_NAME: /,
  ],
  [
    "client.kinds.byKind of a symbol",
    (context) => context.client.kinds.byKind(Symbol("s"), "A"),
    /^ERR_ARGUMENT: kinds\.byKind\(…\): /,
  ],
  [
    "keepRevisions with null options",
    (context) => loose(keepRevisions)(context, {}, null),
    /^ERR_ARGUMENT: keepRevisions\(…\): an argument is null, expected an object with limit, /,
  ],
  [
    "keepRevisions without data",
    (context) => loose(keepRevisions)(context),
    /^ERR_ARGUMENT: keepRevisions\(…\): an argument is nothing, expected data/,
  ],
];

describeLaws("wrong options", ({ run }) => {
  const outcomes = new Map<string, unknown>();
  before(async () => {
    const ended = Promise.withResolvers<void>();
    const controller = defineController(Box, {
      owns: [ConfigMap, ControllerRevision],
      refs: { friend: ref(ConfigMap, (box) => box.spec.friend) },
      async reconcile(context) {
        for (const [name, call] of ofContext)
          await (async () => call(context))().catch((error) => outcomes.set(name, error));
        ended.resolve();
      },
    });
    await run([controller], async (opened) => {
      await opened.create(Box, Box("a", {}));
      await ended.promise;
    });
  });

  for (const [name, , message] of ofContext)
    it(name, () =>
      named(() => {
        throw outcomes.get(name) ?? new Error("nothing was refused");
      }, message),
    );
});
