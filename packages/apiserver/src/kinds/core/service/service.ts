// Services: a stable address before changing pods.
// Upstream: k8s.io/kubernetes/pkg/registry/core/service/{strategy.go,storage/storage.go},
// pkg/apis/core/v1/defaults.go, pkg/printers/internalversion/printers.go (printService).
import { isObject, type Json, type JsonObject } from "homeostat/api";
import type { FieldError } from "../../../apimachinery/errors/field-error.ts";
import type { WriteContext } from "../../../apimachinery/rest/write-context.ts";
import { formatLoadBalancer } from "../../printers/format-load-balancer.ts";
import type { KindDefinition } from "../../definition/kind-definition.ts";
import { ipWarnings } from "../../validation/ip-addresses.ts";
import { formatLabels } from "../../validation/label-selectors.ts";
import { nameIsDnsLabel } from "../../validation/names.ts";
import { ageOf, nameOf } from "../../printers/cells.ts";
import {
  isSet,
  itemsAt,
  numberAt,
  setIfEmpty,
  setIfNil,
  textMapAt,
  textsAt,
  objectAt,
  stringAt,
} from "../../../apimachinery/meta/read-fields.ts";
import { finalizerErrors, keepOld } from "../../definition/default-strategy.ts";
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
  usesNodePorts,
} from "./service-facts.ts";
import type { ServicePool } from "./service-pool.ts";
import { proxyToService } from "./service-proxy.ts";
import { serviceWarnings } from "./service-warnings.ts";
import { validateServiceChange, validateServiceStatus } from "./validate-service-change.ts";
import { validateService } from "./validate-service.ts";

/**
 * The record of services that take what they need from `pool`, which `committed` keeps in step with
 * what is stored.
 */
export function serviceKind(
  pool: ServicePool,
  committed: NonNullable<KindDefinition["committed"]>,
): KindDefinition {
  return {
    group: "",
    version: "v1",
    kind: "Service",
    returnsDeletedObject: true,
    defaults,
    proxy: proxyToService,
    committed,
    strategy: {
      allowCreateOnUpdate: true,
      deleteReturnsObject: true,
      validateName: nameIsDnsLabel,
      resetFields: [["f:status"]],
      reserve: (object, old, { dryRun }) =>
        reserveService(dryRun ? pool.dryClaim() : pool.claim(), object, old),
      prepareForCreate(object) {
        object["status"] = { loadBalancer: {} };
        hideTrafficPolicy(object);
      },
      prepareForUpdate(object, old) {
        keepOld(object, old, "status");
        dropUnneeded(object, old);
      },
      validateCreate: (object, context) =>
        warned(object, context, [
          ...finalizerErrors(object),
          ...validateService(object, undefined),
        ]),
      validateUpdate: (object, old, context) =>
        warned(object, context, [
          ...finalizerErrors(object),
          ...validateServiceChange(object, old),
          ...validateService(object, old),
        ]),
    },
    subresources: {
      status: {
        resetFields: [["f:spec"]],
        reserve: () => nothingTaken,
        prepareForUpdate: (object, old) => keepOld(object, old, "spec"),
        validateUpdate: (object, old, context) =>
          statusWarned(object, context, [
            ...finalizerErrors(object),
            ...validateServiceStatus(object, old),
          ]),
      },
    },
    selectable: {
      names: ["spec.clusterIP", "spec.type"],
      extract: (object) => ({
        "spec.clusterIP": stringAt(specOf(object), "clusterIP"),
        "spec.type": typeOf(object),
      }),
    },
    cells,
  };
}

const nothingTaken = { release() {} };
const defaultAffinitySeconds = 10_800;

function defaults(object: JsonObject): void {
  if (!isObject(object["spec"])) object["spec"] = {};
  const spec = specOf(object);
  setIfEmpty(spec, "sessionAffinity", "None");
  if (spec["sessionAffinity"] === "None") delete spec["sessionAffinityConfig"];
  const seconds = objectAt(objectAt(spec, "sessionAffinityConfig"), "clientIP")["timeoutSeconds"];
  if (spec["sessionAffinity"] === "ClientIP" && !isSet(seconds))
    spec["sessionAffinityConfig"] = { clientIP: { timeoutSeconds: defaultAffinitySeconds } };
  setIfEmpty(spec, "type", "ClusterIP");
  for (const port of portsOf(object)) {
    setIfEmpty(port, "protocol", "TCP");
    setIfEmpty(port, "targetPort", numberAt(port, "port"));
  }
  if (isExternallyAccessible(object)) setIfEmpty(spec, "externalTrafficPolicy", "Cluster");
  if (["NodePort", "LoadBalancer", "ClusterIP"].includes(typeOf(object)))
    setIfNil(spec, "internalTrafficPolicy", "Cluster");
  if (typeOf(object) !== "LoadBalancer") return;
  setIfNil(spec, "allocateLoadBalancerNodePorts", true);
  for (const point of itemsAt(objectAt(objectAt(object, "status"), "loadBalancer"), "ingress"))
    if (stringAt(point, "ip")) setIfNil(point, "ipMode", "VIP");
}

