// The client of a reconcile: for reads and writes that `own`, `status` and `condition` do not
// cover. Later reads of this process see its writes, through the cache's overlay.
import type { CreateManifestOf, Kind, ManifestOf, ObjectOf } from "../api/kind.ts";
import type { KubeObject } from "../api/object-meta.ts";
import { isNotFound } from "../api/status.ts";
import type { Client, Key } from "../client/client.ts";
import type { RunScope } from "./run/run-scope.ts";

/** Name and namespace; the namespace defaults to that of the reconciled object. */
export interface ObjectAddress {
  readonly name: string;
  readonly namespace?: string;
}

/** A client with the controller's field manager. Refuses calls once the reconcile has ended. */
export interface ControllerClient {
  /** Reads from the server, not from the cache. Undefined when the object does not exist. */
  get<K extends Kind>(kind: K, address: string | ObjectAddress): Promise<ObjectOf<K> | undefined>;
  list<K extends Kind>(
    kind: K,
    options?: {
      readonly namespace?: string;
      readonly labelSelector?: string;
      readonly fieldSelector?: string;
    },
  ): Promise<readonly ObjectOf<K>[]>;
  create<K extends Kind>(kind: K, manifest: CreateManifestOf<K>): Promise<ObjectOf<K>>;
  /** Server-side apply as this controller, forced. */
  apply<K extends Kind>(kind: K, manifest: ManifestOf<K>): Promise<ObjectOf<K>>;
  /** JSON merge patch. */
  patch<K extends Kind>(
    kind: K,
    address: string | ObjectAddress,
    patch: object,
    options?: { readonly subresource?: string },
  ): Promise<ObjectOf<K>>;
  /** Also resolves when the object does not exist. */
  delete<K extends Kind>(
    kind: K,
    address: string | ObjectAddress,
    options?: {
      readonly uid?: string;
      readonly propagationPolicy?: "Foreground" | "Background" | "Orphan";
    },
  ): Promise<void>;
}

/** The parts of a run that its client needs. */
type ClientScope = Pick<RunScope, "call" | "signal" | "record">;

/**
 * Wraps a client that is scoped to the controller's field manager and the reconcile's deadline.
 * Reads abort when the run ends; writes in flight complete.
 */
export function createControllerClient(client: Client, scope: ClientScope): ControllerClient {
  let reader: Client | undefined;
  const reads = (): Client => (reader ??= client.with({ signal: scope.signal }));
  const read = <T>(what: string, start: () => Promise<T>): Promise<T> =>
    scope.call(`client.${what}`, start, { isRead: true });
  const call = <T>(what: string, start: () => Promise<T>): Promise<T> =>
    scope.call(`client.${what}`, start);
  const write = <T extends KubeObject>(
    kind: Kind,
    what: string,
    start: () => Promise<T>,
  ): Promise<T> =>
    call(what, async () => {
      const result = await start();
      scope.record.receives(kind, result);
      return result;
    });
  return {
    get: (kind, address) =>
      read(`get(${title(kind, address)})`, () => {
        scope.record.reads(kind);
        return reads().find(kind, address);
      }),
    list: (kind, options = {}) =>
      read(`list(${kind.kind})`, async () => {
        scope.record.reads(kind);
        return (await reads().list(kind, options)).items;
      }),
    create: (kind, manifest) =>
      write(kind, `create(${kind.kind})`, () => client.create(kind, manifest)),
    apply: (kind, manifest) =>
      write(kind, `apply(${kind.kind})`, () => client.apply(kind, manifest, { force: true })),
    patch: (kind, address, body, { subresource } = {}) =>
      write(kind, `patch(${title(kind, address)})`, () =>
        client.patch(
          kind,
          address,
          { type: "merge", body },
          subresource === undefined ? {} : { subresource },
        ),
      ),
    delete: (kind, address, options) =>
      call(`delete(${title(kind, address)})`, () => deleteObject(client, kind, address, options)),
  };
}

async function deleteObject(
  client: Client,
  kind: Kind,
  address: Key,
  { uid, propagationPolicy }: Parameters<ControllerClient["delete"]>[2] = {},
): Promise<void> {
  const options = {
    ...(uid === undefined ? {} : { preconditions: { uid } }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
  };
  await client.delete(kind, address, options).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}

const title = (kind: Kind, address: string | ObjectAddress): string =>
  `${kind.kind} ${typeof address === "string" ? address : address.name}`;
