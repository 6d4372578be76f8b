// Reads CreateOptions, UpdateOptions and PatchOptions from a query.
// Upstream: k8s.io/apimachinery/pkg/apis/meta/v1 (types.go, validation/validation.go).
import type { JsonObject } from "homeostat/api";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import { validateFieldManager } from "../../apimachinery/meta/validate-managed-fields.ts";
import type { FieldValidation } from "../body/read-object.ts";
import type { Query } from "../request/query.ts";
import { assertOptions, validateDryRun, validateFieldValidation } from "./validate-options.ts";

/** The options of a create, an update or a patch. */
export interface WriteOptions {
  readonly kind: "CreateOptions" | "UpdateOptions" | "PatchOptions";
  readonly dryRun: boolean;
  /** "" when not given; the user agent stands in for it, except in an apply. */
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  /** What the query says about it; "" when it says nothing. */
  readonly statedFieldValidation: string;
  /** Applies only: take fields from other managers. */
  readonly force: boolean;
}

/** Reads the options of a create or update. Throws 422. */
export function readWriteOptions(
  kind: "CreateOptions" | "UpdateOptions",
  query: Query,
): WriteOptions {
  return query.raw === "" ? plain[kind] : checked(kind, query, []);
}

/**
 * Reads the options of a patch; an apply must name its manager, and only an apply may be forced.
 * Throws 422.
 */
export function readPatchOptions(query: Query, patchType: string): WriteOptions {
  const isApply = patchType === "application/apply-patch+yaml";
  const errors: FieldError[] = [];
  if (isApply && query.text("fieldManager") === "")
    errors.push(fieldError.required("fieldManager", "is required for apply patch"));
  if (!isApply && query.flag("force") !== undefined)
    errors.push(fieldError.forbidden("force", "may not be specified for non-apply patch"));
  return checked("PatchOptions", query, errors);
}

/** The options as admission shows them. */
export function formatWriteOptions(
  options: WriteOptions,
  kind: WriteOptions["kind"] = options.kind,
): JsonObject {
  return {
    kind,
    apiVersion: "meta.k8s.io/v1",
    ...(options.dryRun ? { dryRun: ["All"] } : {}),
    ...(options.fieldManager ? { fieldManager: options.fieldManager } : {}),
    ...(options.statedFieldValidation ? { fieldValidation: options.statedFieldValidation } : {}),
    ...(kind === "PatchOptions" && options.force ? { force: true } : {}),
  };
}

const nothing = {
  dryRun: false,
  fieldManager: "",
  fieldValidation: "Warn",
  statedFieldValidation: "",
  force: false,
} as const;
const plain = {
  CreateOptions: { kind: "CreateOptions", ...nothing },
  UpdateOptions: { kind: "UpdateOptions", ...nothing },
} as const;

function checked(
  kind: WriteOptions["kind"],
  query: Query,
  errors: readonly FieldError[],
): WriteOptions {
  const dryRun = query.all("dryRun") ?? [];
  const fieldManager = query.text("fieldManager");
  const fieldValidation = query.text("fieldValidation");
  assertOptions(kind, [
    ...errors,
    ...validateFieldManager(fieldManager, "fieldManager"),
    ...validateDryRun(dryRun),
    ...validateFieldValidation(fieldValidation),
  ]);
  return {
    kind,
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: (fieldValidation || "Warn") as FieldValidation,
    statedFieldValidation: fieldValidation,
    force: query.flag("force") ?? false,
  };
}
