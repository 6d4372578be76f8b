// Decides which objects belong to a controller: objects that refer to it and match its selector are
// kept, orphans that match are adopted, objects that refer to it and no longer match are released.
// Upstream: k8s.io/kubernetes/pkg/controller/controller_ref_manager.go,
// k8s.io/apimachinery/pkg/apis/meta/v1/helpers.go.
import type { Informer } from "homeostat/cache";
import { ignoreNotFound } from "../errors/ignore-not-found.ts";
import {
  controllerOf,
  isInvalid,
  type LabelSelector,
  matchesLabels,
  type Kind,
} from "homeostat/api";
import type { Client } from "homeostat/client";
import type { ApiObject } from "../meta/api-object.ts";
import { newControllerRef } from "../meta/controller-reference.ts";

/** An informer index of the objects without a controller, by namespace. */
export const orphanIndex = (object: ApiObject): readonly string[] =>
  controllerOf(object) ? [] : [object.metadata.namespace ?? ""];

/** The objects that refer to an owner, and the orphans of its namespace, from an informer. */
function claimCandidates<O extends ApiObject>(
  informer: Informer<Kind<O>>,
  { metadata: { uid, namespace = "" } }: ApiObject,
): readonly O[] {
  return [
    ...new Set([...informer.byIndex("owner", uid), ...informer.byIndex("orphan", namespace)]),
  ];
}

/** The decision about one object. */
export type Claim = "keep" | "adopt" | "release" | "ignore";

/** Decides about one object. */
export function decideClaim(
  owner: ApiObject,
  selector: LabelSelector,
  object: ApiObject,
  fits: Claimant["fits"] = () => true,
): Claim {
  const { metadata } = object;
  const matches = matchesLabels(selector, metadata.labels ?? {}) && fits(object);
  const controller = controllerOf(object);
  const ownerGoing = owner.metadata.deletionTimestamp !== undefined;
  if (controller) {
    if (controller.uid !== owner.metadata.uid) return "ignore";
    if (matches) return "keep";
    return ownerGoing ? "ignore" : "release";
  }
  return matches && !ownerGoing && metadata.deletionTimestamp === undefined ? "adopt" : "ignore";
}

/** The owner on whose behalf objects are claimed. */
export interface Claimant {
  readonly client: Client;
  readonly kind: Kind<ApiObject>;
  readonly owner: ApiObject;
  readonly selector: LabelSelector;
  /** A further requirement on objects besides the selector. */
  readonly fits?: (object: ApiObject) => boolean;
  /** Finalizers that adoption adds and release removes. */
  readonly finalizers?: readonly string[];
}

/**
 * Claims objects of an informer that has {@link orphanIndex} as `orphan`, and resolves to those
 * that the owner now controls. Rejects when one of them could not be adopted or released.
 */
export async function claimDependents<O extends ApiObject>(
  claimant: Claimant,
  informer: Informer<Kind<O>>,
  isCandidate: (object: O) => boolean = () => true,
): Promise<readonly O[]> {
  const { kind } = informer;
  const objects = claimCandidates(informer, claimant.owner).filter(isCandidate);
  const own: O[] = [];
  let mayAdopt: Promise<void> | undefined;
  for (const object of objects) {
    const claim = decideClaim(claimant.owner, claimant.selector, object, claimant.fits);
    if (claim === "keep") own.push(object);
    if (claim === "release") await release(claimant, kind, object);
    if (claim !== "adopt") continue;
    await (mayAdopt ??= assertStaying(claimant));
    const adopted = await adopt(claimant, kind, object);
    if (adopted) own.push(adopted);
  }
  return own;
}

/**
 * Checks the live owner: one that is being deleted must not adopt, or its dependents would be
 * orphaned at once.
 */
async function assertStaying({ client, kind, owner }: Claimant): Promise<void> {
  const { name, namespace, uid } = owner.metadata;
  const live = await client.find(kind, { name, namespace });
  const attempt = `adopt for ${kind.kind} ${namespace}/${name}`;
  if (live?.metadata.uid !== uid)
    throw new Error(
      `${attempt}: expected uid ${uid}, found ${live?.metadata.uid ?? "nothing"}; the next sync decides`,
    );
  if (live.metadata.deletionTimestamp !== undefined)
    throw new Error(
      `${attempt}: it has a deletionTimestamp (${live.metadata.deletionTimestamp}) and adopts nothing`,
    );
}

async function adopt<O extends ApiObject>(
  { client, kind: ownerKind, owner, finalizers }: Claimant,
  kind: Kind<O>,
  { metadata }: O,
): Promise<O | undefined> {
  const body = {
    metadata: {
      ownerReferences: [newControllerRef(owner, ownerKind)],
      uid: metadata.uid,
      ...(finalizers ? { finalizers } : {}),
    },
  };
  return client
    .patch(
      kind,
      { name: metadata.name, namespace: metadata.namespace },
      { type: "strategic", body },
    )
    .catch(ignoreNotFound);
}

/**
 * Releases an object. Invalid means that the name belongs to another object now, or that the
 * reference has been removed already.
 */
async function release<O extends ApiObject>(
  { client, owner, finalizers }: Claimant,
  kind: Kind<O>,
  { metadata }: O,
): Promise<void> {
  const without = finalizers ? { "$deleteFromPrimitiveList/finalizers": finalizers } : {};
  const body = {
    metadata: {
      ownerReferences: [{ $patch: "delete", uid: owner.metadata.uid }],
      uid: metadata.uid,
      ...without,
    },
  };
  await client
    .patch(
      kind,
      { name: metadata.name, namespace: metadata.namespace },
      { type: "strategic", body },
    )
    .catch((error: unknown) => (isInvalid(error) ? undefined : ignoreNotFound(error)));
}
