// Whose object it is: member of this set, or foreign.
import type { KubeObject } from "../../api/object-meta.ts";
import { controllerOf } from "../../api/owner-reference.ts";
import { describeLabelledOwner, labelledUid } from "./back-reference.ts";
import { ownError } from "./own-error.ts";
import { appliedFields } from "./owned-fields.ts";
import type { OwnedSet } from "./owned-set.ts";

/**
 * Refuses an object of another owner. An object with this manager's Apply entry but without a
 * controller has lost its owner reference, which the next apply restores.
 */
export function refuseForeign(set: OwnedSet, known: KubeObject): void {
  const controller = controllerOf(known);
  const labelled = labelledUid(known);
  if (!controller && labelled !== undefined && labelled !== set.owner.metadata.uid)
    throw ownError(set, "ERR_OWN_FOREIGN", {
      problem: `${JSON.stringify(known.metadata.name)} exists and belongs to ${describeLabelledOwner(known)}`,
      hint: "use another name",
    });
  if (
    controller?.uid === set.owner.metadata.uid ||
    (!controller && (set.adopt || appliedFields(known, set.manager, "") !== undefined))
  )
    return;
  const name = JSON.stringify(known.metadata.name);
  throw ownError(
    set,
    "ERR_OWN_FOREIGN",
    controller
      ? {
          problem: `${name} exists and is controlled by ${controller.kind} "${controller.name}"`,
          hint: "use another name",
        }
      : {
          problem: `${name} exists and has no controller`,
          hint: "use another name, or pass { adopt: true } to adopt it",
        },
  );
}

/** True when this set wrote the object and its owner controls it. */
export function isMember(set: OwnedSet, object: KubeObject): boolean {
  const { uid } = set.owner.metadata;
  const controller = controllerOf(object);
  const owner = controller ? controller.uid : labelledUid(object);
  return owner === uid && appliedFields(object, set.manager, "") !== undefined;
}

/** True when one of these sets of the same controller has also applied the object. */
export function isInOtherSet(
  { manager }: OwnedSet,
  object: KubeObject,
  managers: ReadonlySet<string>,
): boolean {
  return [...managers].some(
    (other) => other !== manager && appliedFields(object, other, "") !== undefined,
  );
}
