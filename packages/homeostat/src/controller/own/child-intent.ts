// From a desired manifest to what is applied: with the owner reference and the namespace. Pure.
import type { Kind, Naming } from "../../api/kind.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import { formatObjectKey } from "../../api/gvk.ts";
import { toControllerReference } from "../../api/owner-reference.ts";
import { toStoredFields } from "./as-stored.ts";
import { isReachable, withBackReference } from "./back-reference.ts";
import { ownError } from "./own-error.ts";
import type { OwnedSet } from "./owned-set.ts";
import { compileSelection, matchesSelection } from "../watching/selection.ts";

/** What is applied: the manifest with owner reference and namespace. */
export interface Intent {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Naming;
}

/**
 * The intent for a manifest.
 * @throws ERR_OWN_NAMESPACE, ERR_OWN_SELECTION
 */
export function toIntent(set: OwnedSet, manifest: KubeObject): Intent {
  const { owner, ownerKind, kind } = set;
  const { name, namespace: asked } = manifest.metadata;
  const namespace = kind.scope === "Namespaced" ? (asked ?? owner.metadata.namespace) : undefined;
  if (kind.scope === "Namespaced" && namespace === undefined)
    throw ownError(set, "ERR_OWN_NAMESPACE", {
      problem: `"${name}" has no namespace and its owner is cluster-scoped`,
      hint: "set metadata.namespace",
    });
  if (namespace !== undefined && !set.namespaces.includes(namespace))
    throw ownError(set, "ERR_OWN_NAMESPACE", {
      problem: `"${name}" is in ${namespace}, but this manager watches ${set.namespaces.description} only; it would neither repair nor delete it`,
      hint: "let the manager watch that namespace, or own objects in watched ones",
    });
  const named = { ...manifest.metadata, ...(namespace === undefined ? {} : { namespace }) };
  const metadata = isReachable(owner, namespace)
    ? withOwnerReference(named, owner, ownerKind)
    : withBackReference(named, owner, ownerKind);
  const { apiVersion } = kind;
  const intent = toStoredFields({ ...manifest, apiVersion, kind: kind.kind, metadata });
  refuseUnselected(set, intent);
  return intent;
}

/** @throws ERR_OWN_SELECTION for an object that its informer does not select */
function refuseUnselected(set: OwnedSet, intent: Intent): void {
  const { labelSelector: labels, fieldSelector: fields } = set.informer.scope;
  const selectors = [labels && `labels ${labels}`, fields && `fields ${fields}`].filter(Boolean);
  if (selectors.length === 0) return;
  if (matchesSelection(compileSelection({ labels, fields }), () => intent as KubeObject)) return;
  const { name } = intent.metadata;
  throw ownError(set, "ERR_OWN_SELECTION", {
    problem: `"${name}" is not among the objects that this manager caches, those with ${selectors.join(" and ")}; it would neither repair nor delete it`,
    hint: "give the object what `cache.kinds` selects by, or cache the kind without that selector",
  });
}

function withOwnerReference(metadata: Naming, owner: KubeObject, ownerKind: Kind): Naming {
  const { apiVersion, kind } = ownerKind;
  const reference = toControllerReference({ apiVersion, kind, metadata: owner.metadata });
  const others = (metadata.ownerReferences ?? []).filter(
    (one) => one.uid !== reference.uid && one.controller !== true,
  );
  return { ...metadata, ownerReferences: [reference, ...others] };
}

/** @throws ERR_OWN_DUPLICATE */
export function refuseDuplicates(set: OwnedSet, intents: readonly Intent[]): void {
  const names = intents.map((one) => formatObjectKey(one.metadata));
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    throw ownError(set, "ERR_OWN_DUPLICATE", {
      problem: `"${twice}" is listed twice`,
      hint: "give every object a unique name",
    });
}
