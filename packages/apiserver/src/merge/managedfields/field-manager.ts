// Keeps metadata.managedFields: who owns which field of an object, over creates, updates, patches
// and applies. Pure: the time comes in, nothing is mutated, and one instance may serve every
// request of its endpoint.
// It must not know how objects are stored, decoded or defaulted; the caller brings these as
// functions.
// Upstream: k8s.io/apimachinery/pkg/util/managedfields (fieldmanager.go, internal/*.go): its chain
// of managers, as steps.
import {
  cloneJson,
  formatApiVersion,
  isObject,
  type Json,
  type JsonObject,
  parseApiVersion,
} from "homeostat/api";
import { badRequestError, plainError } from "../../apimachinery/errors/api-errors.ts";
import { capUpdateManagers } from "./cap-update-managers.ts";
import { applyConflictError } from "./conflict-error.ts";
import { fieldElement } from "../fieldpath/field-path.ts";
import { difference, type FieldSet, fieldSetOf, hasPath, union } from "../fieldpath/field-set.ts";
import { clientSideManager, fieldsStillAsLastApplied, renewLastApplied } from "./last-applied.ts";
import {
  decodeManagedFields,
  encodeManagedFields,
  formatManagerId,
  isReadableEntry,
  isReset,
  type Managed,
  managedFieldsOf,
  nothingManaged,
  withManagedFields,
} from "./managed-fields.ts";
import { attempt, MergeError } from "../fieldpath/merge-error.ts";
import type { SmdType } from "../../apimachinery/types/smd-type.ts";
import { formatTypedErrors } from "../typed/typed-error.ts";
import {
  applyIntent,
  type Managers,
  MergeConflicts,
  type TypedObject,
  updateManagers,
  type UpdaterOptions,
  type VersionedSet,
} from "./updater.ts";
import { type Duplicates, validateTyped } from "../typed/validate-typed.ts";

/** What one endpoint (resource, version, subresource) tells its field manager. */
export interface FieldManagerOptions {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /**
   * "" for the main endpoint; `status`, `scale`, … otherwise. It becomes part of every entry
   * written.
   */
  readonly subresource: string;
  /** The typed view of an apiVersion; undefined where that version does not exist (any more). */
  readonly typeOf: (apiVersion: string) => SmdType | undefined;
  /**
   * What becomes of entries of such a version: "drop" them (built-ins), or "fail", which costs all
   * entries (custom resources).
   */
  readonly unknownVersions: "drop" | "fail";
  /**
   * Converts an object of one version into another; both are known to `typeOf`. Must not mutate.
   * Throw {@link MergeError} where conversion fails.
   */
  readonly convert: (object: JsonObject, apiVersion: string) => JsonObject;
  /**
   * An object of this version with nothing set, as the encoder writes it: `{apiVersion, kind}` for
   * custom resources, with Go's never-omitted members for built-ins (see `zeroStruct`).
   */
  readonly empty: () => JsonObject;
  /**
   * Decodes and defaults a merged object as this version's codec does. May take over its argument.
   * An error's message goes to the client.
   */
  readonly complete: (merged: JsonObject) => JsonObject;
  /**
   * By apiVersion: what writes through this endpoint cannot own, as paths of field names, e.g.
   * `[["status"]]`.
   */
  readonly resetFields: ReadonlyMap<string, readonly (readonly string[])[]>;
}

/** How an apply is made. */
export interface ApplyOptions {
  readonly manager: string;
  readonly force: boolean;
  /** RFC 3339, second precision. */
  readonly now: string;
}

/** Writes managedFields for one endpoint. Every object is in the endpoint's version. */
export interface FieldManager {
  /**
   * The object `next`, about to be stored in place of `live`, with managedFields brought up to
   * date. For a create `live` is `empty()`. Never fails: where the fields cannot be tracked, the
   * result has no managedFields.
   */
  update(live: JsonObject, next: JsonObject, manager: string, now: string): JsonObject;
  /**
   * Merges the intent `applied` into `live` (`empty()` for a create). Throws ApiStatusError: 409
   * with one cause for each conflict, 400 for a body of another type or with managedFields, 500 for
   * an intent that does not fit the schema.
   */
  apply(live: JsonObject, applied: JsonObject, options: ApplyOptions): JsonObject;
}

/** Owner of whatever an object held before anybody was tracked. */
const beforeFirstApply = "before-first-apply";
/** Stands for the writer while its own changes are told from what it owned before. */
const currentOperation = "current-operation";

const pathSet = (paths: readonly (readonly string[])[]): FieldSet =>
  fieldSetOf(paths.map((path) => path.map(fieldElement)));

