// Children that an owner reference cannot reach, because they are in another namespace than their
// owner or in none: a label and an annotation lead back to the owner, and the owner's controller
// collects them before its finalizer goes. Pure.
import { formatObjectKey, parseApiVersion } from "../../api/gvk.ts";
import type { Kind, Naming } from "../../api/kind.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import { isControlledBy } from "../../api/owner-reference.ts";

/** The uid of the owner. */
const uidLabel = "homeostat.dev/owner-uid";
/** Kind and key of the owner, e.g. `Site.sites.example.com team-a/home`. */
const ownerAnnotation = "homeostat.dev/owner";

/** Index of owned kinds: children by the uid in their label. */
export const backReferenceIndex = "back-reference";

/** The values of the index. One function for all informers and controllers. */
export const backReferencesOf = (object: KubeObject): readonly string[] => {
  const uid = labelledUid(object);
  return uid === undefined ? [] : [uid];
};

/** True when garbage collection follows an owner reference from a child in `namespace`. */
export function isReachable(owner: KubeObject, namespace: string | undefined): boolean {
  return owner.metadata.namespace === undefined || owner.metadata.namespace === namespace;
}

/** The uid of the owner that a child's label names. */
export function labelledUid({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[uidLabel];
}

/** Selects the children whose label names this owner. */
export const ownerUidSelector = ({ metadata }: KubeObject): string => `${uidLabel}=${metadata.uid}`;

/** True when `owner` controls `object`, or its back-reference names it. */
export function isChild(object: KubeObject, owner: KubeObject): boolean {
  return isControlledBy(object, owner) || labelledUid(object) === owner.metadata.uid;
}

/** The owner that a child's annotation names. */
export function describeLabelledOwner({ metadata }: KubeObject): string {
  return metadata.annotations?.[ownerAnnotation] ?? "an unknown object";
}

/** The key of the owner, if it is of this kind. */
export function labelledOwnerKey({ metadata }: KubeObject, kind: Kind): string | undefined {
  if (metadata.labels?.[uidLabel] === undefined) return undefined;
  const [owner, key] = metadata.annotations?.[ownerAnnotation]?.split(" ") ?? [];
  return owner === qualifiedKind(kind) ? key : undefined;
}

/** A child's metadata with what leads back to its owner. */
export function withBackReference(metadata: Naming, owner: KubeObject, ownerKind: Kind): Naming {
  const name = `${qualifiedKind(ownerKind)} ${formatObjectKey(owner.metadata)}`;
  return {
    ...metadata,
    labels: { ...metadata.labels, [uidLabel]: owner.metadata.uid },
    annotations: { ...metadata.annotations, [ownerAnnotation]: name },
  };
}

function qualifiedKind({ apiVersion, kind }: Kind): string {
  const group = parseApiVersion(apiVersion)?.group;
  return group ? `${kind}.${group}` : kind;
}
