// What Decoded makes of each sort of type. Compiled only, as part of `npm run check`.
import type { Decoded, Json, JsonObject } from "homeostat/api";
import type { JSONSchemaProps } from "homeostat/k8s/apiextensions/v1";
import type { Pod, PodSpec } from "homeostat/k8s/core/v1";

type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

export const same: readonly [
  Same<Decoded<unknown>, Json>,
  Same<Decoded<any>, Json>,
  Same<Decoded<Readonly<Record<string, string>>>, { [key: string]: string }>,
  Same<Decoded<"Always" | "Never">, "Always" | "Never">,
  Same<Decoded<readonly string[]>, string[]>,
  Same<Decoded<number | string>, number | string>,
] = [true, true, true, true, true, true];

/** Fields are reached by name, may be missing at any depth, and can be written. */
export function imagesOf(pod: Decoded<Pod>): readonly string[] {
  const spec: Decoded<PodSpec> = (pod.spec ??= {});
  spec.containers ??= [];
  spec.terminationGracePeriodSeconds ??= 30;
  return spec.containers.map(({ image }) => image ?? "");
}

/** A decoded object is JSON, whatever its type. */
export const asJson = (pod: Decoded<Pod>, schema: Decoded<JSONSchemaProps>): JsonObject => ({
  ...pod,
  schema,
});

/** A type that holds itself, directly and in a union. */
export function itemsOf({ items }: Decoded<JSONSchemaProps>): Decoded<JSONSchemaProps>[] {
  if (!items) return [];
  return Array.isArray(items) ? items : [items];
}
