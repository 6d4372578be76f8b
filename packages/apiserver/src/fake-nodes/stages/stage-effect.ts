// What a stage writes, as patches: from values, templates and finalizers to bodies of requests.
// Pure.
// Upstream: sigs.k8s.io/kwok/pkg/utils/lifecycle/next.go.
import type { JsonObject } from "homeostat/api";
import { parse } from "yaml";
import { parseGoTemplate } from "./go-template.ts";
import type { StageEffect } from "./stage.ts";
import { stageFunctionNames, stageFunctions, type StageWorld } from "./stage-functions.ts";

/** A request in the making. */
export interface StageWrite {
  readonly type: "json" | "merge" | "strategic";
  readonly subresource?: string;
  readonly body: unknown;
}

/** The object that a stage is about. */
export interface EffectTarget {
  readonly object: { readonly metadata: { readonly finalizers?: readonly string[] } };
  readonly world: StageWorld;
  /** How a status is merged into an object of this kind. */
  readonly statusType: "merge" | "strategic";
}

/**
 * Writes of an effect, in order. Patches that change nothing are left to the server. @throws
 * TemplateError
 */
export function stageWrites(
  { status, statusTemplate, patches = [], finalizers }: StageEffect,
  { object, world, statusType }: EffectTarget,
): readonly StageWrite[] {
  const render = (template: string): unknown =>
    parse(
      parseGoTemplate(template, stageFunctionNames).render(object, stageFunctions(world)),
    ) as unknown;
  const said = [
    ...(status ? [status] : []),
    ...(statusTemplate === undefined ? [] : [render(statusTemplate)]),
  ].filter((one) => one !== null && one !== undefined);
  const kept = finalizers && finalizersAfter(object.metadata.finalizers ?? [], finalizers);
  return [
    ...said.map((body): StageWrite => ({
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

/** Undefined where they are as they ought to be. */
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

/**
 * Whether an object says already what a merge would make it say; conditions are looked up by type.
 */
export function saysAlready(object: unknown, patch: unknown): boolean {
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
            (other as JsonObject)["type"] === (one as JsonObject)["type"] &&
            saysAlready(other, one),
        ),
      );
    return object.length === patch.length && patch.every((one, i) => saysAlready(object[i], one));
  }
  if (typeof patch !== "object") return String(object) === String(patch);
  return Object.entries(patch).every(
    ([key, value]) =>
      saysAlready((object as JsonObject | undefined)?.[key], value) ||
      isNothing(value, (object as JsonObject | undefined)?.[key]),
  );
}

/** The server leaves out what says nothing. */
const isNothing = (value: unknown, there: unknown): boolean =>
  there === undefined &&
  (value === false ||
    value === 0 ||
    (typeof value === "object" && value !== null && Object.keys(value).length === 0));
