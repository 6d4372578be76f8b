// Services: a stable address for a changing set of pods.
// Upstream: k8s.io/kubernetes/pkg/registry/core/service/{strategy.go,storage/storage.go},
// pkg/apis/core/v1/defaults.go, pkg/printers/internalversion/printers.go (printService).
import type { CellAges } from "../../../apimachinery/rest/table-printer.ts";
import type { Decoded, Json } from "homeostat/api";
import type { Service, ServiceSpec } from "homeostat/k8s/core/v1";
import { eachItem } from "../../../apimachinery/errors/field-error.ts";
import { formatLoadBalancer } from "../../printers/format-load-balancer.ts";
import {
  type CommittedHook,
  gvk,
  type KindDefinition,
  type StrategyOverrides,
} from "../../definition/kind-definition.ts";
import { ipWarnings } from "../../validation/ip-addresses.ts";
import { formatLabels } from "../../validation/label-selectors.ts";
import { nameIsDnsLabel } from "../../validation/names.ts";
import { ageOf, nameOf } from "../../printers/cells.ts";
import { isSet } from "../../../apimachinery/meta/read-fields.ts";
import { keepOld } from "../../definition/default-strategy.ts";
import { finalizerErrors } from "../../validation/validate-object.ts";
import { reserveService } from "./reserve-service.ts";
import {
  clusterIpsOf,
  isExternallyAccessible,
  needsClusterIp,
  needsHealthCheck,
  nodePortsOf,
  portsOf,
  sameClusterIps,
  sameFamilies,
  sameSpec,
  setSpec,
  specOf,
  typeOf,
  needsNodePorts,
} from "./service-fields.ts";
import type { ServicePool } from "./service-pool.ts";
import { proxyToService } from "./service-proxy.ts";
import { serviceWarnings } from "./service-warnings.ts";
import { validateLoadBalancerStatus, validateServiceUpdate } from "./validate-service-update.ts";
import { validateService } from "./validate-service.ts";

/**
 * Services take addresses and node ports from `pool`; `committed` keeps it in step with the store.
 */
export function serviceKind(
  pool: ServicePool,
  committed: CommittedHook,
): KindDefinition<Decoded<Service>> {
  return {
    ...gvk("v1", "Service"),
    etcdPrefix: "services/specs",
    returnsDeletedObject: true,
    defaults: setDefaults,
    proxy: proxyToService,
    committed,
    strategy: {
      ...serviceStrategy,
      reserve: (object, old, { dryRun }) =>
        reserveService(dryRun ? pool.dryClaim() : pool.claim(), object, old),
    },
    subresources: { status: statusStrategy },
    selectable: {
      names: ["spec.clusterIP", "spec.type"],
      extract: (object) => ({
        "spec.clusterIP": specOf(object).clusterIP ?? "",
        "spec.type": typeOf(object),
      }),
    },
    cells,
  };
}

const serviceStrategy: StrategyOverrides<Decoded<Service>> = {
  allowCreateOnUpdate: true,
  validateName: nameIsDnsLabel,
  resetFields: [["f:status"]],
  prepareForCreate(object) {
    object.status = { loadBalancer: {} };
    hideInternalTrafficPolicy(object);
  },
  prepareForUpdate(object, old) {
    keepOld(object, old, "status");
    dropTypeDependentFields(object, old);
  },
  validateCreate: (object) => [...finalizerErrors(object), ...validateService(object, undefined)],
  validateUpdate: (object, old) => [
    ...finalizerErrors(object),
    ...validateServiceUpdate(object, old),
    ...validateService(object, old),
  ],
  warningsOnCreate: serviceWarnings,
  warningsOnUpdate: serviceWarnings,
};

const noReservation = { release() {} };

const statusStrategy: StrategyOverrides<Decoded<Service>> = {
  resetFields: [["f:spec"]],
  reserve: () => noReservation,
  prepareForUpdate: (object, old) => keepOld(object, old, "spec"),
  validateUpdate: (object, old) => [
    ...finalizerErrors(object),
    ...validateLoadBalancerStatus(object, old),
  ],
  warningsOnUpdate: statusWarnings,
};

const defaultAffinitySeconds = 10_800;

