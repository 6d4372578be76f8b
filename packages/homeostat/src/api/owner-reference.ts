// Owner references: the owners of an object and the one that controls it. Pure.
// Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/controller_ref.go.
import { parseApiVersion } from "./gvk.ts";
import type { Kind, Metadata, OwnerReference } from "./kind.ts";
import { argumentError } from "../util/argument-error.ts";
import { isOptions } from "../util/option-faults.ts";

const anObject = "an object with metadata";

interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly uid: string };
}

/**
 * The controller reference to `owner`, with `controller` and `blockOwnerDeletion` set, as upstream
 * does.
 */
export function toControllerReference(owner: Owner): OwnerReference {
  return { ...toOwnerReference(owner), controller: true, blockOwnerDeletion: true };
}

/** A plain reference to an owner that does not control the child. */
export function toOwnerReference(owner: Owner): OwnerReference {
  if (!isOptions(owner?.metadata)) throw argumentError("referring to an owner", owner, anObject);
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
  };
}

/** The owner that controls the object, if any. */
export function controllerOf(object: {
  readonly metadata: Pick<Metadata, "ownerReferences">;
}): OwnerReference | undefined {
  if (!isOptions(object?.metadata)) throw argumentError("reading an owner", object, anObject);
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** True when `owner` controls `object`; compares uids, not names. */
export function isControlledBy(
  object: { readonly metadata: Pick<Metadata, "ownerReferences"> },
  owner: Owner,
): boolean {
  if (!isOptions(owner?.metadata)) throw argumentError("comparing an owner", owner, anObject);
  return controllerOf(object)?.uid === owner.metadata.uid;
}

/** True when an owner reference can refer to objects of `kind`, in any version. */
export function refersToKind(
  reference: { readonly apiVersion: string; readonly kind: string },
  kind: Kind,
): boolean {
  return (
    reference.kind === kind.kind &&
    parseApiVersion(reference.apiVersion)?.group === parseApiVersion(kind.apiVersion)?.group
  );
}
