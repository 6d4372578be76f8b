// API services: where a group and version are served. Stored and checked; requests are not passed
// on to other servers.
// Upstream: k8s.io/kube-aggregator/pkg/{registry/apiservice,apis/apiregistration/{v1,validation}}.
import {
  dns1035LabelFaults,
  dnsSubdomainFaults,
  isObject,
  type Json,
  type JsonObject,
  pathSegmentFaults,
} from "homeostat/api";
import {
  type FieldError,
  invalid,
  notSupported,
  quoteGo,
  required,
} from "../../apimachinery/errors/field-error.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { portNumberFaults } from "../validation/name-faults.ts";
import { warnNotEnforced } from "../definition/not-enforced.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import {
  itemsAt,
  mutableAt,
  numberAt,
  setIfNil,
  objectAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { keepOld } from "../definition/default-strategy.ts";

const statuses = ["True", "False", "Unknown"];

export const apiService: KindDefinition = {
  group: "apiregistration.k8s.io",
  version: "v1",
  kind: "APIService",
  stored: "json",
  defaults(object) {
    const service = mutableAt(objectAt(object, "spec"), "service");
    if (service) setIfNil(service, "port", 443);
  },
  strategy: {
    allowUnconditionalUpdate: false,
    validateName: pathSegmentFaults,
    resetFields: [["f:status"]],
    prepareForCreate(object, { now }) {
      const local = {
        type: "Available",
        status: "True",
        lastTransitionTime: now,
        reason: "Local",
        message: "Local APIServices are always available",
      };
      object["status"] = isObject(objectAt(object, "spec")["service"])
        ? {}
        : { conditions: [local] };
    },
    prepareForUpdate: (object, old) => keepOld(object, old, "status"),
    validateCreate: (object, context) => warned(object, context, validate(object)),
    validateUpdate: (object, _old, context) => warned(object, context, validate(object)),
  },
  subresources: {
    status: {
      resetFields: [["f:metadata"], ["f:spec"]],
      prepareForUpdate(object, old) {
        keepOld(object, old, "spec");
        for (const field of ["labels", "annotations", "finalizers", "ownerReferences"])
          keepOld(metadataOf(object), metadataOf(old), field);
      },
      validateUpdate: (object) =>
        itemsAt(objectAt(object, "status"), "conditions").flatMap((condition, i) =>
          statuses.includes(stringAt(condition, "status"))
            ? []
            : [
                notSupported(
                  `status.conditions[${i}].status`,
                  stringAt(condition, "status"),
                  statuses,
                ),
              ],
        ),
    },
  },
  cells,
};

function warned(
  object: JsonObject,
  context: WriteContext,
  errors: readonly FieldError[],
): readonly FieldError[] {
  return isObject(objectAt(object, "spec")["service"])
    ? warnNotEnforced("APIService", context, errors)
    : errors;
}

function validate(object: JsonObject): FieldError[] {
  const spec = objectAt(object, "spec");
  const [group, version, name] = [
    stringAt(spec, "group"),
    stringAt(spec, "version"),
    nameOf(object),
  ];
  const needed = `${version}.${group}`;
  const between = (field: string, max: number): FieldError[] =>
    numberAt(spec, field) > 0 && numberAt(spec, field) <= max
      ? []
      : [invalid(`spec.${field}`, numberAt(spec, field), `must be positive and less than ${max}`)];
  return [
    ...(name && name !== needed && !pathSegmentFaults(name).length
      ? [
          invalid(
            "metadata.name",
            name,
            `must be \`spec.version+"."+spec.group\`: ${quoteGo(needed)}`,
          ),
        ]
      : []),
    ...(!group && version !== "v1"
      ? [required("spec.group", "only v1 may have an empty group and it better be legacy kube")]
      : []),
    ...(group ? dnsSubdomainFaults(group).map((fault) => invalid("spec.group", group, fault)) : []),
    ...dns1035LabelFaults(version).map((fault) => invalid("spec.version", version, fault)),
    ...between("groupPriorityMinimum", 20_000),
    ...between("versionPriority", 1000),
    ...serviceErrors(spec),
  ];
}

function serviceErrors(spec: JsonObject): FieldError[] {
  const { service } = spec;
  const bundle = Buffer.from(stringAt(spec, "caBundle"), "base64").length;
  const insecure = spec["insecureSkipTLSVerify"] === true;
  const path = "spec.insecureSkipTLSVerify";
  if (!isObject(service))
    return [
      ...(bundle
        ? [invalid("spec.caBundle", `${bundle} bytes`, "local APIServices may not have a caBundle")]
        : []),
      ...(insecure
        ? [invalid(path, true, "local APIServices may not have insecureSkipTLSVerify")]
        : []),
    ];
  const faults = portNumberFaults(numberAt(service, "port"));
  return [
    ...["namespace", "name"]
      .filter((field) => !stringAt(service, field))
      .map((field) => required(`spec.service.${field}`, "")),
    ...(faults.length
      ? [
          invalid(
            "spec.service.port",
            numberAt(service, "port"),
            `port is not valid: ${faults.join(", ")}`,
          ),
        ]
      : []),
    ...(insecure && bundle ? [invalid(path, true, "may not be true if caBundle is present")] : []),
  ];
}

function cells(object: JsonObject, nowMs: number): readonly Json[] {
  const { service } = objectAt(object, "spec");
  const available = itemsAt(objectAt(object, "status"), "conditions").find(
    (condition) => stringAt(condition, "type") === "Available",
  );
  const status = available ? stringAt(available, "status") : "Unknown";
  const reason = available && status !== "True" ? stringAt(available, "reason") : "";
  return [
    nameOf(object),
    isObject(service) ? `${stringAt(service, "namespace")}/${stringAt(service, "name")}` : "Local",
    reason ? `${status} (${reason})` : status,
    ageOf(object, nowMs),
  ];
}
