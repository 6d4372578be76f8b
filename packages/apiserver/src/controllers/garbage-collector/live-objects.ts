// Reads and writes objects of any kind for the garbage collector, with the patches that upstream
// sends.
// Upstream: k8s.io/kubernetes/pkg/controller/garbagecollector/operations.go, patch.go;
// pkg/controller/controller_ref_manager.go.
import { ignoreNotFound } from "../../component-helpers/errors/ignore-not-found.ts";
import type { ApiObject } from "../../component-helpers/meta/api-object.ts";
import { isDeepStrictEqual } from "node:util";
import { isApiStatusError, isConflict, isNotFound, type OwnerReference } from "homeostat/api";
import type { Client, DiscoveredKind } from "homeostat/client";
import type { ServedKinds } from "../../component-helpers/controller/served-kinds.ts";

/** The address of an object of any kind. */
export interface LiveAddress {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

export type PropagationPolicy = "Foreground" | "Background" | "Orphan";

/** The server has no such kind (yet); trying again may help. */
export class UnknownKindError extends Error {
  override readonly name = "UnknownKindError";
}

/** Reads and writes as the garbage collector does. */
export class LiveObjects {
  readonly #client: Client;
  readonly #kinds: ServedKinds;

  constructor(client: Client, kinds: ServedKinds) {
    this.#client = client;
    this.#kinds = kinds;
  }

  /** @throws {@link UnknownKindError} */
  async kind(apiVersion: string, kind: string): Promise<DiscoveredKind> {
    const found = await this.#kinds.find(apiVersion, kind);
    if (!found) throw new UnknownKindError(`the server does not serve ${kind} of ${apiVersion}`);
    return found;
  }

  async find(address: LiveAddress): Promise<ApiObject | undefined> {
    return this.#client.find(await this.kind(address.apiVersion, address.kind), keyOf(address));
  }

  /**
   * Deletes an object at the revision that was judged, or at a later one with the same owners, so
   * that a busy writer does not keep it alive. False when it no longer exists.
   */
  async delete(object: ApiObject, propagationPolicy: PropagationPolicy): Promise<boolean> {
    const { uid, resourceVersion } = object.metadata;
    try {
      return await this.#delete(object, propagationPolicy, { uid, resourceVersion });
    } catch (error) {
      if (!isConflict(error)) throw error;
      const live = await this.find({
        ...object,
        ...object.metadata,
        namespace: object.metadata.namespace ?? "",
      });
      if (!live) return false;
      if (
        live.metadata.uid !== uid ||
        !isDeepStrictEqual(live.metadata.ownerReferences, object.metadata.ownerReferences)
      )
        throw error;
      return this.#delete(object, propagationPolicy, { uid });
    }
  }

  async #delete(
    object: ApiObject,
    propagationPolicy: PropagationPolicy,
    preconditions: { readonly uid: string; readonly resourceVersion?: string },
  ): Promise<boolean> {
    try {
      await this.#client.delete(
        await this.kind(object.apiVersion, object.kind),
        keyOf(object.metadata),
        { preconditions, propagationPolicy },
      );
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  /** Removes owner references from an object. A missing object is no error. */
  async removeOwners(object: ApiObject, owners: ReadonlySet<string>): Promise<void> {
    const remaining = (object.metadata.ownerReferences ?? []).filter(
      (reference) => !owners.has(reference.uid),
    );
    const strategic = [...owners].map((uid) => ({ $patch: "delete", uid }));
    await this.#patchOwners(object, strategic, remaining);
  }

  /** Unblocks every owner reference of an object, so that circular waiting ends. */
  async unblockOwners(object: ApiObject): Promise<void> {
    const references = object.metadata.ownerReferences ?? [];
    const blocking = references.filter((reference) => reference.blockOwnerDeletion);
    await this.#patchOwners(
      object,
      blocking.map(({ uid }) => ({ uid, blockOwnerDeletion: false })),
      references.map((reference) => ({ ...reference, blockOwnerDeletion: false })),
    );
  }

  /** Removes one finalizer. A missing object or finalizer is no error. */
  async removeFinalizer(
    address: LiveAddress & { readonly uid: string },
    finalizer: string,
  ): Promise<void> {
    const object = await this.find(address);
    if (
      !object ||
      object.metadata.uid !== address.uid ||
      !object.metadata.finalizers?.includes(finalizer)
    )
      return;
    const finalizers = object.metadata.finalizers.filter((one) => one !== finalizer);
    const body = {
      metadata: {
        resourceVersion: object.metadata.resourceVersion,
        finalizers: finalizers.length ? finalizers : null,
      },
    };
    await this.#patch(object, { type: "merge", body });
  }

  /**
   * Patches with strategic merge where the kind supports it, otherwise with a merge patch of the
   * whole list that insists on the revision read.
   */
  async #patchOwners(
    object: ApiObject,
    strategic: readonly object[],
    whole: readonly OwnerReference[],
  ): Promise<void> {
    const { uid, resourceVersion } = object.metadata;
    try {
      await this.#patch(object, {
        type: "strategic",
        body: { metadata: { ownerReferences: strategic, uid } },
      });
    } catch (error) {
      if (!isApiStatusError(error) || error.status.code !== 415) throw error;
      await this.#patch(object, {
        type: "merge",
        body: { metadata: { resourceVersion, ownerReferences: whole.length ? whole : null } },
      });
    }
  }

  async #patch(
    object: ApiObject,
    patch: { readonly type: "strategic" | "merge"; readonly body: unknown },
  ): Promise<void> {
    await this.#client
      .patch(await this.kind(object.apiVersion, object.kind), keyOf(object.metadata), patch)
      .catch(ignoreNotFound);
  }
}

function keyOf({
  name,
  namespace,
}: {
  readonly name: string;
  readonly namespace?: string | undefined;
}): { readonly name: string; readonly namespace?: string } {
  return namespace ? { name, namespace } : { name };
}
