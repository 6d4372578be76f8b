// The spec of a HorizontalPodAutoscaler in v2.
// Upstream: k8s.io/kubernetes/pkg/apis/autoscaling/validation/validation.go.
import { type JsonObject, parseApiVersion, pathSegmentFaults } from "homeostat/api";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../apimachinery/errors/field-error.ts";
import { dnsLabelErrors, ruled } from "../validation/field-rules.ts";
import { nanoOf } from "../core/resources/resource-lists.ts";
import { containerResourceNameErrors } from "../core/resources/validate-resource-lists.ts";
import {
  isSet,
  itemsAt,
  mutableAt,
  numberAt,
  optionalNumberAt,
  optionalTextAt,
  objectAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";

const longestWindow = 3600;
const longestPeriod = 1800;
const sources = ["ContainerResource", "External", "Object", "Pods", "Resource"];

/** Every breach. */
export function validateAutoscalerSpec(spec: JsonObject, old?: JsonObject): FieldError[] {
  const min = optionalNumberAt(spec, "minReplicas");
  const max = numberAt(spec, "maxReplicas");
  return [
    ...(min !== undefined && min < 1
      ? [invalid("spec.minReplicas", min, "must be greater than or equal to 1")]
      : []),
    ...(max === 0
      ? [required("spec.maxReplicas", "must be set and greater than 0")]
      : max < 0
        ? [invalid("spec.maxReplicas", max, "must be greater than or equal to 1")]
        : []),
    ...(min !== undefined && max < min
      ? [invalid("spec.maxReplicas", max, "must be greater than or equal to `minReplicas`")]
      : []),
    ...targetErrors(objectAt(spec, "scaleTargetRef"), old && objectAt(old, "scaleTargetRef")),
    ...itemsAt(spec, "metrics").flatMap((metric, i) => metricErrors(metric, `spec.metrics[${i}]`)),
    ...(min === 0 &&
    !itemsAt(spec, "metrics").some((metric) =>
      ["Object", "External"].includes(stringAt(metric, "type")),
    )
      ? [
          forbidden(
            "spec.metrics",
            "must specify at least one Object or External metric to support scaling to zero replicas",
          ),
        ]
      : []),
    ...["scaleUp", "scaleDown"].flatMap((direction) => {
      const rules = mutableAt(objectAt(spec, "behavior"), direction);
      return rules ? rulesErrors(rules, `spec.behavior.${direction}`) : [];
    }),
  ];
}

type GroupRule = "any" | "valid" | "named";

/**
 * An unchanged target keeps what it had; only ReplicationControllers are in the group without a
 * name.
 */
function targetErrors(target: JsonObject, old: JsonObject | undefined): FieldError[] {
  const unchanged =
    old &&
    ["apiVersion", "kind"].every((field) => stringAt(old, field) === stringAt(target, field));
  return referenceErrors(
    target,
    unchanged ? "any" : stringAt(target, "kind") === "ReplicationController" ? "valid" : "named",
    "spec.scaleTargetRef",
  );
}

function referenceErrors(reference: JsonObject, group: GroupRule, path: string): FieldError[] {
  const apiVersion = stringAt(reference, "apiVersion");
  const parsed = parseApiVersion(apiVersion);
  const part = (field: "kind" | "name"): FieldError[] => {
    const value = stringAt(reference, field);
    return value
      ? ruled(pathSegmentFaults, value, `${path}.${field}`)
      : [required(`${path}.${field}`, "")];
  };
  const fault =
    group === "any"
      ? undefined
      : !parsed
        ? `unexpected GroupVersion string: ${apiVersion}`
        : group === "named" && !parsed.group
          ? "apiVersion must specify API group"
          : undefined;
  return [
    ...part("kind"),
    ...part("name"),
    ...(fault ? [invalid(`${path}.apiVersion`, apiVersion, fault)] : []),
  ];
}

const sourceRules: Readonly<Record<string, (source: JsonObject, path: string) => FieldError[]>> = {
  object: (source, path) => [
    ...referenceErrors(objectAt(source, "describedObject"), "valid", `${path}.describedObject`),
    ...identifierErrors(source, path),
    ...valueErrors(source, path, "must set either a target value or averageValue"),
  ],
  external: externalErrors,
  pods: podsErrors,
  resource: (source, path) => [
    ...(stringAt(source, "name") ? [] : [required(`${path}.name`, "must specify a resource name")]),
    ...utilizationErrors(source, path),
  ],
  containerResource: containerErrors,
};

const fieldOf = (type: string): string => type.charAt(0).toLowerCase() + type.slice(1);

function metricErrors(metric: JsonObject, path: string): FieldError[] {
  const type = stringAt(metric, "type");
  const isKnown = sources.includes(type);
  const present = Object.keys(sourceRules).filter((field) => mutableAt(metric, field));
  const unknown = notSupported(`${path}.type`, type, sources);
  const first = present[0];
  const expected = fieldOf(type);
  return [
    ...(type ? [] : [required(`${path}.type`, "must specify a metric source type")]),
    ...(isKnown ? [] : [unknown]),
    ...(first ? sourceRules[first]!(mutableAt(metric, first)!, `${path}.${first}`) : []),
    ...(isKnown
      ? present.includes(expected)
        ? []
        : [required(`${path}.${expected}`, "must populate information for the given metric source")]
      : [unknown]),
    ...(present.length === 1
      ? []
      : present
          .filter((field) => field !== expected)
          .map((field) =>
            forbidden(`${path}.${field}`, "must populate the given metric source only"),
          )),
  ];
}

function identifierErrors(source: JsonObject, path: string): FieldError[] {
  const name = stringAt(objectAt(source, "metric"), "name");
  return name
    ? ruled(pathSegmentFaults, name, `${path}.metric.name`)
    : [required(`${path}.metric.name`, "must specify a metric name")];
}

function valueErrors(source: JsonObject, path: string, missing: string): FieldError[] {
  const target = objectAt(source, "target");
  return [
    ...metricTargetErrors(target, `${path}.target`),
    ...(isSet(target["value"]) || isSet(target["averageValue"])
      ? []
      : [required(`${path}.target.averageValue`, missing)]),
  ];
}

function externalErrors(source: JsonObject, path: string): FieldError[] {
  const target = objectAt(source, "target");
  const both = isSet(target["value"]) && isSet(target["averageValue"]);
  return [
    ...identifierErrors(source, path),
    ...valueErrors(source, path, "must set either a target value for metric or a per-pod target"),
    ...(both
      ? [
          forbidden(
            `${path}.target.value`,
            "may not set both a target value for metric and a per-pod target",
          ),
        ]
      : []),
  ];
}

function podsErrors(source: JsonObject, path: string): FieldError[] {
  const target = objectAt(source, "target");
  return [
    ...identifierErrors(source, path),
    ...metricTargetErrors(target, `${path}.target`),
    ...(isSet(target["averageValue"])
      ? []
      : [required(`${path}.target.averageValue`, "must specify a positive target averageValue")]),
  ];
}

function containerErrors(source: JsonObject, path: string): FieldError[] {
  const name = stringAt(source, "name");
  const container = stringAt(source, "container");
  return [
    ...(name
      ? containerResourceNameErrors(name, `${path}.name`)
      : [required(`${path}.name`, "must specify a resource name")]),
    ...(container
      ? dnsLabelErrors(container, `${path}.container`)
      : [required(`${path}.container`, "must specify a container")]),
    ...utilizationErrors(source, path),
  ];
}

function utilizationErrors(source: JsonObject, path: string): FieldError[] {
  const target = objectAt(source, "target");
  const hasShare = isSet(target["averageUtilization"]);
  const hasValue = isSet(target["averageValue"]);
  return [
    ...metricTargetErrors(target, `${path}.target`),
    ...(hasShare || hasValue
      ? []
      : [
          required(
            `${path}.target.averageUtilization`,
            "must set either a target raw value or a target utilization",
          ),
        ]),
    ...(hasShare && hasValue
      ? [
          forbidden(
            `${path}.target.averageValue`,
            "may not set both a target raw value and a target utilization",
          ),
        ]
      : []),
  ];
}

function metricTargetErrors(target: JsonObject, path: string): FieldError[] {
  const type = stringAt(target, "type");
  const share = optionalNumberAt(target, "averageUtilization");
  return [
    ...(type ? [] : [required(`${path}.type`, "must specify a metric target type")]),
    ...(["Utilization", "Value", "AverageValue"].includes(type)
      ? []
      : [invalid(`${path}.type`, type, "must be either Utilization, Value, or AverageValue")]),
    ...["value", "averageValue"]
      .filter((field) => isSet(target[field]) && nanoOf(target[field]) <= 0n)
      .map((field) => invalid(`${path}.${field}`, target[field], "must be positive")),
    ...(share !== undefined && share < 1
      ? [invalid(`${path}.averageUtilization`, share, "must be greater than 0")]
      : []),
  ];
}

function rulesErrors(rules: JsonObject, path: string): FieldError[] {
  const window = optionalNumberAt(rules, "stabilizationWindowSeconds");
  const select = optionalTextAt(rules, "selectPolicy");
  const policies = itemsAt(rules, "policies");
  const tolerance = rules["tolerance"];
  return [
    ...(window !== undefined && window < 0
      ? [
          invalid(
            `${path}.stabilizationWindowSeconds`,
            window,
            "must be greater than or equal to zero",
          ),
        ]
      : []),
    ...(window !== undefined && window > longestWindow
      ? [
          invalid(
            `${path}.stabilizationWindowSeconds`,
            window,
            `must be less than or equal to ${longestWindow}`,
          ),
        ]
      : []),
    ...(select !== undefined && !["Disabled", "Max", "Min"].includes(select)
      ? [notSupported(`${path}.selectPolicy`, select, ["Disabled", "Max", "Min"])]
      : []),
    ...(policies.length ? [] : [required(`${path}.policies`, "must specify at least one Policy")]),
    ...policies.flatMap((policy, i) => policyErrors(policy, `${path}.policies[${i}]`)),
    ...(isSet(tolerance) && nanoOf(tolerance) < 0n
      ? [invalid(`${path}.tolerance`, tolerance, "must be greater than or equal to 0")]
      : []),
  ];
}

function policyErrors(policy: JsonObject, path: string): FieldError[] {
  const type = stringAt(policy, "type");
  const value = numberAt(policy, "value");
  const seconds = numberAt(policy, "periodSeconds");
  return [
    ...(type === "Pods" || type === "Percent"
      ? []
      : [notSupported(`${path}.type`, type, ["Percent", "Pods"])]),
    ...(value <= 0 ? [invalid(`${path}.value`, value, "must be greater than zero")] : []),
    ...(seconds <= 0
      ? [invalid(`${path}.periodSeconds`, seconds, "must be greater than zero")]
      : []),
    ...(seconds > longestPeriod
      ? [
          invalid(
            `${path}.periodSeconds`,
            seconds,
            `must be less than or equal to ${longestPeriod}`,
          ),
        ]
      : []),
  ];
}
