// Arithmetic on lists of resources (`{cpu: "100m", memory: "1Gi"}`): rounds them, and sums those of
// a pod's containers.
// Upstream: k8s.io/kubernetes/pkg/apis/core/v1/defaults.go (SetDefaults_ResourceList),
// k8s.io/component-helpers/resource/helpers.go (AggregateContainerRequests,
// AggregateContainerLimits).
import type { Decoded, Json } from "homeostat/api";
import type {
  Container,
  PodSpec,
  ResourceRequirements,
  VolumeResourceRequirements,
} from "homeostat/k8s/core/v1";
import {
  addQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
} from "../../../apimachinery/values/quantity.ts";
import { isPodLevelResource } from "./resource-names.ts";

/** Quantities by resource name; functions here add to it in place. */
export type ResourceSum = Map<string, Quantity>;

/** Which of the two lists of a container. */
export type ResourceBound = "requests" | "limits";

const milli = 1_000_000n;

/** Rounds limits and requests up to thousandths, in place. */
export function roundResources(
  requirements: Decoded<ResourceRequirements> | Decoded<VolumeResourceRequirements>,
): void {
  for (const bound of ["limits", "requests"] as const) roundList(requirements[bound]);
}

/** Rounds every quantity of a list up to thousandths, in place. */
export function roundList(list: Record<string, string> | null | undefined): void {
  if (!list) return;
  for (const [name, text] of Object.entries(list)) {
    const quantity = parseQuantity(text);
    if (quantity.nano % milli !== 0n)
      list[name] = formatQuantity({ ...quantity, nano: roundUp(quantity.nano) });
  }
}

/** Away from zero, as Go's RoundUp does. */
function roundUp(nano: bigint): bigint {
  return nano > 0n ? ((nano + milli - 1n) / milli) * milli : ((nano - milli + 1n) / milli) * milli;
}

/** A quantity in billionths; zero where there is none. */
export const nanoOf = (quantity: Json | undefined): bigint =>
  parseQuantity(String(quantity ?? "0")).nano;

/**
 * The sum of the resources of a pod's containers: sidecars run beside the rest, other init
 * containers one after another.
 */
export function sumContainers(spec: Decoded<PodSpec>, bound: ResourceBound): ResourceSum {
  const total: ResourceSum = new Map();
  for (const container of spec.containers ?? []) add(total, boundOf(container, bound));
  const sidecars: ResourceSum = new Map();
  const most: ResourceSum = new Map();
  for (const container of spec.initContainers ?? []) {
    const own = boundOf(container, bound);
    if (container.restartPolicy === "Always") {
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

/**
 * The requests or limits of a pod, overhead included. Pod-level resources replace the sum of the
 * containers. Upstream: PodRequests, PodLimits.
 */
export function sumPod(spec: Decoded<PodSpec>, bound: ResourceBound): ResourceSum {
  const sum = sumContainers(spec, bound);
  for (const [name, text] of Object.entries(spec.resources?.[bound] ?? {}))
    if (isPodLevelResource(name)) sum.set(name, parseQuantity(text));
  for (const [name, text] of Object.entries(spec.overhead ?? {}))
    if (bound === "requests" || (sum.get(name)?.nano ?? 0n) !== 0n)
      addTo(sum, name, parseQuantity(text));
  return sum;
}

function boundOf(
  container: Decoded<Container>,
  bound: ResourceBound,
): Readonly<Record<string, string>> {
  return container.resources?.[bound] ?? {};
}

function add(sum: ResourceSum, list: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(list)) addTo(sum, name, parseQuantity(text));
}

function addSum(sum: ResourceSum, other: ResourceSum): void {
  for (const [name, quantity] of other) addTo(sum, name, quantity);
}

/** Adds to a sum. A zero sum takes the format of the addend. */
export function addTo(sum: ResourceSum, name: string, quantity: Quantity): void {
  sum.set(name, addQuantities(sum.get(name), quantity));
}

function raise(sum: ResourceSum, other: ResourceSum): void {
  for (const [name, quantity] of other) {
    const before = sum.get(name);
    if (!before || quantity.nano > before.nano) sum.set(name, quantity);
  }
}
