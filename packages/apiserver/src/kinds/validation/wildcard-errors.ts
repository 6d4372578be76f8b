// Lists in which "*" stands for everything.
// Upstream: k8s.io/kubernetes/pkg/apis/{admissionregistration,flowcontrol}/validation.
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";

/** `if '*' is present, must not specify other …`. */
export const wildcardErrors = (
  texts: readonly string[],
  path: string,
  what: string,
): FieldError[] =>
  errorIf(texts.length > 1 && texts.includes("*"), () =>
    fieldError.invalid(path, [...texts], `if '*' is present, must not specify other ${what}`),
  );
