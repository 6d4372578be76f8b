// Calls that have forgotten an argument, misspelt an option, or not awaited what they pass: each is
// an error with a code that says what was attempted, what was expected and what came.
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import {
  all,
  createManager,
  defineController,
  defineResource,
  defineScope,
  defineSignal,
  fieldsOf,
  finalPhase,
  HomeostatError,
  installDefinitions,
  isReady,
  keepRevisions,
  metadataOf,
  owned,
  phase,
  phaseMachine,
  phaseStatus,
  refs,
  retryOnConflict,
  rollBack,
  runMain,
  toCustomResourceDefinition,
} from "homeostat";
import { createClient, loadKubeconfig } from "homeostat/client";
import { ConfigMap, Pod } from "homeostat/k8s/core/v1";
import * as z from "zod";
import { recordLog } from "../fixtures/hear-manager.ts";
import { Box, describeLaws, lawsApi } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

type Call = (...given: readonly any[]) => unknown;
const given = <T>(value: T) => value as unknown as Call;
const client = createClient({ transport: { send: () => ({}) as never, close: async () => {} } });
const Staged = defineResource({
  ...lawsApi,
  kind: "Staged",
  spec: z.object({}),
  status: z.object({ machine: phaseStatus("A") }),
});
const idleManager = () =>
  createManager({
    operator: "op",
    client,
    controllers: [defineController(Box, { reconcile() {} })],
  });
const observe = () => 1;
const decide = () => ({ does: "wait", what: "x" });