/** Identity and bookkeeping, which nobody owns. */
const strippedMetadata = pathSet([
  ["apiVersion"],
  ["kind"],
  ["metadata"],
  ...[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
  ].map((name) => ["metadata", name]),
]);

interface Endpoint extends FieldManagerOptions {
  readonly apiVersion: string;
  readonly type: SmdType;
  readonly updater: UpdaterOptions;
}

/** Throws if `typeOf` does not know the endpoint's own version, which is the caller's mistake. */
export function createFieldManager(options: FieldManagerOptions): FieldManager {
  const apiVersion = formatApiVersion(options),
    type = options.typeOf(apiVersion);
  if (!type)
    throw new TypeError(
      `create a field manager for ${apiVersion} ${options.kind}: typeOf() must know that version`,
    );
  const convert = (object: TypedObject, to: string): TypedObject | undefined =>
    convertTyped(options, object, to);
  const ignored = new Map(
    [...options.resetFields].map(([version, paths]) => [version, pathSet(paths)]),
  );
  const endpoint: Endpoint = { ...options, apiVersion, type, updater: { convert, ignored } };
  return {
    update: (live, next, manager, now) => updateOrClear(endpoint, live, next, manager, now),
    apply: (live, applied, how) => apply(endpoint, live, applied, how),
  };
}

function convertTyped(
  options: FieldManagerOptions,
  object: TypedObject,
  apiVersion: string,
): TypedObject | undefined {
  if (object.apiVersion === apiVersion) return object;
  if (!parseApiVersion(apiVersion))
    throw new MergeError(`unexpected GroupVersion string: ${apiVersion}`);
  const type = options.typeOf(apiVersion);
  if (!type && options.unknownVersions === "fail")
    throw new MergeError(`request to convert CR to an invalid group/version: ${apiVersion}`);
  if (!type) return undefined;
  const value = options.convert(object.value as JsonObject, apiVersion);
  const errors = validateTyped(type, value, "refused");
  if (errors.length) throw new MergeError(formatTypedErrors(errors));
  return { apiVersion, type, value };
}

const typed = (
  { apiVersion, type }: Endpoint,
  value: JsonObject,
  duplicates: Duplicates,
  attempt: (object: JsonObject) => string,
): TypedObject => {
  const errors = validateTyped(type, value, duplicates);
  if (errors.length) throw new MergeError(`${attempt(value)}: ${formatTypedErrors(errors)}`);
  return { apiVersion, type, value };
};

const textAt = (object: JsonObject, name: string): string =>
  isObject(object["metadata"]) && typeof object["metadata"][name] === "string"
    ? object["metadata"][name]
    : "";

/** `apps/v1, Kind=Deployment`, `/v1, Kind=Secret`; nothing at all where the apiVersion is none. */
function formatKind(object: JsonObject): string {
  const gv = parseApiVersion(typeof object["apiVersion"] === "string" ? object["apiVersion"] : "");
  if (!gv) return "/, Kind=";
  return `${gv.group}/${gv.version}, Kind=${typeof object["kind"] === "string" ? object["kind"] : ""}`;
}

const formatObject = (object: JsonObject): string =>
  `${textAt(object, "namespace")}/${textAt(object, "name")}; ${formatKind(object)}`;

function updateOrClear(
  endpoint: Endpoint,
  live: JsonObject,
  next: JsonObject,
  manager: string,
  now: string,
): JsonObject {
  const bare = withManagedFields(next, undefined);
  try {
    const before = managedBefore(endpoint, live, next);
    // An object that nobody is tracked on stays so until the first apply, unless it is only now
    // created.
    if (!before.managers.size && textAt(live, "uid")) return bare;
    return withManagedFields(
      bare,
      encodeManagedFields(
        trackUpdate(endpoint, withManagedFields(live, undefined), bare, before, manager, now),
      ),
    );
  } catch (error) {
    if (error instanceof MergeError) return bare;
    throw error;
  }
}