function setDefaults(object: Decoded<Service>): void {
  const spec = (object.spec ??= {});
  spec.sessionAffinity ||= "None";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  const seconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds;
  if (spec.sessionAffinity === "ClientIP" && !isSet(seconds))
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: defaultAffinitySeconds } };
  spec.type ||= "ClusterIP";
  for (const port of portsOf(object)) {
    port.protocol ||= "TCP";
    port.targetPort ||= port.port ?? 0;
  }
  if (isExternallyAccessible(object)) spec.externalTrafficPolicy ||= "Cluster";
  if (["NodePort", "LoadBalancer", "ClusterIP"].includes(typeOf(object)))
    spec.internalTrafficPolicy ??= "Cluster";
  if (typeOf(object) !== "LoadBalancer") return;
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const point of object.status?.loadBalancer?.ingress ?? [])
    if (point.ip) point.ipMode ??= "VIP";
}

/** Drops fields of the old type that the new type lacks, unless the update sets them. */
function dropTypeDependentFields(service: Decoded<Service>, old: Decoded<Service>): void {
  const drop = (field: keyof ServiceSpec): void => setSpec(service, field);
  const dropSame = (...fields: readonly (keyof ServiceSpec)[]): void =>
    fields.filter((field) => sameSpec(service, old, field)).forEach(drop);
  if (needsClusterIp(old) && !needsClusterIp(service)) {
    if (sameSpec(service, old, "clusterIP") && sameClusterIps(service, old))
      (["clusterIP", "clusterIPs"] as const).forEach(drop);
    if (sameFamilies(service, old)) drop("ipFamilies");
    dropSame("ipFamilyPolicy");
  }
  const oldPorts = nodePortsOf(old);
  if (
    needsNodePorts(old) &&
    !needsNodePorts(service) &&
    nodePortsOf(service).every((port) => oldPorts.includes(port))
  )
    for (const port of portsOf(service)) delete port.nodePort;
  if (needsHealthCheck(old) && !needsHealthCheck(service)) dropSame("healthCheckNodePort");
  if (typeOf(old) === "LoadBalancer" && typeOf(service) !== "LoadBalancer")
    dropSame("allocateLoadBalancerNodePorts", "loadBalancerClass");
  if (isExternallyAccessible(old) && !isExternallyAccessible(service))
    dropSame("externalTrafficPolicy");
  hideInternalTrafficPolicy(service);
  if (typeOf(service) !== "LoadBalancer") service.status = { ...service.status, loadBalancer: {} };
}

/** Upstream stores this field of ExternalName services but does not show it. */
function hideInternalTrafficPolicy(service: Decoded<Service>): void {
  if (
    typeOf(service) === "ExternalName" &&
    ["Cluster", "Local"].includes(specOf(service).internalTrafficPolicy ?? "")
  )
    setSpec(service, "internalTrafficPolicy");
}

function statusWarnings({ status }: Decoded<Service>): string[] {
  return eachItem(status?.loadBalancer?.ingress, "status.loadBalancer.ingress", ({ ip }, at) =>
    ipWarnings(ip ?? "", at),
  );
}

function cells(object: Decoded<Service>, ages: CellAges): readonly Json[] {
  const ports = portsOf(object).map((port) => {
    const nodePort = port.nodePort ?? 0;
    return `${port.port ?? 0}${nodePort ? `:${nodePort}` : ""}/${port.protocol ?? ""}`;
  });
  return [
    nameOf(object),
    typeOf(object),
    clusterIpsOf(object)[0] ?? "<none>",
    externalIpOf(object),
    ports.join(",") || "<none>",
    ageOf(object, ages),
    formatLabels(specOf(object).selector ?? {}),
  ];
}

function externalIpOf(object: Decoded<Service>): string {
  const externalIps = specOf(object).externalIPs ?? [];
  switch (typeOf(object)) {
    case "ClusterIP":
    case "NodePort":
      return externalIps.join(",") || "<none>";
    case "LoadBalancer":
      return (
        [formatLoadBalancer(object.status?.loadBalancer), ...externalIps]
          .filter(Boolean)
          .join(",") || "<pending>"
      );
    case "ExternalName":
      return specOf(object).externalName ?? "";
    default:
      return "<unknown>";
  }
}
