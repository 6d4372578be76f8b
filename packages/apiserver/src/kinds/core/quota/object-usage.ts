// The usage of services, persistent volume claims and resources with object counts only. Pure.
// Upstream: k8s.io/kubernetes/pkg/quota/v1/evaluator/core (services.go,
// persistent_volume_claims.go, registry.go).
import { parseQuantity, type Quantity } from "../../../apimachinery/values/quantity.ts";
import type { Decoded } from "homeostat/api";
import type {
  PersistentVolumeClaim,
  ScopedResourceSelectorRequirement,
  Service,
} from "homeostat/k8s/core/v1";
import type { ResourceSum } from "../resources/resource-lists.ts";
import { meetsScope, one, zero } from "./quota-amounts.ts";

const serviceResources: ReadonlySet<string> = new Set([
  "count/services",
  "services",
  "services.nodeports",
  "services.loadbalancers",
]);
const claimResources = ["persistentvolumeclaims", "requests.storage"] as const;
const ofClass = ".storageclass.storage.k8s.io/";
const nano = 1_000_000_000n;

export const isServiceResource = (name: string): boolean => serviceResources.has(name);

/** The usage of a service: the object, its node ports and its load balancer. */
export function serviceUsage({ spec }: Decoded<Service>): ResourceSum {
  const type = spec?.type;
  const ports = spec?.ports ?? [];
  const allocates =
    type === "NodePort" ||
    (type === "LoadBalancer" && spec?.allocateLoadBalancerNodePorts !== false);
  const fixed =
    type === "LoadBalancer" ? ports.filter((port) => (port.nodePort ?? 0) !== 0).length : 0;
  return new Map([
    ["count/services", one],
    ["services", one],
    ["services.loadbalancers", type === "LoadBalancer" ? one : zero],
    [
      "services.nodeports",
      { nano: BigInt(allocates ? ports.length : fixed) * nano, format: "DecimalSI" },
    ],
  ]);
}

export const isClaimResource = (name: string): boolean =>
  name === "count/persistentvolumeclaims" ||
  claimResources.some((one) => name === one || name.endsWith(`${ofClass}${one}`));

/** The usage of a claim, in total and by storage class. */
export function claimUsage({
  metadata,
  spec,
  status,
}: Decoded<PersistentVolumeClaim>): ResourceSum {
  const storageClass =
    metadata?.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? spec?.storageClassName;
  const requested = spec?.resources?.requests?.["storage"];
  const allocated = status?.allocatedResources?.["storage"];
  const used: ResourceSum = new Map([["count/persistentvolumeclaims", one]]);
  const charge = (name: (typeof claimResources)[number], amount: Quantity): void => {
    used.set(name, amount);
    if (storageClass) used.set(`${storageClass}${ofClass}${name}`, amount);
  };
  charge("persistentvolumeclaims", one);
  if (requested !== undefined) {
    const [want, have] = [parseQuantity(requested), parseQuantity(allocated ?? "0")];
    charge("requests.storage", whole(have.nano > want.nano ? have : want));
  }
  return used;
}

/** Rounds up to whole bytes. */
const whole = ({ nano: amount, format }: Quantity): Quantity => ({
  nano: ((amount + nano - 1n) / nano) * nano,
  format,
});

/** Whether the claim is in a scope. VolumeAttributesClass is the only scope of claims. */
export function isClaimInScope(
  scope: ScopedResourceSelectorRequirement,
  { spec, status }: Decoded<PersistentVolumeClaim>,
): boolean {
  if (scope.scopeName !== "VolumeAttributesClass") return false;
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return meetsScope(scope, [...new Set(names.flatMap((name) => (name ? [name] : [])))]);
}

/** Resources with a plain quota name beside `count/`. The plain names are the older ones. */
export const countAliases: ReadonlySet<string> = new Set([
  "configmaps",
  "resourcequotas",
  "replicationcontrollers",
  "secrets",
]);

/** The quota name of an object count, e.g. `count/leases.coordination.k8s.io`. */
export const countName = ({
  group,
  resource,
}: {
  readonly group: string;
  readonly resource: string;
}): string => `count/${resource}${group ? `.${group}` : ""}`;
