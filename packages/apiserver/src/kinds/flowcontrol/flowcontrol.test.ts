import assert from "node:assert/strict";
import { test } from "node:test";
import { openKind } from "../open-kind.suite.ts";

const group = "flowcontrol.apiserver.k8s.io";

test("a flow schema names a level, subjects and what they do", () => {
  const rules = [
    {
      subjects: [{ kind: "User", group: { name: "g" } }],
      resourceRules: [{ verbs: ["*", "get"], apiGroups: ["*"], resources: ["*"] }],
    },
  ];
  const { object, errors } = openKind(group, "flowschemas").create({
    metadata: { name: "f" },
    spec: { rules },
  });
  assert.equal((object["spec"] as Record<string, unknown>)["matchingPrecedence"], 1000);
  assert.deepEqual(errors, [
    "spec.priorityLevelConfiguration.name: Required value: must reference a priority level",
    "spec.rules[0].subjects[0].user: Required value: user is required when subject kind is 'User'",
    "spec.rules[0].subjects[0].group: Forbidden: group is forbidden when subject kind is not 'Group'",
    'spec.rules[0].resourceRules[0].verbs: Invalid value: ["*","get"]: if \'*\' is present, must not specify other verbs',
    "spec.rules[0].resourceRules[0].namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace",
  ]);
});

test("a subject has one of three kinds", () => {
  const rules = [
    {
      subjects: [{ kind: "__proto__" }],
      nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
    },
  ];
  assert.deepEqual(
    openKind(group, "flowschemas").create({
      metadata: { name: "f" },
      spec: { priorityLevelConfiguration: { name: "l" }, rules },
    }).errors,
    [
      'spec.rules[0].subjects[0].kind: Unsupported value: "__proto__": supported values: "Group", "ServiceAccount", "User"',
    ],
  );
});

test("a level has shares and queues", () => {
  const levels = openKind(group, "prioritylevelconfigurations");
  const { object, errors } = levels.create({
    metadata: { name: "l" },
    spec: { type: "Limited", limited: { limitResponse: { type: "Queue", queuing: {} } } },
  });
  assert.deepEqual([errors, levels.cells(object).slice(1, 6)], [[], ["Limited", 30, 64, 8, 50]]);
  assert.deepEqual(
    levels.create({
      metadata: { name: "l" },
      spec: {
        type: "Limited",
        limited: { limitResponse: { type: "Queue", queuing: { queues: 1000, handSize: 20 } } },
      },
    }).errors,
    [
      "spec.limited.limitResponse.queuing.handSize: Invalid value: 20: required entropy bits of deckSize 1000 and handSize 20 should not be greater than 60",
    ],
  );
});

test("the mandatory flows are fixed, except for the lendable share of the exempt level", () => {
  const levels = openKind("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations");
  const exempt = (spec: object): readonly string[] =>
    levels.create({ metadata: { name: "exempt" }, spec: { type: "Exempt", ...spec } }).errors;
  assert.deepEqual(exempt({ exempt: { lendablePercent: 5 } }), []);
  const catchAll = levels.create({
    metadata: { name: "catch-all" },
    spec: {
      type: "Limited",
      limited: { nominalConcurrencyShares: 6, limitResponse: { type: "Reject" } },
    },
  });
  assert.deepEqual(catchAll.errors, [
    'spec: Invalid value: {"Type":"Limited","Limited":{"NominalConcurrencyShares":6,"LimitResponse":{"Type":"Reject","Queuing":null},"LendablePercent":0,"BorrowingLimitPercent":null},"Exempt":null}: spec of \'catch-all\' must equal the fixed value',
  ]);
  const schema = openKind("flowcontrol.apiserver.k8s.io", "flowschemas").create({
    metadata: { name: "catch-all" },
    spec: { priorityLevelConfiguration: { name: "catch-all" } },
  });
  assert.match(
    schema.errors[0]!,
    /^spec: Invalid value: .*"MatchingPrecedence":1000,"DistinguisherMethod":null,"Rules":null}: spec of 'catch-all' must equal the fixed value$/,
  );
});
