import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { openKind } from "../open-kind.suite.ts";

const group = "admissionregistration.k8s.io";
const metadata = { name: "a" };
const webhook = {
  name: "a.b.c",
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  clientConfig: { url: "https://x.test" },
};

test("a webhook has defaults", () => {
  const { object, errors } = openKind(group, "mutatingwebhookconfigurations").create({
    metadata,
    webhooks: [webhook],
  });
  const [first] = object["webhooks"] as JsonObject[];
  assert.deepEqual(
    [
      errors,
      first!["failurePolicy"],
      first!["matchPolicy"],
      first!["timeoutSeconds"],
      first!["reinvocationPolicy"],
    ],
    [[], "Fail", "Equivalent", 10, "Never"],
  );
});

test("a webhook needs an address, operations and resources", () => {
  const rules = [
    { operations: ["*", "CREATE"], apiGroups: [""], apiVersions: [""], resources: ["pods", "*"] },
  ];
  const { errors } = openKind(group, "validatingwebhookconfigurations").create({
    metadata,
    webhooks: [
      {
        ...webhook,
        name: "a.b",
        sideEffects: "Some",
        admissionReviewVersions: ["v9"],
        clientConfig: {},
        rules,
      },
    ],
  });
  assert.deepEqual(errors, [
    'webhooks[0].name: Invalid value: "a.b": should be a domain with at least three segments separated by dots',
    'webhooks[0].rules[0].operations: Invalid value: ["*","CREATE"]: if \'*\' is present, must not specify other operations',
    "webhooks[0].rules[0].apiVersions[0]: Required value",
    'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
    "webhooks[0].clientConfig: Required value: exactly one of url or service is required",
    'webhooks[0].admissionReviewVersions: Invalid value: ["v9"]: must include at least one of v1, v1beta1',
  ]);
});

test("warnings about expressions name a field of the policy", () => {
  const { errors } = openKind(group, "validatingadmissionpolicies").update(
    { metadata },
    {
      metadata,
      status: {
        typeChecking: {
          expressionWarnings: [
            { fieldRef: " ", warning: "" },
            { fieldRef: "spec.x[", warning: "w" },
          ],
        },
      },
    },
    "status",
  );
  const at = "status.typeChecking.expressionWarnings";
  assert.deepEqual(errors, [
    `${at}[0].warning: Required value`,
    `${at}[0].fieldRef: Required value`,
    `${at}[1].fieldRef: Invalid value: "spec.x[": invalid JSONPath: unterminated array`,
  ]);
});

const refusals = [
  {
    title: "a policy matches something and decides something",
    plural: "validatingadmissionpolicies",
    spec: { paramKind: { apiVersion: "a/b/c", kind: "K" } },
    errors: [
      'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      "spec.matchConstraints: Required value",
      "spec.validations: Required value: validations or auditAnnotations must contain at least one item",
      "spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item",
    ],
  },
  {
    title: "a binding takes parameters by name or by selector",
    plural: "validatingadmissionpolicybindings",
    spec: {
      policyName: "p",
      paramRef: { name: "x", selector: {} },
      validationActions: ["Deny", "Warn"],
    },
    errors: [
      "spec.paramRef.name: Forbidden: name and selector are mutually exclusive",
      "spec.paramRef.selector: Forbidden: name and selector are mutually exclusive",
      "spec.paramRef.parameterNotFoundAction: Required value",
      'spec.validationActions: Invalid value: ["Deny","Warn"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    ],
  },
];
for (const { title, plural, spec, errors } of refusals)
  test(title, () => {
    assert.deepEqual(openKind(group, plural).create({ metadata, spec }).errors, errors);
  });
