// Selectors: CEL expressions that devices must fulfil.
// Upstream: k8s.io/kubernetes/pkg/apis/resource/validation/validation.go (validateSelector,
// validateCELSelector).
import { loadLate } from "../../apimachinery/load-late.ts";
import type { Decoded } from "homeostat/api";
import type { DeviceSelector } from "homeostat/k8s/resource/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { validateList } from "./bounded-lists.ts";
import type { Age } from "./device-configuration.ts";

const maxSelectors = 32;
const maxExpression = 10 * 1024;
const maxCost = 1_000_000;

/** Every violation in a list of selectors. */
export function selectorErrors(
  selectors: readonly Decoded<DeviceSelector>[],
  path: string,
  age: Age,
): readonly FieldError[] {
  return validateList(
    selectors,
    maxSelectors,
    ({ cel }, at) =>
      cel
        ? expressionErrors(cel.expression ?? "", `${at}.cel.expression`, age)
        : [fieldError.required(`${at}.cel`, "")],
    path,
  );
}

function expressionErrors(expression: string, path: string, age: Age): FieldError[] {
  if (Buffer.byteLength(expression) > maxExpression)
    return [fieldError.tooLong(path, maxExpression)];
  const compiled = selectorCompiler().compileSelector(expression, age);
  if ("fault" in compiled) return [fieldError.invalid(path, expression, compiled.fault)];
  return errorIf(compiled.cost > maxCost, () =>
    fieldError.forbidden(path, "too complex, exceeds cost limit"),
  );
}

/** Loaded with the first selector: most servers see none, and CEL is a third of the modules. */
const selectorCompiler = (): typeof import("./compile-selector.ts") =>
  loadLate(import.meta.url, "./compile-selector") as typeof import("./compile-selector.ts");
