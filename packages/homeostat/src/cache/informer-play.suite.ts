// A cache on a scripted server, for tests: no sockets, virtual time.
import { dynamicKind } from "../client/discovery/kind-resolver.ts";
import { createClient } from "../client/create-client.ts";
import type { Client } from "../client/client.ts";
import {
  createScriptedTransport,
  type ScriptedTransport,
} from "../client/scripted-transport.suite.ts";
import { createVirtualRuntime, type VirtualRuntime } from "../runtime/virtual-runtime.ts";
import { type CacheOptions, createCache } from "./create-cache.ts";
import type { Cache, Informer, InformerScope } from "./informer.ts";

export const Meal = dynamicKind({
  apiVersion: "kitchen.example.com/v1",
  kind: "Meal",
  resource: "meals",
  scope: "Namespaced",
});

/** A cache of meals on a scripted server. */
export interface Play {
  readonly runtime: VirtualRuntime;
  readonly transport: ScriptedTransport;
  readonly client: Client;
  readonly cache: Cache;
  readonly informer: Informer<typeof Meal>;
  /** What handlers were told. */
  readonly told: string[];
  readonly faults: unknown[];
}

export async function play(
  options: Partial<CacheOptions> = {},
  scope: InformerScope = {},
): Promise<Play> {
  const runtime = createVirtualRuntime();
  const transport = createScriptedTransport();
  const client = createClient({ transport, runtime, namespace: "home" });
  const faults: unknown[] = [];
  const cache = createCache({
    client,
    runtime,
    frozen: true,
    onError: (error) => faults.push(error),
    ...options,
  });
  const { informer } = cache.acquire(Meal, scope);
  const told: string[] = [];
  informer.addHandler({
    added: ({ key, resourceVersion }, { through, ownWrite }) =>
      told.push(`added ${key} ${resourceVersion} ${through}${ownWrite ? " own" : ""}`),
    updated: (old, { key, resourceVersion }, { through, ownWrite }) =>
      told.push(
        `updated ${key} ${old.resourceVersion}-${resourceVersion} ${through}${ownWrite ? " own" : ""}`,
      ),
    deleted: ({ key, resourceVersion }, { through, ownWrite }) =>
      told.push(`deleted ${key} ${resourceVersion} ${through}${ownWrite ? " own" : ""}`),
  });
  cache.start();
  await runtime.advance(0);
  return { runtime, transport, client, cache, informer, told, faults };
}

export const meal = (name: string, resourceVersion: string, rest: object = {}): any => ({
  apiVersion: "kitchen.example.com/v1",
  kind: "Meal",
  metadata: { name, namespace: "home", uid: `uid-${name}`, resourceVersion, ...rest },
  spec: { dish: name },
});
export const event = (type: string, object: unknown): object => ({ type, object });
export const bookmark = (resourceVersion: string, end = false): object =>
  event("BOOKMARK", {
    apiVersion: "kitchen.example.com/v1",
    kind: "Meal",
    metadata: {
      resourceVersion,
      creationTimestamp: null,
      ...(end ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}),
    },
  });
export const home = (name: string): { readonly namespace: string; readonly name: string } => ({
  namespace: "home",
  name,
});

/** With soup at revision 3 and stew at 4, listed at 5, and an open watch. */
export async function playSynced(
  options?: Partial<CacheOptions>,
  scope?: InformerScope,
): Promise<Play> {
  const playing = await play(options, scope);
  playing.transport.last
    .head()
    .lines(
      event("ADDED", meal("soup", "3")),
      event("ADDED", meal("stew", "4")),
      bookmark("5", true),
    );
  await playing.runtime.advance(0);
  playing.told.length = 0;
  return playing;
}
