// What one run makes only where it is needed, and what its guard knows of other objects.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kind } from "../api/kind.ts";
import { isHomeostatError } from "../util/homeostat-error.ts";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import { defineController, definitionOf } from "./define-controller.ts";
import { OwnMemory } from "./own/own-memory.ts";
import type { ReconcileDependencies } from "./reconcile-dependencies.ts";
import { RunScope } from "./run/run-scope.ts";
import { Run } from "./run.ts";
import { defineSignal } from "./signals/define-signal.ts";
import type { Signal } from "./signals/signal.ts";

const kind = (name: string): Kind =>
  ({
    apiVersion: "example.com/v1",
    kind: name,
    resource: name.toLowerCase(),
    scope: "Namespaced",
  }) as Kind;
const [Box, Part] = [kind("Box"), kind("Part")];

function arrange(declared: object, given: Partial<ReconcileDependencies> = {}): Run {
  const definition = definitionOf(defineController(Box, { reconcile() {}, ...declared } as never));
  const dependencies = {
    definition,
    runtime: createVirtualRuntime(),
    names: { manager: "laws/box", finalizers: [] },
    ownMemory: new OwnMemory(),
    signals: [],
    observesMetadata: false,
    breaches: { add() {} },
    dynamicWatches: { has: () => false },
    informer: () => undefined,
    ...given,
  } as unknown as ReconcileDependencies;
  const scope = new RunScope({
    title: "Box n/a",
    deadline: new AbortController().signal,
    late() {},
  });
  const metadata = { name: "a", namespace: "n", uid: "u", resourceVersion: "1" };
  const object = { apiVersion: "example.com/v1", kind: "Box", metadata } as never;
  return new Run(dependencies, object, { client: {} } as never, scope);
}

test("a run owns without a call where its controller declares kinds, and only there", async () => {
  const ownMemory = new OwnMemory();
  ownMemory.called(Part, "laws/box");
  assert.equal(arrange({}, { ownMemory }).owning, undefined);
  assert.equal(ownMemory.mayMove(Part), true, "no run has completed");
  const run = arrange({ owns: [Part] }, { ownMemory });
  assert.equal(run.owning, run.ownings(), "one for the whole run");
  await run.owning!.finish();
  assert.equal(ownMemory.mayMove(Part), false, "a run without a call completes as others do");
  const late = arrange({});
  const owning = late.ownings();
  assert.equal(late.owning, owning, "for the children in other namespaces");
});

test("the signals of an object are known also where it does not match its definition", async () => {
  const carrier = { annotation: "example.com/full" };
  const by = { setBy: ["filler"], clearedBy: ["filler"] };
  const full = defineSignal({ name: "full", on: Part, carrier, ...by }) as unknown as Signal;
  const wanted = { metadata: { name: "p", annotations: { [carrier.annotation]: "x" } } } as never;
  const owns = async (held: object | undefined): Promise<unknown> => {
    const unchecked = { get: () => held };
    const informer = (() => ({ unchecked, get: () => undefined })) as never;
    const run = arrange({ owns: [Part] }, { signals: [full], informer });
    return run.own(Part, [wanted]).catch((error: unknown) => error);
  };
  const isRefused = (error: unknown): boolean => isHomeostatError(error, "ERR_SIGNAL_WRITER");
  assert.ok(isRefused(await owns(undefined)));
  assert.ok(isRefused(await owns({ metadata: { name: "p" } })));
  const error = await owns(wanted);
  assert.ok(!isRefused(error), "it changes nothing");
});
