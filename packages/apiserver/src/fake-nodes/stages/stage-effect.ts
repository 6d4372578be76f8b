// Converts the effect of a stage to patches: status values, templates and finalizers. Pure.
// Upstream: sigs.k8s.io/kwok/pkg/utils/lifecycle/next.go.
import type { JsonObject } from "homeostat/api";
import { parse } from "yaml";
import { parseGoTemplate } from "./go-template.ts";
import type { StageEffect } from "./stage.ts";
import { stageFunctionNames, stageFunctions, type StageEnvironment } from "./stage-functions.ts";

/** A patch request. */
export interface StageWrite {
  readonly type: "json" | "merge" | "strategic";
  readonly subresource?: string;
  readonly body: unknown;
}

/** The object of a stage and its environment. */
export interface EffectTarget {
  readonly object: { readonly metadata: { readonly finalizers?: readonly string[] } };
  readonly environment: StageEnvironment;
  /** The patch type for the status of this kind. */
  readonly statusType: "merge" | "strategic";
}

/** The patches of an effect, in order. @throws TemplateError */
export function stageWrites(
  { status, statusTemplate, patches = [], finalizers }: StageEffect,
  { object, environment, statusType }: EffectTarget,
): readonly StageWrite[] {
  const render = (template: string): unknown =>
    parse(
      parseGoTemplate(template, stageFunctionNames).render(object, stageFunctions(environment)),
    ) as unknown;
  const statuses = [
    ...(status ? [status] : []),
    ...(statusTemplate === undefined ? [] : [render(statusTemplate)]),
  ].filter((one) => one !== null && one !== undefined);
  const kept = finalizers && finalizersAfter(object.metadata.finalizers ?? [], finalizers);
  return [
    ...statuses.map((body): StageWrite => ({
      type: statusType,
      subresource: "status",
      body: { status: body },
    })),
    ...patches.map(({ type, subresource, root, template }): StageWrite => {
      const value = render(template);
      return {
        type,
        ...(subresource === undefined ? {} : { subresource }),
        body: root === undefined ? value : { [root]: value },
      };
    }),
    ...(kept ? [{ type: "merge" as const, body: { metadata: { finalizers: kept } } }] : []),
  ];
}

/** The new finalizers; undefined if nothing changes. */
function finalizersAfter(
  before: readonly string[],
  { add = [], remove = [], empty }: NonNullable<StageEffect["finalizers"]>,
): readonly string[] | undefined {
  const kept = empty ? [] : before.filter((one) => !remove.includes(one));
  const after = [...kept, ...add.filter((one) => !kept.includes(one))];
  return after.length === before.length && after.every((one, i) => one === before[i])
    ? undefined
    : after;
}

/** Whether a merge patch would change nothing. Conditions are matched by type. */
export function isApplied(object: unknown, patch: unknown): boolean {
  if (patch === null || patch === undefined || patch === "")
    return object === undefined || object === null || object === "";
  if (Array.isArray(patch)) {
    if (!Array.isArray(object)) return patch.length === 0;
    if (
      patch.length > 0 &&
      patch.every(
        (one) => typeof one === "object" && one !== null && "type" in one && "status" in one,
      )
    )
      return patch.every((one) =>
        object.some(
          (other) =>
            (other as JsonObject)["type"] === (one as JsonObject)["type"] && isApplied(other, one),
        ),
      );
    return object.length === patch.length && patch.every((one, i) => isApplied(object[i], one));
  }
  if (typeof patch !== "object") return String(object) === String(patch);
  return Object.entries(patch).every(
    ([key, value]) =>
      isApplied((object as JsonObject | undefined)?.[key], value) ||
      isOmitted(value, (object as JsonObject | undefined)?.[key]),
  );
}

/** The server omits false, zero and empty values. */
const isOmitted = (value: unknown, current: unknown): boolean =>
  current === undefined &&
  (value === false ||
    value === 0 ||
    (typeof value === "object" && value !== null && Object.keys(value).length === 0));
