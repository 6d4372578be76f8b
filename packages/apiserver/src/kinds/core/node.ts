// Nodes. Creation includes the admission plug-in TaintNodesByCondition.
// Upstream: k8s.io/kubernetes/pkg/registry/core/node/strategy.go,
// pkg/apis/core/v1/{defaults,conversion}.go, pkg/apis/core/validation (ValidateNode…),
// plugin/pkg/admission/nodetaint, pkg/printers/internalversion (printNode).
import type { CellAges } from "../../apimachinery/rest/table-printer.ts";
import {
  compareBytewise,
  type Decoded,
  type Json,
  labelKeyFaults,
  labelValueFaults,
} from "homeostat/api";
import type { Node, NodeAddress, NodeStatus, Taint } from "homeostat/k8s/core/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { cidrWarnings, legacyCidrErrors, parseCidrSloppy } from "../validation/ip-addresses.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { keepOld } from "../definition/default-strategy.ts";
import { finalizerErrors, validateWholeObject } from "../validation/validate-object.ts";
import { roundList } from "./resources/resource-lists.ts";
import { quantityErrors, sortedEntries } from "./resources/validate-resource-lists.ts";
import { annotationErrors } from "./node-annotations.ts";
import { proxyToNode } from "./proxy/node-proxy.ts";

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
const notReady = "node.kubernetes.io/not-ready";

export const node: KindDefinition<Decoded<Node>> = {
  ...gvk("v1", "Node"),
  etcdPrefix: "minions",
  defaults: setDefaults,
  proxy: proxyToNode,
  strategy: {
    resetFields: [["f:status"]],
    prepareForCreate(object) {
      addNotReadyTaint(object);
      delete object.spec?.configSource;
      delete object.status?.config;
    },
    prepareForUpdate(object, old) {
      keepOld(object, old, "status");
      if (!isSet(old.spec?.configSource)) delete object.spec?.configSource;
    },
    ...validateWholeObject({
      namespaced: false,
      validate: validateNode,
      validateChange: validateNodeUpdate,
    }),
    warningsOnCreate: specWarnings,
    warningsOnUpdate: specWarnings,
  },
  subresources: {
    status: {
      resetFields: [["f:spec"]],
      prepareForUpdate(object, old) {
        keepOld(object, old, "spec");
        if (!isSet(old.status?.config)) delete object.status?.config;
      },
      validateUpdate: (object, old) => [
        ...finalizerErrors(object),
        ...validateNodeUpdate(object, old),
      ],
    },
  },
  selectable: {
    names: ["spec.unschedulable"],
    extract: (object) => ({
      "spec.unschedulable": String(object.spec?.unschedulable === true),
    }),
  },
  cells,
};

function setDefaults(object: Decoded<Node>): void {
  const status = object.status ?? {};
  if (!isSet(status.allocatable) && isSet(status.capacity))
    status.allocatable = { ...status.capacity };
  roundList(status.capacity);
  roundList(status.allocatable);
  const { spec } = object;
  if (!spec) return;
  // podCIDR is the first of podCIDRs; it wins when the two differ.
  const first = spec.podCIDRs?.[0];
  if (spec.podCIDR && first !== spec.podCIDR) spec.podCIDRs = [spec.podCIDR];
  else if (!spec.podCIDR && first !== undefined) spec.podCIDR = first;
}

/** The node controller removes the taint from ready nodes. */
function addNotReadyTaint(object: Decoded<Node>): void {
  const spec = (object.spec ??= {});
  const taints = spec.taints ?? [];
  if (!taints.some(({ key, effect }) => key === notReady && effect === "NoSchedule"))
    spec.taints = [...taints, { key: notReady, effect: "NoSchedule" }];
}

function validateNode(object: Decoded<Node>): FieldError[] {
  return [
    ...annotationErrors(object, validateTaints),
    ...validateTaints(object.spec?.taints, "metadata.taints"),
    ...resourceErrors(object),
    ...featureErrors(object),
    ...cidrErrors(object.spec?.podCIDRs ?? []),
  ];
}

/** Upstream's path of taints begins with metadata. */
function validateTaints(
  taints: readonly Decoded<Taint>[] | null | undefined,
  at: string,
): FieldError[] {
  const seen = new Set<string>();
  return eachItem(taints, at, (taint, path) => {
    const [key, value, effect] = [taint.key ?? "", taint.value ?? "", taint.effect ?? ""];
    const valueFaults = labelValueFaults(value);
    const errors = [
      ...labelKeyFaults(key).map((fault) => fieldError.invalid(`${path}.key`, key, fault)),
      ...errorIf(valueFaults.length, () =>
        fieldError.invalid(`${path}.value`, value, valueFaults.join(";")),
      ),
    ];
    if (!effect) errors.push(fieldError.required(`${path}.effect`, ""));
    else if (!effects.includes(effect))
      errors.push(fieldError.notSupported(`${path}.effect`, effect, effects));
    const pair = `${effect} ${key}`;
    if (seen.has(pair))
      errors.push(
        fieldError.duplicateInternal(
          path,
          ["core.Taint", taint],
          "taints must be unique by key and effect pair",
        ),
      );
    seen.add(pair);
    return errors;
  });
}

function resourceErrors(object: Decoded<Node>): FieldError[] {
  const status = object.status ?? {};
  return (["capacity", "allocatable"] as const).flatMap((list) =>
    sortedEntries(status[list] ?? {}).flatMap(([name, amount]) =>
      quantityErrors(name, amount, `status.${list}.${name}`),
    ),
  );
}

