// Arithmetic on lists of resources (`{cpu: "100m", memory: "1Gi"}`): rounding, comparing, and the
// sums that a pod needs of its containers.
// Upstream: k8s.io/kubernetes/pkg/apis/core/v1/defaults.go (SetDefaults_ResourceList),
// k8s.io/component-helpers/resource/helpers.go (AggregateContainerRequests,
// AggregateContainerLimits).
import type { Json, JsonObject } from "homeostat/api";
import {
  formatQuantity,
  parseQuantity,
  type Quantity,
} from "../../../apimachinery/values/quantity.ts";
import {
  mutableAt,
  itemsAt,
  textMapAt,
  objectAt,
  stringAt,
} from "../../../apimachinery/meta/read-fields.ts";

/** A sum in the making: amounts by resource name. */
export type ResourceSum = Map<string, Quantity>;

/** Which of the two lists of a container. */
export type ResourceBound = "requests" | "limits";

const milli = 1_000_000n;

/** Rounds limits and requests up to thousandths, in place. */
export function roundResources(requirements: JsonObject): void {
  for (const bound of ["limits", "requests"]) roundList(mutableAt(requirements, bound));
}

/** Rounds every quantity of a list up to thousandths, in place. */
export function roundList(list: JsonObject | undefined): void {
  if (!list) return;
  for (const name of Object.keys(list)) {
    const quantity = parseQuantity(String(list[name]));
    if (quantity.nano % milli !== 0n)
      list[name] = formatQuantity({ ...quantity, nano: roundUp(quantity.nano) });
  }
}

/** Away from zero, as Go's RoundUp does. */
function roundUp(nano: bigint): bigint {
  return nano > 0n ? ((nano + milli - 1n) / milli) * milli : ((nano - milli + 1n) / milli) * milli;
}

/** Billionths of a quantity. */
export const nanoOf = (quantity: Json | undefined): bigint =>
  parseQuantity(String(quantity ?? "0")).nano;

/**
 * What all containers of a pod need together: sidecars run beside the rest, other init containers
 * one after another.
 */
export function sumContainers(spec: JsonObject, bound: ResourceBound): ResourceSum {
  const total: ResourceSum = new Map();
  for (const container of itemsAt(spec, "containers")) add(total, boundOf(container, bound));
  const sidecars: ResourceSum = new Map();
  const most: ResourceSum = new Map();
  for (const container of itemsAt(spec, "initContainers")) {
    const own = boundOf(container, bound);
    if (stringAt(container, "restartPolicy") === "Always") {
      add(total, own);
      add(sidecars, own);
      raise(most, sidecars);
    } else {
      const now: ResourceSum = new Map();
      add(now, own);
      addSum(now, sidecars);
      raise(most, now);
    }
  }
  raise(total, most);
  return total;
}

function boundOf(container: JsonObject, bound: ResourceBound): Readonly<Record<string, string>> {
  return textMapAt(objectAt(container, "resources"), bound);
}

function add(sum: ResourceSum, list: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(list)) addOne(sum, name, parseQuantity(text));
}

function addSum(sum: ResourceSum, other: ResourceSum): void {
  for (const [name, quantity] of other) addOne(sum, name, quantity);
}

function addOne(sum: ResourceSum, name: string, quantity: Quantity): void {
  const before = sum.get(name);
  sum.set(
    name,
    before && before.nano !== 0n
      ? { nano: before.nano + quantity.nano, format: before.format }
      : quantity,
  );
}

function raise(sum: ResourceSum, other: ResourceSum): void {
  for (const [name, quantity] of other) {
    const before = sum.get(name);
    if (!before || quantity.nano > before.nano) sum.set(name, quantity);
  }
}
