// The flow schemas and priority levels that every server must have as they are, and how their specs
// print.
// Upstream: k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap/default.go,
// k8s.io/kubernetes/pkg/apis/flowcontrol/validation.
import { equalJson, type JsonObject } from "homeostat/api";
import { type FieldError, invalidInternal } from "../../apimachinery/errors/field-error.ts";
import { nameOf } from "../printers/cells.ts";
import { withoutFields, objectAt } from "../../apimachinery/meta/read-fields.ts";

const group = (name: string): JsonObject => ({ kind: "Group", group: { name } });
const everything: JsonObject = {
  resourceRules: [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] },
  ],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};

const schemas: Readonly<Record<string, JsonObject>> = {
  exempt: {
    priorityLevelConfiguration: { name: "exempt" },
    matchingPrecedence: 1,
    rules: [{ subjects: [group("system:masters")], ...everything }],
  },
  "catch-all": {
    priorityLevelConfiguration: { name: "catch-all" },
    matchingPrecedence: 10_000,
    distinguisherMethod: { type: "ByUser" },
    rules: [
      { subjects: [group("system:unauthenticated"), group("system:authenticated")], ...everything },
    ],
  },
};

const catchAllLevel: JsonObject = {
  type: "Limited",
  limited: { nominalConcurrencyShares: 5, limitResponse: { type: "Reject" }, lendablePercent: 0 },
};

/** A mandatory schema that is not as it must be. */
export function fixedSchemaErrors(schema: JsonObject): FieldError[] {
  const name = nameOf(schema);
  const fixed = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  const spec = objectAt(schema, "spec");
  return !fixed || equalJson(fixed, spec)
    ? []
    : [
        invalidInternal(
          "spec",
          ["flowcontrol.FlowSchemaSpec", spec],
          `spec of '${name}' must equal the fixed value`,
        ),
      ];
}

/** A mandatory level that is not as it must be; what `exempt` lends may be changed. */
export function fixedLevelErrors(level: JsonObject): FieldError[] {
  const name = nameOf(level);
  const spec = objectAt(level, "spec");
  const refusal = (what: string): FieldError[] => [
    invalidInternal(
      "spec",
      ["flowcontrol.PriorityLevelConfigurationSpec", spec],
      `spec of '${name}'${what} must equal the fixed value`,
    ),
  ];
  if (name === "exempt")
    return equalJson(withoutFields(spec, "exempt"), { type: "Exempt" })
      ? []
      : refusal(" except the 'spec.exempt' field");
  return name === "catch-all" && !equalJson(spec, catchAllLevel) ? refusal("") : [];
}
