// A set of one own() call on a stub of cache and server, for tests.
import type { Kind } from "../../api/kind.ts";
import { formatObjectKey } from "../../api/gvk.ts";
import type { KubeObject, ObjectKey } from "../../api/object-meta.ts";
import { ApiStatusError } from "../../api/status.ts";
import { backReferenceIndex, labelledUid } from "./back-reference.ts";
import type { InformerScope } from "../../cache/informer.ts";
import type { NamespaceScope } from "../watching/namespace-scope.ts";
import { OwnMemory } from "./own-memory.ts";
import type { OwnedSet } from "./owned-set.ts";

export const Box = { apiVersion: "x/v1", kind: "Box", scope: "Namespaced" } as Kind;
export const Part = {
  apiVersion: "x/v1",
  kind: "Part",
  resource: "parts",
  scope: "Namespaced",
} as Kind;
export const manager = "op/box";
export const owner = {
  apiVersion: "x/v1",
  kind: "Box",
  metadata: { name: "b", namespace: "n", uid: "owner" },
} as KubeObject;

const fieldsV1 = { "f:spec": { "f:of": {} } };

/** What {@link partOf} makes of a Part. */
export interface PartOptions {
  /** The uid of the controlling owner. */
  readonly controller?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The managers that have applied `spec.of`. */
  readonly applied?: readonly string[];
  readonly of?: string;
  readonly isDeleted?: boolean;
  readonly namespace?: string;
}

/** A Part as a server has it; our own by default. */
export function partOf(name: string, options: PartOptions = {}): KubeObject {
  const { controller, labels, annotations, applied = [manager], of = "", isDeleted } = options;
  const reference = { apiVersion: "x/v1", kind: "Box", name: controller, uid: controller };
  return {
    apiVersion: "x/v1",
    kind: "Part",
    metadata: {
      name,
      namespace: options.namespace ?? "n",
      uid: `uid-${name}`,
      ...(controller ? { ownerReferences: [{ ...reference, controller: true }] } : {}),
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ...(isDeleted ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
      managedFields: applied.map((one) => ({ manager: one, operation: "Apply", fieldsV1 })),
    },
    spec: { of },
  } as unknown as KubeObject;
}

export const mine = (name: string, options: PartOptions = {}): KubeObject =>
  partOf(name, { controller: "owner", ...options });

export const refused = (code: number, reason: string): ApiStatusError =>
  new ApiStatusError({ kind: "Status", apiVersion: "v1", code, reason } as never);

/**
 * A set over `cached` objects; the server refuses a request for which `refuse` returns an error.
 */
export function arrangeSet(
  cached: readonly KubeObject[] = [],
  {
    refuse = () => undefined,
    live = cached,
    scope = {},
    extent = "all",
    mismatched = [],
    ...more
  }: Partial<OwnedSet> & {
    readonly refuse?: (request: string) => Error | undefined;
    readonly live?: readonly KubeObject[];
    /** What the informer selects. */
    readonly scope?: InformerScope;
    /** The watched namespaces. */
    readonly extent?: NamespaceScope["extent"];
    /** Keys of cached objects that do not match their definition. */
    readonly mismatched?: readonly string[];
  } = {},
) {
  const requests: unknown[] = [];
  const overtaken: unknown[] = [];
  const objects = new Map(cached.map((one) => [formatObjectKey(one.metadata), one]));
  const send = (verb: string, key: string, ...details: unknown[]): void => {
    requests.push([`${verb} ${key}`, ...details]);
    const error = refuse(`${verb} ${key}`);
    if (error) throw error;
  };
  const client = {
    async apply(_kind: Kind, body: KubeObject, options: { readonly fieldManager: string }) {
      send("apply", formatObjectKey(body.metadata), body, options);
      const managedFields = [{ manager: options.fieldManager, operation: "Apply", fieldsV1 }];
      return { ...body, metadata: { ...body.metadata, uid: "made", managedFields } };
    },
    async delete(_kind: Kind, key: ObjectKey, options: object) {
      send("delete", formatObjectKey(key), options);
      objects.delete(formatObjectKey(key));
      const found = live.find((one) => formatObjectKey(one.metadata) === formatObjectKey(key));
      return found?.metadata.finalizers ? found : { apiVersion: "v1", kind: "Status" };
    },
    async list(_kind: Kind, { namespace, ...details }: { readonly namespace?: string }) {
      send("list", namespace ?? "all", details);
      const items = live.filter(({ metadata }) =>
        namespace === undefined ? true : metadata.namespace === namespace,
      );
      return { items };
    },
    async request({ path, body }: { readonly path: string; readonly body: object }) {
      requests.push([`POST ${path}`, body]);
      const error = refuse(`POST ${path}`);
      if (error) throw error;
      return { json: () => ({ status: { allowed: refuse("list all") === undefined } }) };
    },
    async find(_kind: Kind, key: ObjectKey | string) {
      const name = typeof key === "string" ? key : formatObjectKey(key);
      return live.find((one) => formatObjectKey(one.metadata) === name);
    },
  };
  const unchecked = {
    get: (key: ObjectKey) => objects.get(formatObjectKey(key)),
    byIndex: (index: string, value: string) =>
      [...objects.values()].filter((one) =>
        index === backReferenceIndex
          ? labelledUid(one) === value
          : one.metadata.ownerReferences?.some(({ uid }) => uid === value),
      ),
  };
  const entry = (key: string) => {
    let mismatch: object | undefined;
    const read = (): void => {
      if (mismatched.includes(key)) mismatch = { message: "wrong", isInSpec: true };
    };
    return {
      read,
      get mismatch() {
        return mismatch;
      },
    };
  };
  const informer = { scope, unchecked, entry };
  const set: OwnedSet = {
    owner,
    ownerKind: Box,
    kind: Part,
    manager,
    client: client as never,
    informer: informer as never,
    namespaces: { includes: (one) => one !== "unwatched", description: "n, m", extent },
    adopt: false,
    assertRunning() {},
    overtaken: (error) => overtaken.push(error),
    memory: new OwnMemory(),
    ...more,
  };
  return { set, requests, overtaken };
}
