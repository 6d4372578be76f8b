// Updates and applies of one endpoint on typed objects, with managers instead of managedFields
// entries.
// Upstream: k8s.io/apimachinery/pkg/util/managedfields/internal (structuredmerge.go,
// buildmanagerinfo.go, managedfieldsupdater.go, skipnonapplied.go).
import { cloneJson, formatApiVersion, type JsonObject } from "homeostat/api";
import { badRequestError, plainError } from "../../apimachinery/errors/api-errors.ts";
import type { SmdType } from "../../apimachinery/types/smd-type.ts";
import { union } from "../fieldpath/field-set.ts";
import { attempt, MergeError } from "../fieldpath/merge-error.ts";
import { formatTypedErrors } from "../typed/typed-error.ts";
import { type Duplicates, validateTyped } from "../typed/validate-typed.ts";
import { capUpdateManagers } from "./cap-update-managers.ts";
import type { ApplyOptions, FieldManagerOptions } from "./field-manager-options.ts";
import { formatKind, formatObject } from "./format-object.ts";
import {
  formatManagerId,
  isReadableEntry,
  type Managed,
  managedFieldsOf,
} from "./managed-fields.ts";
import type { TypedObject } from "./managers.ts";
import { namedPathSet, stripMeta } from "./strip-meta.ts";
import { Updater } from "./updater.ts";
import { createVersionConverter } from "./version-converter.ts";

/** Owns the fields of an object that had no managers before its first apply. */
const beforeFirstApply = "before-first-apply";
/** The writer of an update, until its changes are added to the fields that it owned before. */
const currentOperation = "current-operation";

/** An object without managedFields, and its managers. */
export interface Tracked {
  readonly object: JsonObject;
  readonly managed: Managed;
}

/** Who updates, and when. */
export interface UpdateOptions {
  readonly manager: string;
  /** RFC 3339, second precision. */
  readonly now: string;
}

/** Structured merge for one endpoint. */
export class StructuredMerge {
  readonly apiVersion: string;
  readonly type: SmdType;
  readonly #endpoint: FieldManagerOptions;
  readonly #updater: Updater;

  /** Throws TypeError when `typeOf` does not know the endpoint's own version. */
  constructor(endpoint: FieldManagerOptions) {
    const apiVersion = formatApiVersion(endpoint);
    const type = endpoint.typeOf(apiVersion);
    if (!type)
      throw new TypeError(
        `create a field manager for ${apiVersion} ${endpoint.kind}: typeOf() must know that version`,
      );
    this.#endpoint = endpoint;
    this.apiVersion = apiVersion;
    this.type = type;
    this.#updater = new Updater({
      convert: createVersionConverter(endpoint),
      ignored: new Map(
        [...endpoint.resetFields].map(([version, paths]) => [version, namedPathSet(paths)]),
      ),
    });
  }

  /** Managers after `next` replaced `live`. Throws {@link MergeError}. */
  update(live: Tracked, next: JsonObject, { manager, now }: UpdateOptions): Managed {
    const { managers, times } = live.managed;
    if (this.#endpoint.unknownVersions === "fail" && !this.#isOwnKind(next))
      throw new MergeError(`no corresponding type for ${formatKind(next)}`);
    const nextTyped = this.#typed(
      next,
      "allowed",
      () => `failed to convert new object (${formatObject(next)}) to smd typed`,
    );
    const liveTyped = this.#typed(
      live.object,
      "allowed",
      () => `failed to convert live object (${formatObject(live.object)}) to smd typed`,
    );
    const after = stripMeta(
      this.#updater.update(liveTyped, nextTyped, managers, currentOperation),
      currentOperation,
    );
    const changed = after.get(currentOperation);
    if (!changed) return capUpdateManagers({ managers: after, times });
    const id = this.#managerId(manager, "Update");
    const merged = new Map(after);
    merged.delete(currentOperation);
    const previous = merged.get(id);
    merged.set(id, previous ? { ...changed, set: union(changed.set, previous.set) } : changed);
    return capUpdateManagers({ managers: merged, times: new Map(times).set(id, now) });
  }

  /**
   * Merges `applied` into `live`. Throws {@link MergeError}, {@link MergeConflicts} or
   * ApiStatusError.
   */
  apply(live: Tracked, applied: JsonObject, options: ApplyOptions): Tracked {
    const { managers, times } = this.#managedBefore(live, options.now);
    if (managedFieldsOf(applied)?.every(isReadableEntry))
      throw badRequestError("metadata.managedFields must be nil");
    const intent = this.#typed(
      applied,
      "refused",
      () => `failed to create typed patch object (${formatObject(applied)})`,
    );
    const liveTyped = this.#typed(
      live.object,
      "allowed",
      () => `failed to create typed live object (${formatObject(live.object)})`,
    );
    const id = this.#managerId(options.manager, "Apply");
    const outcome = this.#updater.apply(liveTyped, intent, managers, {
      manager: id,
      force: options.force,
    });
    const stripped = stripMeta(outcome.managers, id);
    if (outcome.value === undefined)
      return { object: live.object, managed: { managers: stripped, times } };
    return {
      object: this.#complete(outcome.value as JsonObject, applied, options),
      managed: { managers: stripped, times: new Map(times).set(id, options.now) },
    };
  }

  /** Throws ApiStatusError 400 for an object of another kind. */
  assertKind(applied: JsonObject): void {
    if (!this.#isOwnKind(applied))
      throw badRequestError(`invalid object type: ${formatKind(applied)}`);
  }

  #isOwnKind(object: JsonObject): boolean {
    const { group, version, kind } = this.#endpoint;
    return formatKind(object) === `${group}/${version}, Kind=${kind}`;
  }

  #managedBefore(live: Tracked, now: string): Managed {
    if (live.managed.managers.size) return live.managed;
    const created: Tracked = { object: this.#endpoint.empty(), managed: live.managed };
    return attempt("failed to create manager for existing fields", () =>
      this.update(created, live.object, { manager: beforeFirstApply, now }),
    );
  }

  #typed(value: JsonObject, duplicates: Duplicates, prefix: () => string): TypedObject {
    const { apiVersion, type } = this;
    const errors = validateTyped(type, value, duplicates);
    if (errors.length) throw new MergeError(`${prefix()}: ${formatTypedErrors(errors)}`);
    return { apiVersion, type, value };
  }

  #managerId(manager: string, operation: "Apply" | "Update"): string {
    return formatManagerId({
      manager: manager || "unknown",
      operation,
      apiVersion: this.apiVersion,
      subresource: this.#endpoint.subresource,
    });
  }

  #complete(merged: JsonObject, applied: JsonObject, { takeEmptied }: ApplyOptions): JsonObject {
    try {
      // A merge shares parts with the live object and the intent.
      return this.#endpoint.complete(cloneJson(merged), takeEmptied);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      throw plainError(
        `failed to convert new object (${formatObject(applied)}) to proper version: ${conversionFault(applied, error)}`,
      );
    }
  }
}

/** Upstream converts the merged object where this server decodes it. */
function conversionFault(applied: JsonObject, error: Error): string {
  if (!(error.cause instanceof Error)) return error.message;
  const { message } = error.cause;
  const fault = message.startsWith("illegal base64")
    ? `error decoding from json: ${message}`
    : message;
  return `unable to convert unstructured object to ${formatKind(applied)}: ${fault}`;
}
