// Webhook configurations: which webhooks are asked about which writes. Stored and checked.
// Upstream:
// k8s.io/kubernetes/pkg/registry/admissionregistration/{mutating,validating}webhookconfiguration/strategy.go,
// pkg/apis/admissionregistration/{v1/defaults.go,validation/validation.go}.
import { dns1035LabelFaults, equalJson, isObject, type JsonObject } from "homeostat/api";
import {
  duplicate,
  type FieldError,
  invalid,
  required,
} from "../../apimachinery/errors/field-error.ts";
import { validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { type LabelSelectorRules, validateLabelSelector } from "../validation/label-selectors.ts";
import { qualifiedNameErrors } from "../validation/name-faults.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";
import { notEnforcedWarnings } from "../definition/not-enforced.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import {
  isSet,
  itemsAt,
  mutableAt,
  numberAt,
  setIfNil,
  textsAt,
  objectAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { bumpGeneration } from "../definition/default-strategy.ts";
import {
  validateWebhookService,
  validateWebhookUrl,
} from "../validation/validate-webhook-client.ts";
import {
  failurePolicies,
  matchPolicies,
  oneOf,
  setRuleDefaults,
  validateMatchConditions,
  validateRule,
} from "./admission-rules.ts";
import { openMatchConditions, type StoredExpressions } from "./policy-expressions.ts";

const acceptedVersions = ["v1", "v1beta1"];
const sideEffects = ["None", "NoneOnDryRun", "Some", "Unknown"];
const harmless = ["None", "NoneOnDryRun"];
const defaultTimeoutSeconds = 10;
const maxTimeoutSeconds = 30;

export const mutatingWebhookConfiguration: KindDefinition = configurationKind(
  "MutatingWebhookConfiguration",
);
export const validatingWebhookConfiguration: KindDefinition = configurationKind(
  "ValidatingWebhookConfiguration",
);

function configurationKind(kind: string): KindDefinition {
  const isMutating = kind === "MutatingWebhookConfiguration";
  return {
    group: "admissionregistration.k8s.io",
    version: "v1",
    kind,
    defaults(object) {
      for (const webhook of itemsAt(object, "webhooks")) {
        setWebhookDefaults(webhook);
        if (isMutating) setIfNil(webhook, "reinvocationPolicy", "Never");
      }
    },
    strategy: {
      allowUnconditionalUpdate: false,
      prepareForCreate: (object) => void (metadataOf(object)["generation"] = 1),
      prepareForUpdate: (object, old) => bumpGeneration(object, old, ["webhooks"]),
      validateCreate: (object) => validate(object, strict),
      validateUpdate: (object, old) => [
        ...validateObjectMeta(object, { namespaced: false }, nameIsDnsSubdomain),
        ...validate(object, rulesFor(object, old)),
      ],
      warningsOnCreate: (_object, context) => notEnforcedWarnings(kind, context),
      warningsOnUpdate: (_object, _old, context) => notEnforcedWarnings(kind, context),
    },
    cells: (object, nowMs) => [
      nameOf(object),
      itemsAt(object, "webhooks").length,
      ageOf(object, nowMs),
    ],
  };
}

function setWebhookDefaults(webhook: JsonObject): void {
  setIfNil(webhook, "failurePolicy", "Fail");
  setIfNil(webhook, "matchPolicy", "Equivalent");
  setIfNil(webhook, "namespaceSelector", {});
  setIfNil(webhook, "objectSelector", {});
  setIfNil(webhook, "timeoutSeconds", defaultTimeoutSeconds);
  setRuleDefaults(itemsAt(webhook, "rules"));
  const service = mutableAt(objectAt(webhook, "clientConfig"), "service");
  if (service) setIfNil(service, "port", 443);
}

/** What the stored configuration already broke may stay broken. */
interface WebhookRules {
  readonly sideEffects: readonly string[];
  readonly needsKnownVersion: boolean;
  readonly uniqueNames: boolean;
  readonly selectors: LabelSelectorRules;
  readonly conditions: "checked" | "as they are";
  readonly stored: StoredExpressions;
}

const strict: WebhookRules = {
  sideEffects: harmless,
  needsKnownVersion: true,
  uniqueNames: true,
  selectors: { invalidValues: "refused" },
  conditions: "checked",
  stored: {},
};

function rulesFor(object: JsonObject, old: JsonObject): WebhookRules {
  const before = itemsAt(old, "webhooks");
  const names = before.map((webhook) => stringAt(webhook, "name"));
  const conditionsOf = (each: JsonObject): JsonObject[] =>
    itemsAt(each, "webhooks").map((webhook) => ({
      conditions: webhook["matchConditions"] ?? null,
    }));
  const knows = (webhook: JsonObject): boolean =>
    textsAt(webhook, "admissionReviewVersions").some((version) =>
      acceptedVersions.includes(version),
    );
  return {
    sideEffects: before.every((webhook) => harmless.includes(stringAt(webhook, "sideEffects")))
      ? harmless
      : sideEffects,
    needsKnownVersion: before.every(
      (webhook) => knows(webhook) || !textsAt(webhook, "admissionReviewVersions").length,
    ),
    uniqueNames: new Set(names).size === names.length,
    selectors: {
      invalidValues: before.some((webhook) =>
        ["namespaceSelector", "objectSelector"].some(
          (field) => validateLabelSelector(objectAt(webhook, field), "").length,
        ),
      )
        ? "allowed"
        : "refused",
    },
    conditions: equalJson(conditionsOf(object), conditionsOf(old)) ? "as they are" : "checked",
    stored: {
      "match condition": new Set(
        before.flatMap((webhook) =>
          itemsAt(webhook, "matchConditions").map((condition) => stringAt(condition, "expression")),
        ),
      ),
    },
  };
}

function validate(object: JsonObject, rules: WebhookRules): FieldError[] {
  const names = new Set<string>();
  return itemsAt(object, "webhooks").flatMap((webhook, i) => {
    const path = `webhooks[${i}]`;
    const name = stringAt(webhook, "name");
    const errors = [
      ...validateWebhook(webhook, path, rules),
      ...versionErrors(
        textsAt(webhook, "admissionReviewVersions"),
        `${path}.admissionReviewVersions`,
        rules,
      ),
    ];
    if (rules.uniqueNames && name && names.has(name)) errors.push(duplicate(`${path}.name`, name));
    names.add(name);
    return errors;
  });
}

function validateWebhook(webhook: JsonObject, path: string, rules: WebhookRules): FieldError[] {
  const seconds = numberAt(webhook, "timeoutSeconds");
  return [
    ...qualifiedNameErrors(stringAt(webhook, "name"), `${path}.name`),
    ...itemsAt(webhook, "rules").flatMap((rule, i) => validateRule(rule, `${path}.rules[${i}]`)),
    ...oneOf(webhook, "failurePolicy", failurePolicies, path),
    ...oneOf(webhook, "matchPolicy", matchPolicies, path),
    ...(isSet(webhook["sideEffects"])
      ? oneOf(webhook, "sideEffects", rules.sideEffects, path)
      : [required(`${path}.sideEffects`, `must specify one of ${rules.sideEffects.join(", ")}`)]),
    ...(seconds > maxTimeoutSeconds || seconds < 1
      ? [
          invalid(
            `${path}.timeoutSeconds`,
            seconds,
            "the timeout value must be between 1 and 30 seconds",
          ),
        ]
      : []),
    ...["namespaceSelector", "objectSelector"].flatMap((field) =>
      validateLabelSelector(objectAt(webhook, field), `${path}.${field}`, rules.selectors),
    ),
    ...oneOf(webhook, "reinvocationPolicy", ["IfNeeded", "Never"], path),
    ...clientErrors(objectAt(webhook, "clientConfig"), `${path}.clientConfig`),
    ...(rules.conditions === "checked"
      ? validateMatchConditions(
          itemsAt(webhook, "matchConditions"),
          `${path}.matchConditions`,
          openMatchConditions("none", rules.stored),
        )
      : []),
  ];
}

function clientErrors(client: JsonObject, path: string): FieldError[] {
  const { url, service } = client;
  if (isSet(url) === isSet(service))
    return [required(path, "exactly one of url or service is required")];
  if (typeof url === "string") return validateWebhookUrl(url, `${path}.url`);
  const given = isObject(service) ? service : {};
  const target = typeof given["path"] === "string" ? { path: given["path"] } : {};
  // Upstream mixes up name and namespace here, so that the error for one bears the name of the
  // other.
  return validateWebhookService(
    {
      name: stringAt(given, "namespace"),
      namespace: stringAt(given, "name"),
      port: numberAt(given, "port"),
      ...target,
    },
    `${path}.service`,
  );
}

function versionErrors(
  versions: readonly string[],
  path: string,
  { needsKnownVersion }: WebhookRules,
): FieldError[] {
  if (!versions.length)
    return [required(path, `must specify one of ${acceptedVersions.join(", ")}`)];
  const errors = versions.flatMap((version, i) =>
    versions.indexOf(version) < i
      ? [invalid(`${path}[${i}]`, version, "duplicate version")]
      : dns1035LabelFaults(version).map((fault) => invalid(`${path}[${i}]`, version, fault)),
  );
  const known = versions.some((version) => acceptedVersions.includes(version));
  return needsKnownVersion && !known
    ? [
        ...errors,
        invalid(path, [...versions], `must include at least one of ${acceptedVersions.join(", ")}`),
      ]
    : errors;
}
