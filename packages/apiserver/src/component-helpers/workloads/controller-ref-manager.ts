// Which objects a controller may call its own: those that name it and match; those that name nobody
// and match are adopted, those that name it and do not match are let go.
// Upstream: k8s.io/kubernetes/pkg/controller/controller_ref_manager.go,
// k8s.io/apimachinery/pkg/apis/meta/v1/helpers.go.
import {
  controllerOf,
  isNotFound,
  isInvalid,
  type LabelSelector,
  matchesLabels,
  toControllerReference,
  type Kind,
} from "homeostat/api";
import type { Client } from "homeostat/client";
import type { ApiObject } from "../meta/api-object.ts";

/** An index, by namespace, of the objects that nobody controls. */
export const orphanIndex = (object: ApiObject): readonly string[] =>
  controllerOf(object) ? [] : [object.metadata.namespace ?? ""];

/** What is to become of an object that may belong to an owner. */
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

/** An owner, on whose behalf objects are claimed. */
export interface Claimant {
  readonly client: Client;
  readonly kind: Kind<ApiObject>;
  readonly owner: ApiObject;
  readonly selector: LabelSelector;
  /** What an object must be beyond its labels; anything will do where it is not given. */
  readonly fits?: (object: ApiObject) => boolean;
  /** Finalizers that come with being owned, and go with it. */
  readonly finalizers?: readonly string[];
}

/**
 * Claims objects of `kind`, and resolves to what is the owner's own now. Rejects when one of them
 * could not be taken or let go.
 */
export async function claimDependents<O extends ApiObject>(
  claimant: Claimant,
  kind: Kind<O>,
  objects: readonly O[],
): Promise<readonly O[]> {
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

/** An owner that is going, on live data, adopts nobody: its dependents would be orphans at once. */
async function assertStaying({ client, kind, owner }: Claimant): Promise<void> {
  const { name, namespace, uid } = owner.metadata;
  const live = await client.find(kind, { name, namespace });
  const attempt = `adopt for ${kind.kind} ${namespace}/${name}`;
  if (live?.metadata.uid !== uid)
    throw new Error(
      `${attempt}: expected uid ${uid}, found ${live?.metadata.uid ?? "nothing"}; it is left to the next look`,
    );
  if (live.metadata.deletionTimestamp !== undefined)
    throw new Error(
      `${attempt}: it has been deleted at ${live.metadata.deletionTimestamp}; it adopts nothing any more`,
    );
}

async function adopt<O extends ApiObject>(
  { client, kind: ownerKind, owner, finalizers }: Claimant,
  kind: Kind<O>,
  { metadata }: O,
): Promise<O | undefined> {
  const reference = toControllerReference({
    ...owner,
    apiVersion: ownerKind.apiVersion,
    kind: ownerKind.kind,
  });
  const body = {
    metadata: {
      ownerReferences: [reference],
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
    .catch(unlessGone);
}

/**
 * An answer that the patch is invalid means that another object has the name, or that somebody else
 * was faster.
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
    .catch((error: unknown) => (isInvalid(error) ? undefined : unlessGone(error)));
}

function unlessGone(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
