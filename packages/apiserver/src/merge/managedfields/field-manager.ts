// Keeps metadata.managedFields: which manager owns which field of an object, over creates, updates,
// patches and applies. Pure: callers pass the time, nothing is mutated, and one instance serves all
// requests of its endpoint.
// Upstream: k8s.io/apimachinery/pkg/util/managedfields (fieldmanager.go,
// internal/lastappliedmanager.go, internal/lastappliedupdater.go).
import type { Json, JsonObject } from "homeostat/api";
import { plainError } from "../../apimachinery/errors/api-errors.ts";
import { hasPath } from "../fieldpath/field-set.ts";
import { MergeError } from "../fieldpath/merge-error.ts";
import { applyConflictError } from "./conflict-error.ts";
import type { ApplyOptions, FieldManagerOptions } from "./field-manager-options.ts";
import { metadataText } from "./format-object.ts";
import { clientSideManager, fieldsStillAsLastApplied, renewLastApplied } from "./last-applied.ts";
import {
  decodeManagedFields,
  encodeManagedFields,
  isReset,
  type Managed,
  managedFieldsOf,
  nothingManaged,
  withManagedFields,
} from "./managed-fields.ts";
import { MergeConflicts } from "./managers.ts";
import { StructuredMerge, type Tracked } from "./structured-merge.ts";

/** Writes managedFields for one endpoint. Every object is in the endpoint's version. */
export interface FieldManager {
  /**
   * Returns `next`, which is about to replace `live`, with up-to-date managedFields. For a create
   * `live` is `empty()`. Never fails: if the fields cannot be tracked, the result has no
   * managedFields.
   */
  update(live: JsonObject, next: JsonObject, manager: string, now: string): JsonObject;
  /**
   * Merges the intent `applied` into `live` (`empty()` for a create). Throws ApiStatusError: 409
   * with one cause for each conflict, 400 for a body of another kind or with managedFields, 500 for
   * an intent that does not fit the schema.
   */
  apply(live: JsonObject, applied: JsonObject, options: ApplyOptions): JsonObject;
}

/** Throws TypeError when `typeOf` does not know the endpoint's own version. */
export function createFieldManager(options: FieldManagerOptions): FieldManager {
  const merge = new StructuredMerge(options);
  return {
    update(live, next, manager, now) {
      const bare = withManagedFields(next, undefined);
      try {
        const managed = managedBefore(options.subresource, live, next);
        // An object without managers stays so until its first apply, unless this is its create.
        if (!managed.managers.size && metadataText(live, "uid")) return bare;
        const before = { object: withManagedFields(live, undefined), managed };
        const after = merge.update(before, bare, { manager, now });
        return withManagedFields(bare, encodeManagedFields(after));
      } catch (error) {
        if (error instanceof MergeError) return bare;
        throw error;
      }
    },
    apply: (live, applied, how) => apply(merge, live, applied, how),
  };
}

/** The managers that the client sent, if they are valid, else those of the live object. */
function managedBefore(subresource: string, live: JsonObject, next: JsonObject): Managed {
  const sent = managedFieldsOf(next);
  if (!subresource && isReset(sent)) return nothingManaged;
  const fromClient = subresource ? nothingManaged : decodeOrNothing(sent);
  return fromClient.managers.size ? fromClient : decodeOrNothing(managedFieldsOf(live));
}

function decodeOrNothing(fields: readonly Json[] | undefined): Managed {
  try {
    return decodeManagedFields(fields);
  } catch (error) {
    if (error instanceof MergeError) return nothingManaged;
    throw error;
  }
}

function apply(
  merge: StructuredMerge,
  live: JsonObject,
  applied: JsonObject,
  options: ApplyOptions,
): JsonObject {
  try {
    const before = { object: withManagedFields(live, undefined), managed: decodeLive(live) };
    const outcome = applyAsClientSide(merge, before, applied, options);
    const object =
      options.manager === clientSideManager
        ? renewLastApplied(outcome.object, applied)
        : outcome.object;
    return withManagedFields(object, encodeManagedFields(outcome.managed));
  } catch (error) {
    if (error instanceof MergeConflicts) throw applyConflictError(error.conflicts);
    if (error instanceof MergeError) throw plainError(error.message);
    throw error;
  }
}

function decodeLive(live: JsonObject): Managed {
  try {
    return decodeManagedFields(managedFieldsOf(live));
  } catch (error) {
    if (error instanceof MergeError)
      throw new MergeError(`failed to decode managed fields: ${error.message}`);
    throw error;
  }
}

/** kubectl may take fields without force that its client-side apply set and that are unchanged. */
function applyAsClientSide(
  merge: StructuredMerge,
  live: Tracked,
  applied: JsonObject,
  options: ApplyOptions,
): Tracked {
  merge.assertKind(applied);
  try {
    return merge.apply(live, applied, options);
  } catch (error) {
    if (!(error instanceof MergeConflicts) || options.manager !== clientSideManager) throw error;
    const allowed = fieldsStillAsLastApplied(live.object, merge.apiVersion, merge.type);
    const left = error.conflicts.filter(({ path }) => !hasPath(allowed, path));
    if (left.length) throw new MergeConflicts(left);
    return merge.apply(live, applied, { ...options, force: true });
  }
}