/** Fields of the old type that the new one does not have, unless the client set them anew. */
function dropUnneeded(service: JsonObject, old: JsonObject): void {
  const drop = (field: string): void => setSpec(service, field, undefined);
  const dropSame = (fields: readonly string[]): void =>
    fields.filter((field) => sameSpec(service, old, field)).forEach(drop);
  if (needsClusterIp(old) && !needsClusterIp(service)) {
    if (sameSpec(service, old, "clusterIP") && sameClusterIps(service, old))
      ["clusterIP", "clusterIPs"].forEach(drop);
    if (sameFamilies(service, old)) drop("ipFamilies");
    dropSame(["ipFamilyPolicy"]);
  }
  const oldPorts = nodePortsOf(old);
  if (
    usesNodePorts(old) &&
    !usesNodePorts(service) &&
    nodePortsOf(service).every((port) => oldPorts.includes(port))
  )
    for (const port of portsOf(service)) delete port["nodePort"];
  if (needsHealthCheck(old) && !needsHealthCheck(service)) dropSame(["healthCheckNodePort"]);
  if (typeOf(old) === "LoadBalancer" && typeOf(service) !== "LoadBalancer")
    dropSame(["allocateLoadBalancerNodePorts", "loadBalancerClass"]);
  if (isExternallyAccessible(old) && !isExternallyAccessible(service))
    dropSame(["externalTrafficPolicy"]);
  hideTrafficPolicy(service);
  if (typeOf(service) !== "LoadBalancer")
    service["status"] = { ...objectAt(service, "status"), loadBalancer: {} };
}

/** Upstream keeps this field of external names and never shows it. */
function hideTrafficPolicy(service: JsonObject): void {
  if (
    typeOf(service) === "ExternalName" &&
    ["Cluster", "Local"].includes(stringAt(specOf(service), "internalTrafficPolicy"))
  )
    setSpec(service, "internalTrafficPolicy", undefined);
}

function warned(
  object: JsonObject,
  context: WriteContext,
  errors: readonly FieldError[],
): readonly FieldError[] {
  if (!errors.length) serviceWarnings(object).forEach(context.warn);
  return errors;
}

function statusWarned(
  object: JsonObject,
  context: WriteContext,
  errors: readonly FieldError[],
): readonly FieldError[] {
  const points = itemsAt(objectAt(objectAt(object, "status"), "loadBalancer"), "ingress");
  if (!errors.length)
    points.forEach((point, i) =>
      ipWarnings(stringAt(point, "ip"), `status.loadBalancer.ingress[${i}]`).forEach(context.warn),
    );
  return errors;
}

function cells(object: JsonObject, nowMs: number): readonly Json[] {
  const ports = portsOf(object).map((port) => {
    const nodePort = numberAt(port, "nodePort");
    return `${numberAt(port, "port")}${nodePort ? `:${nodePort}` : ""}/${stringAt(port, "protocol")}`;
  });
  return [
    nameOf(object),
    typeOf(object),
    clusterIpsOf(object)[0] ?? "<none>",
    externalIpOf(object),
    ports.join(",") || "<none>",
    ageOf(object, nowMs),
    formatLabels(textMapAt(specOf(object), "selector")),
  ];
}

function externalIpOf(object: JsonObject): string {
  const own = textsAt(specOf(object), "externalIPs");
  switch (typeOf(object)) {
    case "ClusterIP":
    case "NodePort":
      return own.join(",") || "<none>";
    case "LoadBalancer":
      return (
        [formatLoadBalancer(objectAt(objectAt(object, "status"), "loadBalancer")), ...own]
          .filter(Boolean)
          .join(",") || "<pending>"
      );
    case "ExternalName":
      return stringAt(specOf(object), "externalName");
    default:
      return "<unknown>";
  }
}
