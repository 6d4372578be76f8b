// The name of a CSI driver.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidateCSIDriverName).
import { dnsSubdomainFaults } from "homeostat/api";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";

/** A subdomain of at most 63 bytes; upper case is allowed. */
export function csiNameErrors(name: string, path: string): FieldError[] {
  if (!name) return [fieldError.required(path, "")];
  return [
    ...errorIf(Buffer.byteLength(name) > 63, () => fieldError.tooLong(path, 63)),
    ...dnsSubdomainFaults(name.toLowerCase()).map((fault) => fieldError.invalid(path, name, fault)),
  ];
}
