// Writes pods through their strategies without a server. For tests only.
import assert from "node:assert/strict";
import { type JsonObject, parseJson } from "homeostat/api";
import { createTokenIssuer } from "../../../certificates/token-issuer.ts";
import { deducedType } from "../../../apimachinery/types/smd-type.ts";
import type { ConnectTools } from "../../../apimachinery/rest/connecter.ts";
import type { ServedResource } from "../../../apimachinery/rest/served-resource.ts";
import { type Strategy, toOutcome } from "../../../apimachinery/rest/strategy.ts";
import type { WriteContext } from "../../../apimachinery/rest/write-context.ts";
import { createBuiltinResources } from "../../create-builtin-resources.ts";
import { readKindData } from "../../../apimachinery/kind-data/read-kind-data.ts";

const data = readKindData("1.36");
export const pods: ServedResource = createBuiltinResources({ data, smdOf: () => deducedType }).find(
  (each) => each.resource === "pods",
)!;

export const context = (warnings: string[] = []): WriteContext => ({
  user: "u",
  dryRun: false,
  subresource: "",
  now: "2026-01-01T00:00:00Z",
  warn: (text) => void warnings.push(text),
});
export const texts = (
  errors: readonly { readonly field: string; readonly body: string }[],
): string[] => errors.map((error) => `${error.field}: ${error.body.split("\n", 1)[0]}`);
export const at = (object: JsonObject, ...path: readonly (string | number)[]): JsonObject =>
  path.reduce<unknown>(
    (value, step) => (value as Record<string | number, unknown>)[step],
    object,
  ) as JsonObject;

export interface Created {
  readonly pod: JsonObject;
  readonly errors: string[];
  readonly warnings: string[];
}

export function create(spec: object, metadata: object = {}): Created {
  const warnings: string[] = [];
  const pod = pods.codec.decode(
    parseJson(
      JSON.stringify({
        metadata: { name: "p", namespace: "n", resourceVersion: "1", ...metadata },
        spec,
      }),
    ),
  ).object;
  pods.strategy.prepareForCreate(pod, context(warnings));
  const errors = texts(pods.strategy.validateCreate(pod, context()));
  warnings.push(...pods.strategy.warningsOnCreate(pod, context()));
  return { pod, errors, warnings };
}

export function change(
  old: JsonObject,
  edit: (pod: JsonObject) => void,
  strategy: Strategy = pods.strategy,
): { readonly pod: JsonObject; readonly errors: string[] } {
  const pod = structuredClone(old);
  edit(pod);
  strategy.prepareForUpdate(pod, old, context());
  return { pod, errors: texts(toOutcome(strategy.validateUpdate(pod, old, context())).errors) };
}

export const view = (name: string): Strategy => {
  const found = pods.subresources.get(name);
  assert.ok(found?.at === "store");
  return found.strategy;
};

export const plain = { containers: [{ name: "c", image: "app:1" }] };

export const untouched: ConnectTools = {
  query: () => undefined,
  integer: () => undefined,
  overwrite: async () => {},
  overwriteOther: async () => {},
  remove: async () => {},
  list: () => [],
  find: () => undefined,
  tokens: createTokenIssuer(),
  newUid: () => "uid",
};
