// Writes EndpointSlices, and enqueues services whose slices others change. Shared by the
// EndpointSlice and the mirroring controller.
// Upstream: k8s.io/endpointslice/reconciler.go (finalize),
// k8s.io/endpointslice/util/endpointslice_tracker.go.
import { reasonOf } from "../../apimachinery/errors/server-error.ts";
import { createObject, type NewObject, updateObject } from "../meta/write-object.ts";
import type { Client } from "homeostat/client";
import type { CachedObject, Informer } from "homeostat/cache";
import type { KeyedController } from "../controller/keyed-controller.ts";
import { isNamespaceTerminating } from "../errors/terminating-namespace.ts";
import { dnsSubdomainFaults, type Kind } from "homeostat/api";
import { EndpointSlice } from "homeostat/k8s/discovery/v1";
import { managedByLabel, serviceNameLabel } from "./endpoint-labels.ts";

/** The delay after a foreign change, so that more can follow. */
const settleMs = 1000;

/** Slices to write; those to create have no name. */
export interface SliceWrites {
  readonly create: readonly NewObject<EndpointSlice>[];
  readonly update: readonly NewObject<EndpointSlice>[];
  readonly delete: readonly EndpointSlice[];
}

/**
 * Writes in this order and rejects at the first refusal with upstream's message. A namespace that
 * is being deleted accepts no new slices.
 */
export async function writeSlices(
  client: Client,
  owner: { readonly kind: string; readonly namespace: string; readonly name: string },
  { create, update, delete: deletions }: SliceWrites,
): Promise<void> {
  const whose = `EndpointSlice for ${owner.kind} ${owner.namespace}/${owner.name}`;
  try {
    for (const slice of create)
      await createObject(client, EndpointSlice, slice).catch(failWith(`failed to create ${whose}`));
  } catch (error) {
    if (error instanceof Error && isNamespaceTerminating(error.cause)) return;
    throw error;
  }
  for (const slice of update)
    await updateObject(client, EndpointSlice, slice).catch(
      failWith(`failed to update ${slice.metadata.name} ${whose}`),
    );
  for (const { metadata } of deletions)
    await client
      .delete(EndpointSlice, { name: metadata.name, namespace: metadata.namespace })
      .catch(failWith(`failed to delete ${metadata.name} ${whose}`));
}

/** The name prefix of slices, e.g. `web-`: their `generateName`. */
export function slicePrefix(name: string): string {
  const prefix = `${name}-`;
  return dnsSubdomainFaults(`${prefix.slice(0, -2)}a`).length > 0 ? name : prefix;
}

function failWith(attempt: string): (error: unknown) => never {
  return (error) => {
    throw new Error(`${attempt}: ${reasonOf(error)}`, {
      cause: error,
    });
  };
}

/**
 * The slices of all services. Enqueues services whose slices others have changed: slices managed by
 * `manager`, now or before. Annotations are ignored.
 */
export function followSlices(
  controller: KeyedController,
  manager: string,
): Informer<Kind<EndpointSlice>> {
  const slices = controller.acquire(EndpointSlice);
  const isManaged = ({ metadata }: EndpointSlice): boolean =>
    metadata.labels?.[managedByLabel] === manager;
  const enqueue = ({ metadata: { labels, namespace } }: EndpointSlice): void => {
    const service = labels?.[serviceNameLabel];
    if (service) controller.add(`${namespace ?? ""}/${service}`, settleMs);
  };
  const enqueueManaged = (slice: CachedObject<EndpointSlice>): void =>
    void (isManaged(slice.read()) && enqueue(slice.read()));
  controller.follow(slices, {
    added: (slice, { ownWrite }) => void (!ownWrite && enqueueManaged(slice)),
    updated(before, now, { ownWrite }) {
      const [old, slice] = [before.read(), now.read()];
      if (old.metadata.labels?.[serviceNameLabel] !== slice.metadata.labels?.[serviceNameLabel])
        return (enqueue(old), enqueue(slice));
      if (
        isManaged(old) !== isManaged(slice) ||
        (isManaged(slice) && !ownWrite && before.generation !== now.generation)
      )
        enqueue(slice);
    },
    deleted: (slice, { ownWrite }) => void (!ownWrite && enqueueManaged(slice)),
  });
  return slices;
}
