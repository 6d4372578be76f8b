// Nodes. What the admission plug-in TaintNodesByCondition does is part of creation here.
// Upstream: k8s.io/kubernetes/pkg/registry/core/node/strategy.go,
// pkg/apis/core/v1/{defaults,conversion}.go, pkg/apis/core/validation (ValidateNode…),
// plugin/pkg/admission/nodetaint, pkg/printers/internalversion (printNode).
import {
  compareBytewise,
  type Json,
  type JsonObject,
  labelKeyFaults,
  labelValueFaults,
} from "homeostat/api";
import {
  duplicateInternal,
  type FieldError,
  forbidden,
  internalFault,
  invalid,
  notSupported,
  required,
} from "../../apimachinery/errors/field-error.ts";
import { validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { cidrWarnings, legacyCidrErrors, parseCidrSloppy } from "../validation/ip-addresses.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import {
  isSet,
  itemsAt,
  mutableAt,
  textMapAt,
  textsAt,
  objectAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { finalizerErrors, keepOld } from "../definition/default-strategy.ts";
import { roundList } from "./resources/resource-lists.ts";
import { amountErrors, sortedEntries } from "./resource-rules.ts";
import { proxyToNode } from "./node-proxy.ts";

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
const notReady = "node.kubernetes.io/not-ready";

export const node: KindDefinition = {
  group: "",
  version: "v1",
  kind: "Node",
  defaults,
  proxy: proxyToNode,
  strategy: {
    resetFields: [["f:status"]],
    prepareForCreate(object) {
      addNotReadyTaint(object);
      delete objectAt(object, "spec")["configSource"];
      delete objectAt(object, "status")["config"];
    },
    prepareForUpdate(object, old) {
      keepOld(object, old, "status");
      if (!isSet(objectAt(old, "spec")["configSource"]))
        delete objectAt(object, "spec")["configSource"];
    },
    validateCreate: (object, context) =>
      warned(object, context, [...finalizerErrors(object), ...validateNode(object)]),
    validateUpdate: (object, old, context) =>
      warned(object, context, [
        ...validateObjectMeta(object, { namespaced: false }, nameIsDnsSubdomain),
        ...finalizerErrors(object),
        ...validateNode(object),
        ...validateChange(object, old),
      ]),
  },
  subresources: {
    status: {
      resetFields: [["f:spec"]],
      prepareForUpdate(object, old) {
        keepOld(object, old, "spec");
        if (!isSet(objectAt(old, "status")["config"])) delete objectAt(object, "status")["config"];
      },
      validateUpdate: (object, old) => validateChange(object, old),
    },
  },
  selectable: {
    names: ["spec.unschedulable"],
    extract: (object) => ({
      "spec.unschedulable": String(objectAt(object, "spec")["unschedulable"] === true),
    }),
  },
  cells,
};

function defaults(object: JsonObject): void {
  const status = objectAt(object, "status");
  if (!isSet(status["allocatable"]) && isSet(status["capacity"]))
    status["allocatable"] = { ...textMapAt(status, "capacity") };
  for (const field of ["capacity", "allocatable"]) roundList(mutableAt(status, field));
  const spec = mutableAt(object, "spec");
  if (!spec) return;
  // One network is the first of several: the single field wins where both are there.
  const single = stringAt(spec, "podCIDR");
  if (single && textsAt(spec, "podCIDRs")[0] !== single) spec["podCIDRs"] = [single];
  else if (!single && textsAt(spec, "podCIDRs").length)
    spec["podCIDR"] = textsAt(spec, "podCIDRs")[0]!;
}

/** A new node is taken for unready until its status says otherwise. */
function addNotReadyTaint(object: JsonObject): void {
  if (!isSet(object["spec"])) object["spec"] = {};
  const spec = objectAt(object, "spec");
  const taints = itemsAt(spec, "taints");
  if (
    !taints.some(
      (taint) => stringAt(taint, "key") === notReady && stringAt(taint, "effect") === "NoSchedule",
    )
  )
    spec["taints"] = [...taints, { key: notReady, effect: "NoSchedule" }];
}

function validateNode(object: JsonObject): FieldError[] {
  return [
    ...taintErrors(object),
    ...resourceErrors(object),
    ...featureErrors(object),
    ...cidrErrors(textsAt(objectAt(object, "spec"), "podCIDRs")),
  ];
}

/** Upstream's path for taints begins with metadata. */
function taintErrors(object: JsonObject): FieldError[] {
  const seen = new Set<string>();
  return itemsAt(objectAt(object, "spec"), "taints").flatMap((taint, i) => {
    const path = `metadata.taints[${i}]`;
    const [key, value, effect] = [
      stringAt(taint, "key"),
      stringAt(taint, "value"),
      stringAt(taint, "effect"),
    ];
    const valueFaults = labelValueFaults(value);
    const errors = [
      ...labelKeyFaults(key).map((fault) => invalid(`${path}.key`, key, fault)),
      ...(valueFaults.length ? [invalid(`${path}.value`, value, valueFaults.join(";"))] : []),
    ];
    if (!effect) errors.push(required(`${path}.effect`, ""));
    else if (!effects.includes(effect))
      errors.push(notSupported(`${path}.effect`, effect, effects));
    const pair = `${effect} ${key}`;
    if (seen.has(pair))
      errors.push(
        duplicateInternal(
          path,
          ["core.Taint", taint],
          "taints must be unique by key and effect pair",
        ),
      );
    seen.add(pair);
    return errors;
  });
}

function resourceErrors(object: JsonObject): FieldError[] {
  const status = objectAt(object, "status");
  return ["capacity", "allocatable"].flatMap((list) =>
    sortedEntries(textMapAt(status, list)).flatMap(([name, amount]) =>
      amountErrors(name, amount, `status.${list}.${name}`),
    ),
  );
}

function featureErrors(object: JsonObject): FieldError[] {
  const features = textsAt(objectAt(object, "status"), "declaredFeatures");
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
    return compareBytewise(before, feature) > 0
      ? [invalid(path, feature, "list must be sorted alphabetically")]
      : [];
  });
}