function featureErrors(object: Decoded<Node>): FieldError[] {
  const features = object.status?.declaredFeatures ?? [];
  return features.slice(1).flatMap((feature, i) => {
    const path = `status.declaredFeatures[${i + 1}]`;
    const before = features[i]!;
    if (before === feature)
      return [
        {
          type: "FieldValueDuplicate" as const,
          field: path,
          body: `Duplicate value: ${JSON.stringify(feature)}`,
        },
      ];
    return errorIf(compareBytewise(before, feature) > 0, () =>
      fieldError.invalid(path, feature, "list must be sorted alphabetically"),
    );
  });
}

function cidrErrors(cidrs: readonly string[]): FieldError[] {
  const errors = eachItem(cidrs, "spec.podCIDRs", (cidr, at) => legacyCidrErrors(cidr, at));
  if (cidrs.length < 2) return errors;
  const sizes = cidrs.map((cidr) => parseCidrSloppy(cidr)?.address.bytes.length);
  const unknown = sizes.indexOf(undefined);
  const fault = `invalid CIDR[${unknown}]: <nil> (invalid CIDR address: ${cidrs[unknown]})`;
  if (unknown >= 0)
    errors.push(
      fieldError.internalFault(
        "spec.podCIDRs",
        `invalid PodCIDRs. failed to check with dual stack with error:${fault}`,
      ),
    );
  const isPair = cidrs.length === 2 && unknown < 0 && sizes[0] !== sizes[1];
  return isPair
    ? errors
    : [
        ...errors,
        fieldError.invalid(
          "spec.podCIDRs",
          [...cidrs],
          "may specify no more than one CIDR for each IP family",
        ),
      ];
}

function validateNodeUpdate(object: Decoded<Node>, old: Decoded<Node>): FieldError[] {
  const [spec, before] = [object.spec ?? {}, old.spec ?? {}];
  const [cidrs, oldCidrs] = [spec.podCIDRs ?? [], before.podCIDRs ?? []];
  const fixed = fieldError.forbidden(
    "spec.podCIDRs",
    'node updates may not change podCIDR except from "" to valid',
  );
  const provider = before.providerID ?? "";
  return [
    ...annotationErrors(object, validateTaints),
    ...resourceErrors(object),
    ...featureErrors(object),
    ...addressErrors(object.status?.addresses ?? []),
    ...(oldCidrs.length && oldCidrs.length !== cidrs.length
      ? [fixed]
      : oldCidrs.filter((cidr, i) => cidr !== cidrs[i]).map(() => fixed)),
    ...errorIf(provider && provider !== (spec.providerID ?? ""), () =>
      fieldError.forbidden(
        "spec.providerID",
        'node updates may not change providerID except from "" to valid',
      ),
    ),
    ...validateTaints(object.spec?.taints, "metadata.taints"),
    ...errorIf((spec.externalID ?? "") !== (before.externalID ?? ""), () =>
      fieldError.forbidden("spec.externalID", "may not be updated"),
    ),
  ];
}

function addressErrors(addresses: readonly Decoded<NodeAddress>[]): FieldError[] {
  const seen = new Set<string>();
  return eachItem(addresses, "status.addresses", (address, at) => {
    const key = JSON.stringify([address.type ?? "", address.address ?? ""]);
    const again = seen.has(key);
    seen.add(key);
    return errorIf(again, () => fieldError.duplicateInternal(at, ["core.NodeAddress", address]));
  });
}

function specWarnings({ spec }: Decoded<Node>): string[] {
  return [
    ...(isSet(spec?.configSource) ? ["spec.configSource: the feature is removed"] : []),
    ...(spec?.externalID
      ? ["spec.externalID: this field is deprecated, and is unused by Kubernetes"]
      : []),
    ...eachItem(spec?.podCIDRs, "spec.podCIDRs", cidrWarnings),
  ];
}

const rolePrefix = "node-role.kubernetes.io/";

function cells(object: Decoded<Node>, ages: CellAges): readonly Json[] {
  const status = object.status ?? {};
  const info = status.nodeInfo ?? {};
  const state = readyState(status);
  const known = (field: "osImage" | "kernelVersion" | "containerRuntimeVersion"): string =>
    info[field] || "<unknown>";
  const address = (type: string): string => {
    const found = status.addresses?.find((each) => each.type === type);
    return found ? (found.address ?? "") : "<none>";
  };
  return [
    nameOf(object),
    object.spec?.unschedulable === true ? `${state},SchedulingDisabled` : state,
    rolesOf(object),
    ageOf(object, ages),
    info.kubeletVersion ?? "",
    address("InternalIP"),
    address("ExternalIP"),
    known("osImage"),
    info.architecture ? `${known("kernelVersion")} (${info.architecture})` : known("kernelVersion"),
    known("containerRuntimeVersion"),
  ];
}

function readyState({ conditions }: Decoded<NodeStatus>): string {
  const ready = conditions?.findLast(({ type }) => type === "Ready");
  if (!ready) return "Unknown";
  return ready.status === "True" ? "Ready" : "NotReady";
}

function rolesOf(object: Decoded<Node>): string {
  const labels = object.metadata?.labels ?? {};
  const roles = Object.entries(labels).map(([key, value]) => {
    if (key.startsWith(rolePrefix)) return key.slice(rolePrefix.length);
    return key === "kubernetes.io/role" ? value : "";
  });
  return [...new Set(roles.filter(Boolean))].sort(compareBytewise).join(",") || "<none>";
}
