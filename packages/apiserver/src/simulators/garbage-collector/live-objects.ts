// The garbage collector's hands: reads and writes of objects of any kind, with the patches that upstream sends.
// Upstream: k8s.io/kubernetes/pkg/controller/garbagecollector/operations.go, patch.go; pkg/controller/controller_ref_manager.go.
import { isApiStatusError, isNotFound, type JsonObject } from "homeostat/api";
import type { Client, DiscoveredKind } from "homeostat/client";
import type { ServedKinds } from "../served-kinds.ts";

/** An owner reference as it stands in an object. */
export interface LiveReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** The metadata of a live object. */
export interface LiveObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly LiveReference[];
  };
}

/** Names an object of any kind. */
export interface LiveAddress {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

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

  async find(address: LiveAddress): Promise<LiveObject | undefined> {
    return (await this.#client.find(await this.kind(address.apiVersion, address.kind), keyOf(address))) as LiveObject | undefined;
  }

  /** Deletes exactly this revision; false when it was gone already. */
  async delete(object: LiveObject, propagationPolicy: "Foreground" | "Background" | "Orphan"): Promise<boolean> {
    const { uid, resourceVersion } = object.metadata;
    try {
      await this.#client.delete(await this.kind(object.apiVersion, object.kind), keyOf(object.metadata), { preconditions: { uid, resourceVersion }, propagationPolicy });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  /** Takes owner references out of an object. An object that is gone is no error. */
  async removeOwners(object: LiveObject, owners: ReadonlySet<string>): Promise<void> {
    const remaining = (object.metadata.ownerReferences ?? []).filter((reference) => !owners.has(reference.uid));
    const strategic = [...owners].map((uid) => ({ $patch: "delete", uid }));
    await this.#patchOwners(object, strategic, remaining);
  }

  /** Makes every owner reference of an object non-blocking, so that a circle of waiting owners can end. */
  async unblockOwners(object: LiveObject): Promise<void> {
    const references = object.metadata.ownerReferences ?? [];
    const blocking = references.filter((reference) => reference.blockOwnerDeletion);
    await this.#patchOwners(object, blocking.map(({ uid }) => ({ uid, blockOwnerDeletion: false })), references.map((reference) => ({ ...reference, blockOwnerDeletion: false })));
  }

  /** Takes one finalizer off; no error when the object or the finalizer is gone. */
  async removeFinalizer(address: LiveAddress & { readonly uid: string }, finalizer: string): Promise<void> {
    const object = await this.find(address);
    if (!object || object.metadata.uid !== address.uid || !object.metadata.finalizers?.includes(finalizer)) return;
    const finalizers = object.metadata.finalizers.filter((one) => one !== finalizer);
    const body = { metadata: { resourceVersion: object.metadata.resourceVersion, finalizers: finalizers.length ? finalizers : null } };
    await this.#patch(object, { type: "merge", body: body as unknown as JsonObject });
  }

  /** Strategic merge where the kind has it, otherwise a merge patch of the whole list that insists on the revision read. */
  async #patchOwners(object: LiveObject, strategic: readonly object[], whole: readonly LiveReference[]): Promise<void> {
    const { uid, resourceVersion } = object.metadata;
    try {
      await this.#patch(object, { type: "strategic", body: { metadata: { ownerReferences: strategic, uid } } });
    } catch (error) {
      if (!isApiStatusError(error) || error.status.code !== 415) throw error;
      await this.#patch(object, { type: "merge", body: { metadata: { resourceVersion, ownerReferences: whole.length ? whole : null, uid } } });
    }
  }

  async #patch(object: LiveObject, patch: { readonly type: "strategic" | "merge"; readonly body: unknown }): Promise<void> {
    await this.#client.patch(await this.kind(object.apiVersion, object.kind), keyOf(object.metadata), patch).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}

function keyOf({ name, namespace }: { readonly name: string; readonly namespace?: string | undefined }): { readonly name: string; readonly namespace?: string } {
  return namespace ? { name, namespace } : { name };
}
