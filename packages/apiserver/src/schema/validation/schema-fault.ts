// Errors of kube-openapi's validators, and their conversion to field errors, which depends on a
// fault's code. Composite faults (anyOf, ranges, …) have no code upstream, and lose their path.
// Upstream: k8s.io/kube-openapi/pkg/validation/errors/schema.go;
// k8s.io/apiextensions-apiserver/pkg/apiserver/validation (kubeOpenAPIResultToFieldErrors).
import { encodeJson, type Json } from "homeostat/api";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { type FieldError, quoteGo } from "../../apimachinery/errors/field-error.ts";
import { formatGoValue } from "../../apimachinery/values/go-format.ts";

/** Faults of code `value` become Invalid at their path, `plain` ones Invalid without a path. */
export type FaultCode = "required" | "enum" | "tooLong" | "tooMany" | "type" | "value" | "plain";

/** One fault. Faults with the same text count once. */
export interface SchemaFault {
  readonly code: FaultCode;
  readonly text: string;
  /** `spec.size`, `.spec` for a missing member of the root, "" for the root itself. */
  readonly path: string;
  readonly value?: Json | undefined;
  /** The limit of tooLong and tooMany. */
  readonly limit?: number;
  readonly members?: readonly Json[];
}

export const plainFault = (text: string): SchemaFault => ({ code: "plain", text, path: "" });
export const valueFault = (path: string, text: string, value: Json | undefined): SchemaFault => ({
  code: "value",
  text,
  path,
  value,
});
export const requiredFault = (path: string): SchemaFault => ({
  code: "required",
  text: `${path} in body is required`,
  path,
});
export const enumFault = (path: string, value: Json, members: readonly Json[]): SchemaFault => ({
  code: "enum",
  text: `${path} in body should be one of ${formatGoValue(members as Json[])}`,
  path,
  value,
  members,
});
export const tooLongFault = (path: string, limit: number): SchemaFault => ({
  code: "tooLong",
  text: `${path} in body should be at most ${limit} chars long`,
  path,
  limit,
});
export const tooManyFault = (
  path: string,
  what: "items" | "properties",
  size: number,
  limit: number,
): SchemaFault => ({
  code: "tooMany",
  text: `${path} in body should have at most ${limit} ${what}`,
  path,
  value: size,
  limit,
});
/** `found` is the type of the value, or a string without the wanted format. */
export const typeFault = (path: string, wanted: string, found: string): SchemaFault => ({
  code: "type",
  text: `${path} in body must be of type ${wanted}: ${quoteGo(found)}`,
  path,
  value: found,
});

/**
 * Field errors of faults. `base` is the path of the validated value, e.g. `status`; "" for a whole
 * object.
 */
export function toFieldErrors(faults: readonly SchemaFault[], base: string): readonly FieldError[] {
  return faults.map((fault) => toFieldError(fault, base));
}

function toFieldError(fault: SchemaFault, base: string): FieldError {
  const field = joinPath(base, fault.path);
  const value = fault.value ?? "";
  switch (fault.code) {
    case "required":
      return fieldError.required(field, "");
    case "enum":
      return fieldError.notSupported(
        field,
        fault.value ?? null,
        (fault.members ?? []).map((member) =>
          typeof member === "string" ? member : encodeJson(member),
        ),
      );
    case "tooLong":
      return fieldError.tooLong(field, fault.limit!);
    case "tooMany":
      return fieldError.tooMany(field, Number(fault.value), fault.limit!);
    case "type":
      return fieldError.typeInvalid(field, value, fault.text);
    case "value":
      return fieldError.invalid(field, value, fault.text);
    case "plain":
      return fieldError.invalid(base || "<nil>", "", fault.text);
  }
}

/** An empty path prints as `<nil>`, as a nil path does in Go. */
function joinPath(base: string, path: string): string {
  if (path === "" || path === ".") return base || "<nil>";
  const name = path.startsWith(".") ? path.slice(1) : path;
  return base ? `${base}.${name}` : name;
}
