// The client that a reconcile is handed: typed, for what `own`, `status` and `condition` do not
// cover. Its writes enter the cache's overlay, so that later reads of this process see them.
import type { Kind, ManifestOf, ObjectOf } from "../api/kind.ts";
import { isNotFound } from "../api/status.ts";
import type { Client } from "../client/client.ts";

/** Where an object is. A missing namespace is that of the object being reconciled. */
export interface ObjectAddress {
  readonly name: string;
  readonly namespace?: string;
}

/**
 * Reads and writes as the controller's field manager. Every call rejects once the reconcile has
 * been abandoned.
 */
export interface ControllerClient {
  /** Reads from the server, not from the cache. Undefined when there is no such object. */
  get<K extends Kind>(kind: K, address: string | ObjectAddress): Promise<ObjectOf<K> | undefined>;
  list<K extends Kind>(
    kind: K,
    options?: {
      readonly namespace?: string;
      readonly labelSelector?: string;
      readonly fieldSelector?: string;
    },
  ): Promise<readonly ObjectOf<K>[]>;
  create<K extends Kind>(kind: K, manifest: ManifestOf<K>): Promise<ObjectOf<K>>;
  /** Server-side apply as this controller, forced. */
  apply<K extends Kind>(kind: K, manifest: ManifestOf<K>): Promise<ObjectOf<K>>;
  /** JSON merge patch. */
  patch<K extends Kind>(
    kind: K,
    address: string | ObjectAddress,
    patch: object,
    options?: { readonly subresource?: string },
  ): Promise<ObjectOf<K>>;
  /** Resolves also when there is no such object. */
  delete<K extends Kind>(
    kind: K,
    address: string | ObjectAddress,
    options?: {
      readonly uid?: string;
      readonly propagationPolicy?: "Foreground" | "Background" | "Orphan";
    },
  ): Promise<void>;
}

/**
 * Narrows a client, already scoped to the controller's field manager and the reconcile's signal, to
 * what a reconcile may do.
 */
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
