// Warns when two reconciled objects apply different manifests to one object as one field manager.
import { formatObjectKey } from "../../api/gvk.ts";
import type { JsonObject } from "../../api/json.ts";
import type { Kind } from "../../api/kind.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import { objectId } from "../echo/run-record.ts";
import type { ReconcileDependencies } from "../reconcile-dependencies.ts";

/** An apply of `client.apply`. */
export interface Apply {
  readonly kind: Kind;
  readonly manifest: KubeObject;
  readonly manager: string;
  /** The key of the reconciled object. */
  readonly by: string;
  /** The default namespace. */
  readonly namespace: string;
}

/** Records an apply, and warns once per reconciled object. */
export function reportSharedApply(
  { sharedApplies, warnings, definition, primary }: ReconcileDependencies,
  { kind, manifest, manager, by, namespace }: Apply,
  title: string,
): void {
  const { name, namespace: asked = namespace } = manifest.metadata;
  const target = kind.scope === "Namespaced" ? { name, namespace: asked } : { name };
  const { name: _name, namespace: _namespace, uid: _uid, ...described } = manifest.metadata;
  const other = sharedApplies.record(
    {
      target: objectId(kind, formatObjectKey(target)),
      manager,
      by,
      manifest: { ...manifest, metadata: described } as unknown as JsonObject,
    },
    (key) => primary.entry(key) !== undefined,
  );
  if (other === undefined) return;
  const object = `${kind.kind} ${formatObjectKey(target)}`;
  warnings.warn(title, `apply ${object} ${manager}`, {
    message: `ERR_APPLY_SHARED: ${object} is applied by ${definition.kind.kind} ${by} and by ${definition.kind.kind} ${other} with field manager "${manager}"; each apply removes the fields of the other`,
    controller: definition.name,
    hint: "pass { set } named after the reconciled object, or write with client.upsert or client.patch",
  });
}
