// The client of a reconcile: for reads and writes that `own`, `status` and `condition` do not
// cover. Later reads of this process see its writes, through the cache's overlay.
import type { CreateManifestOf, Kind, ManifestOf, ObjectOf } from "../api/kind.ts";
import { isNotFound } from "../api/status.ts";
import type { Client } from "../client/client.ts";

/** Name and namespace; the namespace defaults to that of the reconciled object. */
export interface ObjectAddress {
  readonly name: string;
  readonly namespace?: string;
}

/** A client with the controller's field manager. Calls reject once the reconcile is abandoned. */
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

/** Wraps a client that is scoped to the controller's field manager and the reconcile's signal. */
export function createControllerClient(client: Client): ControllerClient {
  return {
    get: (kind, address) => client.find(kind, address),
    list: async (kind, options = {}) => (await client.list(kind, options)).items,
    create: (kind, manifest) => client.create(kind, manifest),
    apply: (kind, manifest) => client.apply(kind, manifest, { force: true }),
    patch: (kind, address, patch, { subresource } = {}) =>
      client.patch(
        kind,
        address,
        { type: "merge", body: patch },
        subresource === undefined ? {} : { subresource },
      ),
    async delete(kind, address, { uid, propagationPolicy } = {}) {
      const options = {
        ...(uid === undefined ? {} : { preconditions: { uid } }),
        ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
      };
      await client.delete(kind, address, options).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    },
  };
}
