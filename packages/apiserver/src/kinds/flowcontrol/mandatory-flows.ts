// The flow schemas and priority levels whose specs are fixed.
// Upstream: k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap/default.go,
// k8s.io/kubernetes/pkg/apis/flowcontrol/validation.
import { type Decoded, equalJson } from "homeostat/api";
import type {
  FlowSchema,
  FlowSchemaSpec,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  Subject,
} from "homeostat/k8s/flowcontrol/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { nameOf } from "../printers/cells.ts";
import { withoutFields } from "../../apimachinery/meta/read-fields.ts";

const group = (name: string): Decoded<Subject> => ({ kind: "Group", group: { name } });
const everything: Decoded<PolicyRulesWithSubjects> = {
  resourceRules: [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] },
  ],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};

const schemas: Readonly<Record<string, Decoded<FlowSchemaSpec>>> = {
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

const catchAllLevel: Decoded<PriorityLevelConfigurationSpec> = {
  type: "Limited",
  limited: { nominalConcurrencyShares: 5, limitResponse: { type: "Reject" }, lendablePercent: 0 },
};

/** A mandatory schema whose spec differs from the fixed one. */
export function fixedSchemaErrors(schema: Decoded<FlowSchema>): FieldError[] {
  const name = nameOf(schema);
  const fixed = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  const spec = schema.spec ?? {};
  return errorIf(fixed && !equalJson(fixed, spec), () =>
    fieldError.invalidInternal(
      "spec",
      ["flowcontrol.FlowSchemaSpec", spec],
      `spec of '${name}' must equal the fixed value`,
    ),
  );
}

/** A mandatory level whose spec differs from the fixed one; spec.exempt of `exempt` may differ. */
export function fixedLevelErrors(level: Decoded<PriorityLevelConfiguration>): FieldError[] {
  const name = nameOf(level);
  const spec = level.spec ?? {};
  const refusal = (what: string): FieldError[] => [
    fieldError.invalidInternal(
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
