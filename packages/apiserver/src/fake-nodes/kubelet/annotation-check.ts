// Warns of annotations that steer the simulation and have a value that it does not know: such a
// value is stored like any other, and nothing else would tell.
import { formatObjectKey } from "homeostat/api";
import type { ApiObject } from "../../component-helpers/meta/api-object.ts";
import type { FakeNodesContext } from "../fake-nodes-context.ts";

/** A check of one object. Warns once for each wrong value of an object. */
export type AnnotationCheck = (object: ApiObject) => void;

/** `kind` names the objects in warnings, e.g. `pod`. */
export function createAnnotationCheck(
  kind: string,
  annotation: string,
  known: readonly string[],
  { warn }: Pick<FakeNodesContext, "warn">,
): AnnotationCheck {
  const warned = new Set<string>();
  return ({ metadata: { name, namespace, uid, annotations } }) => {
    const value = annotations?.[annotation];
    if (value === undefined || known.includes(value)) return;
    const id = `${uid} ${value}`;
    if (warned.has(id)) return;
    warned.add(id);
    const object = `${kind} ${formatObjectKey({ name, namespace })}`;
    const expected = `expected ${known.join(" or ")}, got ${JSON.stringify(value)}`;
    warn(`${object}: ${annotation}: ${expected}`, undefined);
  };
}
