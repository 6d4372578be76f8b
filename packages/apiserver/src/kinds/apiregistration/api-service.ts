// API services: which server serves a group and version.
// Upstream: k8s.io/kube-aggregator/pkg/{registry/apiservice,apis/apiregistration/{v1,validation}}.
import type { CellAges } from "../../apimachinery/rest/table-printer.ts";
import {
  type Decoded,
  dns1035LabelFaults,
  dnsSubdomainFaults,
  type Json,
  pathSegmentFaults,
} from "homeostat/api";
import type { APIService, APIServiceSpec } from "homeostat/k8s/apiregistration/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import {
  eachItem,
  errorIf,
  type FieldError,
  quoteGo,
} from "../../apimachinery/errors/field-error.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { portNumberFaults } from "../validation/name-faults.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { metadataOf, metaString } from "../../apimachinery/meta/read-meta.ts";
import { validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import { keepOld } from "../definition/default-strategy.ts";

const statuses = ["True", "False", "Unknown"];

export const apiService: KindDefinition<Decoded<APIService>> = {
  ...gvk("apiregistration.k8s.io/v1", "APIService"),
  etcdPrefix: "apiregistration.k8s.io/apiservices",
  stored: "json",
  defaults({ spec }) {
    if (spec?.service) spec.service.port ??= 443;
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
      object.status = object.spec?.service ? {} : { conditions: [local] };
    },
    prepareForUpdate: (object, old) => keepOld(object, old, "status"),
    validateCreate: (object) => [...nameErrors(object), ...validate(object)],
    validateUpdate: (object) => [
      ...validateObjectMeta(object, { namespaced: false }, (name) => nameFaults(object, name)),
      ...validate(object),
    ],
  },
  withoutTables: ["status"],
  subresources: {
    status: {
      resetFields: [["f:metadata"], ["f:spec"]],
      prepareForUpdate(object, old) {
        keepOld(object, old, "spec");
        for (const field of ["labels", "annotations", "finalizers", "ownerReferences"] as const)
          keepOld(metadataOf(object), metadataOf(old), field);
      },
      validateUpdate: ({ status }) =>
        eachItem(status?.conditions, "status.conditions", (condition, at) =>
          errorIf(!statuses.includes(condition.status ?? ""), () =>
            fieldError.notSupported(`${at}.status`, condition.status ?? "", statuses),
          ),
        ),
    },
  },
  cells,
};

/** A prefix, too, must be the whole name. */
function nameFaults({ spec }: Decoded<APIService>, name: string): readonly string[] {
  const faults = pathSegmentFaults(name);
  const needed = `${spec?.version ?? ""}.${spec?.group ?? ""}`;
  if (faults.length || name === needed) return faults;
  return [`must be \`spec.version+"."+spec.group\`: ${quoteGo(needed)}`];
}

/** What the common rules have not said about the names of a new object. */
const nameErrors = (object: Decoded<APIService>): FieldError[] =>
  ["generateName", "name"].flatMap((field) => {
    const name = metaString(object, field);
    return name && !pathSegmentFaults(name).length
      ? nameFaults(object, name).map((fault) =>
          fieldError.invalid(`metadata.${field}`, name, fault),
        )
      : [];
  });

function validate(object: Decoded<APIService>): FieldError[] {
  const spec = object.spec ?? {};
  const group = spec.group ?? "";
  const version = spec.version ?? "";
  const between = (
    field: "groupPriorityMinimum" | "versionPriority",
    max: number,
  ): FieldError[] => {
    const value = spec[field] ?? 0;
    return errorIf(value <= 0 || value > max, () =>
      fieldError.invalid(`spec.${field}`, value, `must be positive and less than ${max}`),
    );
  };
  return [
    ...errorIf(!group && version !== "v1", () =>
      fieldError.required(
        "spec.group",
        "only v1 may have an empty group and it better be legacy kube",
      ),
    ),
    ...(group
      ? dnsSubdomainFaults(group).map((fault) => fieldError.invalid("spec.group", group, fault))
      : []),
    ...dns1035LabelFaults(version).map((fault) =>
      fieldError.invalid("spec.version", version, fault),
    ),
    ...between("groupPriorityMinimum", 20_000),
    ...between("versionPriority", 1000),
    ...(spec.service ? serviceErrors(spec, spec.service) : localErrors(spec)),
  ];
}

const caBundleBytes = ({ caBundle }: Decoded<APIServiceSpec>): number =>
  Buffer.from(caBundle ?? "", "base64").length;

function localErrors(spec: Decoded<APIServiceSpec>): FieldError[] {
  const bytes = caBundleBytes(spec);
  return [
    ...errorIf(bytes, () =>
      fieldError.invalid(
        "spec.caBundle",
        `${bytes} bytes`,
        "local APIServices may not have a caBundle",
      ),
    ),
    ...errorIf(spec.insecureSkipTLSVerify, () =>
      fieldError.invalid(
        "spec.insecureSkipTLSVerify",
        true,
        "local APIServices may not have insecureSkipTLSVerify",
      ),
    ),
  ];
}

function serviceErrors(
  spec: Decoded<APIServiceSpec>,
  service: NonNullable<Decoded<APIServiceSpec>["service"]>,
): FieldError[] {
  const port = service.port ?? 0;
  const faults = portNumberFaults(port);
  return [
    ...(["namespace", "name"] as const)
      .filter((field) => !service[field])
      .map((field) => fieldError.required(`spec.service.${field}`, "")),
    ...errorIf(faults.length, () =>
      fieldError.invalid("spec.service.port", port, `port is not valid: ${faults.join(", ")}`),
    ),
    ...errorIf(spec.insecureSkipTLSVerify && caBundleBytes(spec), () =>
      fieldError.invalid(
        "spec.insecureSkipTLSVerify",
        true,
        "may not be true if caBundle is present",
      ),
    ),
  ];
}

function cells(object: Decoded<APIService>, ages: CellAges): readonly Json[] {
  const service = object.spec?.service;
  const available = object.status?.conditions?.find(({ type }) => type === "Available");
  const status = available ? (available.status ?? "") : "Unknown";
  const reason = available && status !== "True" ? available.reason : "";
  return [
    nameOf(object),
    service ? `${service.namespace ?? ""}/${service.name ?? ""}` : "Local",
    reason ? `${status} (${reason})` : status,
    ageOf(object, ages),
  ];
}