const wrong: readonly (readonly [name: string, call: () => unknown, message: RegExp])[] = [
  [
    "defineController(kind)",
    () => given(defineController)(ConfigMap),
    /^ERR_CONTROLLER_DEFINITION: defining a controller of ConfigMap: its second argument is nothing, expected \{ reconcile \}/,
  ],
  [
    "defineController(kind, null)",
    () => given(defineController)(ConfigMap, null),
    /its second argument is null/,
  ],
  [
    "defineController with a misspelt option",
    () => given(defineController)(ConfigMap, { reconcile() {}, concurency: 2 }),
    /ConfigMap: concurency: unknown option; expected any of name, concurrency, /,
  ],
  [
    "defineScope(kind)",
    () => given(defineScope)(ConfigMap),
    /^ERR_CONTROLLER_DEFINITION: defining a scope of ConfigMap: its second argument is nothing/,
  ],
  [
    "defineScope with a misspelt option",
    () => given(defineScope)(ConfigMap, { own: [] }),
    /own: unknown option; expected any of owns, refs, watches, indexes$/,
  ],
  [
    "defineScope()",
    () => given(defineScope)(undefined, {}),
    /a scope of undefined: its first argument is not a kind$/,
  ],
  [
    "defineScope() with a kind that is none, and a scope that is none",
    () => given(defineScope)({}),
    /a scope of \{\}: its first argument is not a kind; its second argument is nothing, expected \{ owns, /,
  ],
  [
    "metadataOf()",
    () => given(metadataOf)(),
    /^ERR_KIND_ARGUMENT: taking the metadata of a kind: its first argument is nothing, expected a kind$/,
  ],
  [
    "metadataOf of a kind that is not awaited",
    () => given(metadataOf)(Promise.resolve(ConfigMap)),
    /metadata of a kind: its first argument is a promise, which is not awaited, expected a kind$/,
  ],
  [
    "fieldsOf(undefined, path)",
    () => given(fieldsOf)(undefined, "spec.x"),
    /^ERR_KIND_ARGUMENT: taking fields of a kind: its first argument is nothing, expected a kind$/,
  ],
  [
    "owned()",
    () => given(owned)(),
    /^ERR_CONTROLLER_DEFINITION: declaring an owned kind: owned\(…\) was given undefined, /,
  ],
  [
    "owned(kind)",
    () => given(owned)(ConfigMap),
    /^ERR_CONTROLLER_DEFINITION: declaring the owned kind ConfigMap: its second argument is nothing, expected \{ when \}$/,
  ],
  [
    "runMain()",
    () => given(runMain)(),
    /^ERR_MAIN_ARGUMENT: running a main function: its argument is nothing, expected a function$/,
  ],
  [
    "runMain of a function that runs already",
    () => given(runMain)(Promise.resolve()),
    /a main function: its argument is a promise, which is not awaited, expected a function$/,
  ],
  [
    "defineSignal()",
    () => given(defineSignal)(),
    /^ERR_SIGNAL_DEFINITION: defining a signal: its options are nothing, expected an object; name: expected /,
  ],
  [
    "defineSignal with a misspelt option",
    () =>
      given(defineSignal)({
        ...{ name: "a", on: ConfigMap, carrier: { label: "x" }, setBy: ["a"], clearedBy: ["b"] },
        withn: "1m",
      }),
    /^ERR_SIGNAL_DEFINITION: defining the signal "a": withn: unknown option; expected any of name, /,
  ],
  [
    "defineResource()",
    () => given(defineResource)(),
    /^ERR_RESOURCE_SHAPE: defining a resource: its options are nothing, expected \{ group, /,
  ],
  [
    "defineResource with a misspelt option",
    () =>
      given(defineResource)({
        ...{ group: "a.b", version: "v1", kind: "Foo", spec: z.object({}) },
        shortName: "f",
      }),
    /^ERR_RESOURCE_SHAPE: defining Foo: shortName: unknown option; expected any of group, /,
  ],
  [
    "createManager()",
    () => given(createManager)(),
    /^ERR_MANAGER_OPTIONS: creating a manager: its options are nothing, expected \{ operator, /,
  ],
  [
    "createManager with a resource for a controller",
    () => given(createManager)({ operator: "op", client, controllers: [Box] }),
    /controllers\[0\] is the kind Box, expected what defineController returns$/,
  ],
  [
    "createManager with a promise for a controller",
    () => given(createManager)({ operator: "op", client, controllers: [Promise.resolve()] }),
    /controllers\[0\] is a promise, /,
  ],
  [
    "createManager with a label selector that cannot be read",
    () =>
      createManager({
        ...{ operator: "op", client, namespaces: { labels: "a in (" } },
        controllers: [defineController(ConfigMap, { reconcile() {} })],
      }),
    /^ERR_MANAGER_NAMESPACES: choosing what to watch: namespaces with labels 'a in \(': unable to parse/,
  ],
  [
    "phase()",
    () => given(phase)(),
    /^ERR_PHASE_DEFINITION: defining a phase: its options are nothing, expected an object; observe is undefined, expected a function; decide is undefined, /,
  ],
  [
    "phase with wrong options",
    () => given(phase)({ observe, decide, act: 1, undo: 2, retry: 3, retries: -1, deadline: "x" }),
    /: retry: unknown option; .*act is 1, expected a function; undo is 2, .*deadline is 'x', expected a duration above 0 .*retries is -1, expected a whole number from 0$/,
  ],
  [
    "phaseMachine()",
    () => given(phaseMachine)(),
    /^ERR_PHASE_DEFINITION: defining a phase machine: its options are nothing, .*phases is nothing, expected phases by name$/,
  ],
  [
    "phaseMachine with wrong options",
    () =>
      given(phaseMachine)({
        ...{ initial: "A", phases: { A: finalPhase, B: { observe, decide } } },
        ...{ pausd: true, paused: 1, key: "x", field: "" },
      }),
    /machine: pausd: unknown option; .*phases\.B is \{.*\}, expected what phase\(…\) returns, or finalPhase; field is '', .*paused is 1, expected a function; key is 'x', expected a function$/,
  ],
  [
    "createClient()",
    () => given(createClient)(),
    /^ERR_CLIENT_OPTIONS: creating a client: expected `access` or `transport`: its options are nothing$/,
  ],
  [
    "createClient({})",
    () => createClient({}),
    /creating a client: expected `access` or `transport`$/,
  ],
  [
    "createClient with an access that is not awaited",
    () => given(createClient)({ access: loadKubeconfig({ text: "{}" }).catch(() => {}) }),
    /access is a promise, which is not awaited, expected what loadKubeconfig resolves to$/,
  ],
  [
    "createClient with options that are not awaited",
    () => given(createClient)(Promise.resolve({})),
    /its options are a promise, which is not awaited/,
  ],
  [
    "createClient with wrong options",
    () =>
      given(createClient)({
        ...{ transport: {}, access: { server: "https://x", token: "secret" } },
        ...{ fieldManger: "x", namespace: 5 },
      }),
    /client: fieldManger: unknown option; .*namespace is a number, expected a string; access is an object with server, token, expected .*; transport is an empty object, expected an object with a method send$/,
  ],
  [
    "installDefinitions(client)",
    () => given(installDefinitions)(client),
    /^ERR_DEFINITION_ARGUMENTS: installing definitions: the definitions are nothing, expected a list such as \[Order\]$/,
  ],
  [
    "installDefinitions with one resource",
    () => given(installDefinitions)(client, Box),
    /the definitions are the resource Box alone, expected a list/,
  ],
  [
    "installDefinitions with a built-in kind",
    () => given(installDefinitions)(client, [Box, ConfigMap]),
    /definition 1 is the kind ConfigMap, expected what defineResource returns$/,
  ],
  [
    "installDefinitions with a client that is not awaited",
    () => given(installDefinitions)(Promise.resolve(client), []),
    /the client is a promise, which is not awaited, expected what createClient returns$/,
  ],
  [
    "installDefinitions with neither",
    () => given(installDefinitions)({}, [{}]),
    /^ERR_DEFINITION_ARGUMENTS: installing definitions: the client is another object, expected what createClient returns; definition 0 is another object, expected what defineResource returns$/,
  ],
  [
    "toCustomResourceDefinition of a built-in kind",
    () => given(toCustomResourceDefinition)(ConfigMap),
    /^ERR_DEFINITION_ARGUMENTS: building a CustomResourceDefinition of the kind ConfigMap: expected what defineResource returns$/,
  ],
  [
    "toCustomResourceDefinition()",
    () => given(toCustomResourceDefinition)(),
    /of nothing: expected what defineResource returns$/,
  ],
  [
    "all() with a label selector that cannot be read",
    () => all(Pod, { labels: "a in (" }),
    /^ERR_WATCH_SELECTION: selecting Pod by \{ labels: 'a in \(' \}: unable to parse requirement: /,
  ],
  [
    "loadKubeconfig of a text that is no YAML",
    () => loadKubeconfig({ text: "{" }),
    /^ERR_KUBECONFIG_SYNTAX: reading the given text: expected YAML/,
  ],
  [
    "loadKubeconfig of a text without the context",
    () => loadKubeconfig({ text: "kind: Config", context: "x" }),
    /^ERR_KUBECONFIG_NO_CONTEXT: reading the given text: context "x" does not exist/,
  ],
  [
    "client.create() without a kind, and without an object",
    () => given(client.create.bind(client))(undefined, {}),
    /^ERR_KIND_ARGUMENT: calling a client: its first argument is nothing, expected a kind$/,
  ],
  [
    "client.update(kind)",
    () => given(client.update.bind(client))(ConfigMap),
    /^ERR_ARGUMENT: writing a ConfigMap: an argument is nothing, expected an object with metadata$/,
  ],
  [
    "client.patch(kind, name)",
    () => given(client.patch.bind(client))(ConfigMap, { namespace: "n", name: "a" }),
    /^ERR_CLIENT_REQUEST: PATCH .*: expected a patch of type merge, strategic or json, got undefined$/,
  ],
  [
    "client.get of a name that is a number",
    () => given(client.get.bind(client))(ConfigMap, { namespace: "n", name: 5 }),
    /^ERR_CLIENT_NAME: .*expected the name of one object without "\/" or "%", got 5$/,
  ],
  [
    "retryOnConflict of a promise",
    () => given(retryOnConflict)(Promise.resolve()),
    /^ERR_ARGUMENT: retryOnConflict\(…\): an argument is a promise, which is not awaited, expected a function/,
  ],
  [
    "isReady of an object that is not awaited",
    () => given(isReady)(Pod, Promise.resolve()),
    /^ERR_ARGUMENT: isReady\(Pod, …\): an argument is a promise, which is not awaited, expected an object/,
  ],
  [
    "isReady()",
    () => given(isReady)(),
    /^ERR_KIND_ARGUMENT: isReady\(…\): its first argument is nothing, expected a kind$/,
  ],
  [
    "keepRevisions()",
    () => given(keepRevisions)(),
    /^ERR_ARGUMENT: keepRevisions\(…\): an argument is nothing, expected the context of a reconcile$/,
  ],
  [
    "rollBack of revisions that are not awaited",
    () => given(rollBack)({}, Promise.resolve(), {}),
    /^ERR_ARGUMENT: rollBack\(…\): an argument is a promise, .*expected what keepRevisions resolves to$/,
  ],
  [
    "rollBack without options",
    () => given(rollBack)({}, { all: [] }),
    /^ERR_ARGUMENT: rollBack\(…\): an argument is nothing, expected \{ kind, to, restore \}$/,
  ],
  [
    "client.openStream() without handlers",
    () => given(client.openStream.bind(client))({ method: "GET", path: "/x" }),
    /^ERR_ARGUMENT: client\.openStream\(…\): an argument is nothing, expected handlers/,
  ],
  [
    "client.with()",
    () => given(client.with.bind(client))(),
    /^ERR_ARGUMENT: client\.with\(…\): an argument is nothing, expected an object with options$/,
  ],
  [
    "all(kind) with labels that are null",
    () => given(all)(ConfigMap, { labels: null }),
    /labels is null/,
  ],
  [
    "manager.pause(kind)",
    () => given(idleManager().pause)(ConfigMap),
    /^ERR_ARGUMENT: naming a ConfigMap to a manager: an argument is nothing, expected "namespace\/name"$/,
  ],
  [
    "manager.explain()",
    () => given(idleManager().explain)(),
    /^ERR_KIND_ARGUMENT: naming an object to a manager: its first argument is nothing, expected a kind$/,
  ],
];

describe("what a call lacks is named", () => {
  for (const [name, call, message] of wrong)
    it(name, async () => {
      await assert.rejects(
        async () => call(),
        (error) => {
          assert.ok(error instanceof HomeostatError, String(error));
          assert.match(error.message.split("\n")[0]!, message);
          assert.ok(error.hint);
          return true;
        },
      );
    });

  it("and fields of a class are no options", () => {
    class Counter {
      count = 0;
      reconcile(): void {
        this.count++;
      }
    }
    assert.equal(defineController(ConfigMap, new Counter()).name, "configmap");
  });
});

describeLaws("wrong arguments", ({ client: open }) => {
  before(async () => installDefinitions(await open(), [Staged]));

  it("of functions that run later are named in the log", async () => {
    const opened = await open();
    const { lines, log } = recordLog();
    const machine = phaseMachine({
      initial: "A",
      phases: { A: phase({ observe, decide: given(() => {}) as never }) as never },
    });
    const late = phaseMachine({
      initial: "A",
      phases: { A: phase({ observe, decide: given(async () => decide()) as never }) as never },
    });
    const controllers = [
      defineController(Staged, { name: "none", reconcile: (context) => machine(context as never) }),
      defineController(Staged, { name: "late", reconcile: (context) => late(context as never) }),
      defineController(Box, {
        name: "source",
        reconcile() {},
        sources: { five: given(() => 5) as never, text: given(() => "a/b") as never },
      }),
      defineController(Box, {
        name: "refs",
        refs: { pods: refs(Pod, () => ({ labels: "a in (" })) },
        reconcile() {},
      }),
    ];
    const { namespace } = opened;
    const manager = createManager({
      operator: "wrong",
      controllers,
      client: opened,
      log,
      namespace,
    });
    await manager.start();
    try {
      await opened.create(Box, Box("b", {}));
      await opened.create(Staged, Staged("s", {}));
      for (const message of [
        /ERR_PHASE_DECISION: decide of phase A returned undefined, expected one of go, act, /,
        /ERR_ASYNC_FUNCTION: decide of phase A returned a promise/,
        /external source five failed.*ERR_SOURCE_ITERABLE: external source five returned 5, expected an async iterable/,
        /external source text failed.*returned 'a\/b', expected an async iterable/,
        /ERR_WATCH_SELECTION: selecting Pod by \{ labels: 'a in \(' \}: unable to parse/,
      ])
        await until(() => lines.some((line) => message.test(line)));
    } finally {
      await manager.stop();
    }
  });
});