/** Where to start from: the list that the client sent, if it is sound, else the live one. */
function managedBefore({ subresource }: Endpoint, live: JsonObject, next: JsonObject): Managed {
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

function trackUpdate(
  endpoint: Endpoint,
  live: JsonObject,
  next: JsonObject,
  { managers, times }: Managed,
  manager: string,
  now: string,
): Managed {
  if (
    endpoint.unknownVersions === "fail" &&
    formatKind(next) !== `${endpoint.group}/${endpoint.version}, Kind=${endpoint.kind}`
  )
    throw new MergeError(`no corresponding type for ${formatKind(next)}`);
  const nextTyped = typed(
    endpoint,
    next,
    "allowed",
    (object) => `failed to convert new object (${formatObject(object)}) to smd typed`,
  );
  const liveTyped = typed(
    endpoint,
    live,
    "allowed",
    (object) => `failed to convert live object (${formatObject(object)}) to smd typed`,
  );
  const after = strip(
    updateManagers(endpoint.updater, liveTyped, nextTyped, managers, currentOperation),
    currentOperation,
  );
  const changed = after.get(currentOperation);
  if (!changed) return capUpdateManagers({ managers: after, times });
  const id = managerId(endpoint, manager, "Update");
  const merged = new Map(after);
  merged.delete(currentOperation);
  const previous = merged.get(id);
  merged.set(id, previous ? { ...changed, set: union(changed.set, previous.set) } : changed);
  return capUpdateManagers({ managers: merged, times: new Map(times).set(id, now) });
}

const managerId = (
  { apiVersion, subresource }: Endpoint,
  manager: string,
  operation: "Apply" | "Update",
): string => formatManagerId({ manager: manager || "unknown", operation, apiVersion, subresource });

function strip(managers: Managers, id: string): Managers {
  const owner = managers.get(id);
  if (!owner) return managers;
  const set = difference(owner.set, strippedMetadata);
  const out = new Map<string, VersionedSet>(managers);
  if (set.size) out.set(id, { ...owner, set });
  else out.delete(id);
  return out;
}

function apply(
  endpoint: Endpoint,
  live: JsonObject,
  applied: JsonObject,
  how: ApplyOptions,
): JsonObject {
  try {
    const outcome = applyAsClientSide(
      endpoint,
      withManagedFields(live, undefined),
      applied,
      decodeLive(live),
      how,
    );
    const object =
      how.manager === clientSideManager
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

interface ApplyOutcome {
  readonly object: JsonObject;
  readonly managed: Managed;
}

/**
 * kubectl may take without force what its client-side apply had set and nobody has changed since.
 */
function applyAsClientSide(
  endpoint: Endpoint,
  live: JsonObject,
  applied: JsonObject,
  managed: Managed,
  how: ApplyOptions,
): ApplyOutcome {
  if (formatKind(applied) !== `${endpoint.group}/${endpoint.version}, Kind=${endpoint.kind}`)
    throw badRequestError(`invalid object type: ${formatKind(applied)}`);
  try {
    return applyTracked(endpoint, live, applied, managed, how);
  } catch (error) {
    if (!(error instanceof MergeConflicts) || how.manager !== clientSideManager) throw error;
    const allowed = fieldsStillAsLastApplied(live, endpoint.apiVersion, endpoint.type);
    const left = error.conflicts.filter(({ path }) => !hasPath(allowed, path));
    if (left.length) throw new MergeConflicts(left);
    return applyTracked(endpoint, live, applied, managed, { ...how, force: true });
  }
}

function applyTracked(
  endpoint: Endpoint,
  live: JsonObject,
  applied: JsonObject,
  managed: Managed,
  how: ApplyOptions,
): ApplyOutcome {
  const before = managed.managers.size
    ? managed
    : attempt("failed to create manager for existing fields", () =>
        trackUpdate(endpoint, endpoint.empty(), live, managed, beforeFirstApply, how.now),
      );
  if (managedFieldsOf(applied)?.every(isReadableEntry))
    throw badRequestError("metadata.managedFields must be nil");
  const intent = typed(
    endpoint,
    applied,
    "refused",
    (object) => `failed to create typed patch object (${formatObject(object)})`,
  );
  const liveTyped = typed(
    endpoint,
    live,
    "allowed",
    (object) => `failed to create typed live object (${formatObject(object)})`,
  );
  const id = managerId(endpoint, how.manager, "Apply");
  const outcome = applyIntent(endpoint.updater, liveTyped, intent, before.managers, {
    manager: id,
    force: how.force,
  });
  const managers = strip(outcome.managers, id);
  if (outcome.value === undefined)
    return { object: live, managed: { managers, times: before.times } };
  return {
    object: complete(endpoint, outcome.value as JsonObject, applied),
    managed: { managers, times: new Map(before.times).set(id, how.now) },
  };
}

function complete(endpoint: Endpoint, merged: JsonObject, applied: JsonObject): JsonObject {
  try {
    // A merge shares parts with the live object and the intent.
    return endpoint.complete(cloneJson(merged));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw plainError(
      `failed to convert new object (${formatObject(applied)}) to proper version: ${conversionFault(applied, error)}`,
    );
  }
}

/**
 * Upstream converts the merged object where a codec decodes: its words for what Go's decoder says.
 */
function conversionFault(applied: JsonObject, error: Error): string {
  if (!(error.cause instanceof Error)) return error.message;
  const { message } = error.cause;
  return `unable to convert unstructured object to ${formatKind(applied)}: ${message.startsWith("illegal base64") ? `error decoding from json: ${message}` : message}`;
}