function cidrErrors(cidrs: readonly string[]): FieldError[] {
  const errors = cidrs.flatMap((cidr, i) => legacyCidrErrors(cidr, `spec.podCIDRs[${i}]`));
  if (cidrs.length < 2) return errors;
  const sizes = cidrs.map((cidr) => parseCidrSloppy(cidr)?.address.bytes.length);
  const unknown = sizes.indexOf(undefined);
  const fault = `invalid CIDR[${unknown}]: <nil> (invalid CIDR address: ${cidrs[unknown]})`;
  if (unknown >= 0)
    errors.push(
      internalFault(
        "spec.podCIDRs",
        `invalid PodCIDRs. failed to check with dual stack with error:${fault}`,
      ),
    );
  const isPair = cidrs.length === 2 && unknown < 0 && sizes[0] !== sizes[1];
  return isPair
    ? errors
    : [
        ...errors,
        invalid(
          "spec.podCIDRs",
          [...cidrs],
          "may specify no more than one CIDR for each IP family",
        ),
      ];
}

function validateChange(object: JsonObject, old: JsonObject): FieldError[] {
  const [spec, before] = [objectAt(object, "spec"), objectAt(old, "spec")];
  const [cidrs, oldCidrs] = [textsAt(spec, "podCIDRs"), textsAt(before, "podCIDRs")];
  const fixed = forbidden(
    "spec.podCIDRs",
    'node updates may not change podCIDR except from "" to valid',
  );
  const provider = stringAt(before, "providerID");
  return [
    ...resourceErrors(object),
    ...featureErrors(object),
    ...addressErrors(itemsAt(objectAt(object, "status"), "addresses")),
    ...(oldCidrs.length && oldCidrs.length !== cidrs.length
      ? [fixed]
      : oldCidrs.filter((cidr, i) => cidr !== cidrs[i]).map(() => fixed)),
    ...(provider && provider !== stringAt(spec, "providerID")
      ? [
          forbidden(
            "spec.providerID",
            'node updates may not change providerID except from "" to valid',
          ),
        ]
      : []),
    ...taintErrors(object),
    ...(stringAt(spec, "externalID") === stringAt(before, "externalID")
      ? []
      : [forbidden("spec.externalID", "may not be updated")]),
  ];
}

function addressErrors(addresses: readonly JsonObject[]): FieldError[] {
  const seen = new Set<string>();
  return addresses.flatMap((address, i) => {
    const key = JSON.stringify([stringAt(address, "type"), stringAt(address, "address")]);
    const again = seen.has(key);
    seen.add(key);
    return again
      ? [duplicateInternal(`status.addresses[${i}]`, ["core.NodeAddress", address])]
      : [];
  });
}

function warned(
  object: JsonObject,
  context: WriteContext,
  errors: readonly FieldError[],
): readonly FieldError[] {
  if (errors.length) return errors;
  const spec = objectAt(object, "spec");
  if (isSet(spec["configSource"])) context.warn("spec.configSource: the feature is removed");
  if (stringAt(spec, "externalID"))
    context.warn("spec.externalID: this field is deprecated, and is unused by Kubernetes");
  textsAt(spec, "podCIDRs").forEach((cidr, i) =>
    cidrWarnings(cidr, `spec.podCIDRs[${i}]`).forEach(context.warn),
  );
  return errors;
}

const rolePrefix = "node-role.kubernetes.io/";

function cells(object: JsonObject, nowMs: number): readonly Json[] {
  const status = objectAt(object, "status");
  const info = objectAt(status, "nodeInfo");
  const ready = itemsAt(status, "conditions").findLast(
    (condition) => stringAt(condition, "type") === "Ready",
  );
  const state = ready ? (stringAt(ready, "status") === "True" ? "Ready" : "NotReady") : "Unknown";
  const known = (field: string): string => stringAt(info, field) || "<unknown>";
  const architecture = stringAt(info, "architecture");
  const address = (type: string): string => {
    const found = itemsAt(status, "addresses").find((each) => stringAt(each, "type") === type);
    return found ? stringAt(found, "address") : "<none>";
  };
  return [
    nameOf(object),
    objectAt(object, "spec")["unschedulable"] === true ? `${state},SchedulingDisabled` : state,
    rolesOf(object),
    ageOf(object, nowMs),
    stringAt(info, "kubeletVersion"),
    address("InternalIP"),
    address("ExternalIP"),
    known("osImage"),
    architecture ? `${known("kernelVersion")} (${architecture})` : known("kernelVersion"),
    known("containerRuntimeVersion"),
  ];
}

function rolesOf(object: JsonObject): string {
  const labels = textMapAt(metadataOf(object), "labels");
  const roles = Object.keys(labels).map((key) =>
    key.startsWith(rolePrefix)
      ? key.slice(rolePrefix.length)
      : key === "kubernetes.io/role"
        ? labels[key]!
        : "",
  );
  return [...new Set(roles.filter(Boolean))].sort(compareBytewise).join(",") || "<none>";
}
