// Runs the strategy of one built-in kind without a server: takes bodies, returns prepared objects,
// errors and warnings. For tests only.
import { agesAt } from "../apimachinery/rest/table-printer.ts";
import assert from "node:assert/strict";
import { type JsonObject, parseJson } from "homeostat/api";
import type { ServedResource } from "../apimachinery/rest/served-resource.ts";
import type { FieldError } from "../apimachinery/errors/field-error.ts";
import { deducedType } from "../apimachinery/types/smd-type.ts";
import { type Strategy, toOutcome, type ValidationResult } from "../apimachinery/rest/strategy.ts";
import type { WriteContext } from "../apimachinery/rest/write-context.ts";
import { createServiceAllocation } from "../post-start-hooks/service-allocation-controller.ts";
import { ipAddressKind } from "./networking/ip-address.ts";
import { readServiceRanges } from "./core/service/service-ranges.ts";
import { serviceKind } from "./core/service/service.ts";
import { createBuiltinResources } from "./create-builtin-resources.ts";
import { readKindData } from "../apimachinery/kind-data/read-kind-data.ts";

/** The context of a write in which a strategy must not warn by itself. */
export const silentContext = (): WriteContext => ({
  user: "u",
  dryRun: false,
  subresource: "",
  now: "2026-01-01T00:00:00Z",
  warn: () => assert.fail("a strategy returns its warnings"),
});

/** `spec.ports: Required value`. */
export const printErrors = (result: ValidationResult): string[] =>
  toOutcome(result).errors.map(({ field, body }) => `${field}: ${body}`);

/** The result of a write. */
export interface Tried {
  readonly object: JsonObject;
  /** `spec.ports: Required value`. */
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** The strategy of one kind. */
export interface OpenKind {
  create(body: object): Tried;
  /** The main endpoint without a subresource. */
  update(old: JsonObject, body: object, subresource?: string): Tried;
  cells(object: JsonObject): readonly unknown[];
}

/** As the registry does: only a valid object is warned about. */
function warnUnless(
  errors: readonly FieldError[],
  context: WriteContext,
  warnings: () => readonly string[],
): void {
  if (errors.length) return;
  for (const text of warnings()) context.warn(text);
}

/** Opens a kind by group and plural; each call allocates from new pools. */
export function openKind(group: string, plural: string): OpenKind {
  const resource = findResource(group, plural);
  const attempt = (
    body: object,
    write: (object: JsonObject, context: WriteContext) => ReturnType<Strategy["validateCreate"]>,
  ): Tried => {
    const warnings: string[] = [];
    const { object, emptied } = resource.codec.decode(parseJson(JSON.stringify(body)));
    const errors = write(object, {
      user: "ann",
      caller: { name: "ann", groups: ["devs"] },
      dryRun: false,
      subresource: "",
      now: "2026-01-01T00:00:00Z",
      emptied,
      newUid: () => "1f0c9b1e-0000-4000-8000-000000000000",
      warn: (text) => void warnings.push(text),
    });
    return { object, errors: printErrors(errors), warnings };
  };
  return {
    create: (body) =>
      attempt(body, (object, context) => {
        resource.strategy.reserve?.(object, undefined, context);
        resource.strategy.prepareForCreate(object, context);
        void resource.committed?.(object, null);
        const errors = resource.strategy.validateCreate(object, context);
        warnUnless(errors, context, () => resource.strategy.warningsOnCreate(object, context));
        return errors;
      }),
    update: (old, body, subresource = "") =>
      attempt(body, (object, context) => {
        const sub = resource.subresources.get(subresource);
        const strategy = sub?.at === "store" ? sub.strategy : resource.strategy;
        strategy.reserve?.(object, old, context);
        strategy.prepareForUpdate(object, old, context);
        const { errors, warnings } = toOutcome(strategy.validateUpdate(object, old, context));
        for (const text of warnings) context.warn(text);
        warnUnless(errors, context, () => strategy.warningsOnUpdate(object, old, context));
        return errors;
      }),
    cells: (object) => resource.table.cells(object, agesAt(Date.parse("2026-01-01T00:01:00Z"))),
  };
}

function findResource(group: string, plural: string): ServedResource {
  const data = readKindData("1.36", new Set(["storagemigration.k8s.io"]));
  const services = createServiceAllocation(readServiceRanges({}));
  const resource = createBuiltinResources({ data, smdOf: () => deducedType }, [
    serviceKind(services.pool, services.committed),
    ipAddressKind(services.addressCommitted),
  ]).find((each) => each.group === group && each.resource === plural);
  if (!resource)
    throw new Error(`open ${plural} of ${group || "the legacy group"}: no such built-in kind`);
  return resource;
}
