// The flow schemas and priority levels whose specs are fixed, and how their specs print.
// Upstream: k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap/default.go,
// k8s.io/kubernetes/pkg/apis/flowcontrol/validation.
import { type Decoded, equalJson, type Json } from "homeostat/api";
import type {
  FlowSchema,
  FlowSchemaSpec,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  Subject,
} from "homeostat/k8s/flowcontrol/v1";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import {
  formatStruct,
  goFlag,
  goList,
  goNumber,
  goPointer,
  goStructPointer,
  goText,
  invalidPrinted,
  type StructField,
} from "../printers/format-struct.ts";
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
  return !fixed || equalJson(fixed, spec)
    ? []
    : [
        invalidPrinted(
          "spec",
          formatStruct(spec, schemaFields),
          `spec of '${name}' must equal the fixed value`,
        ),
      ];
}

/** A mandatory level whose spec differs from the fixed one; spec.exempt of `exempt` may differ. */
export function fixedLevelErrors(level: Decoded<PriorityLevelConfiguration>): FieldError[] {
  const name = nameOf(level);
  const spec = level.spec ?? {};
  const refusal = (what: string): FieldError[] => [
    invalidPrinted(
      "spec",
      formatStruct(spec, levelFields),
      `spec of '${name}'${what} must equal the fixed value`,
    ),
  ];
  if (name === "exempt")
    return equalJson(withoutFields(spec, "exempt"), { type: "Exempt" })
      ? []
      : refusal(" except the 'spec.exempt' field");
  return name === "catch-all" && !equalJson(spec, catchAllLevel) ? refusal("") : [];
}

const struct =
  (...fields: readonly StructField[]) =>
  (value: Json | undefined): string =>
    formatStruct(value, fields);

const named: readonly StructField[] = [["Name", "name", goText]];
const subject = struct(
  ["Kind", "kind", goText],
  ["User", "user", goStructPointer(named)],
  ["Group", "group", goStructPointer(named)],
  [
    "ServiceAccount",
    "serviceAccount",
    goStructPointer([["Namespace", "namespace", goText], ...named]),
  ],
);
const resourceRule = struct(
  ["Verbs", "verbs", goPointer],
  ["APIGroups", "apiGroups", goPointer],
  ["Resources", "resources", goPointer],
  ["ClusterScope", "clusterScope", goFlag],
  ["Namespaces", "namespaces", goPointer],
);
const pathRule = struct(
  ["Verbs", "verbs", goPointer],
  ["NonResourceURLs", "nonResourceURLs", goPointer],
);
const rule = struct(
  ["Subjects", "subjects", goList(subject)],
  ["ResourceRules", "resourceRules", goList(resourceRule)],
  ["NonResourceRules", "nonResourceRules", goList(pathRule)],
);
const schemaFields: readonly StructField[] = [
  ["PriorityLevelConfiguration", "priorityLevelConfiguration", struct(...named)],
  ["MatchingPrecedence", "matchingPrecedence", goNumber],
  ["DistinguisherMethod", "distinguisherMethod", goStructPointer([["Type", "type", goText]])],
  ["Rules", "rules", goList(rule)],
];

const queuing: readonly StructField[] = [
  ["Queues", "queues", goNumber],
  ["HandSize", "handSize", goNumber],
  ["QueueLengthLimit", "queueLengthLimit", goNumber],
];
const limited: readonly StructField[] = [
  ["NominalConcurrencyShares", "nominalConcurrencyShares", goNumber],
  [
    "LimitResponse",
    "limitResponse",
    struct(["Type", "type", goText], ["Queuing", "queuing", goStructPointer(queuing)]),
  ],
  ["LendablePercent", "lendablePercent", goPointer],
  ["BorrowingLimitPercent", "borrowingLimitPercent", goPointer],
];
const exempt: readonly StructField[] = [
  ["NominalConcurrencyShares", "nominalConcurrencyShares", goPointer],
  ["LendablePercent", "lendablePercent", goPointer],
];
const levelFields: readonly StructField[] = [
  ["Type", "type", goText],
  ["Limited", "limited", goStructPointer(limited)],
  ["Exempt", "exempt", goStructPointer(exempt)],
];
