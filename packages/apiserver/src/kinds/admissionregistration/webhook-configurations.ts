// Webhook configurations. What calls the webhooks is admission/webhook.
// Upstream:
// k8s.io/kubernetes/pkg/registry/admissionregistration/{mutating,validating}webhookconfiguration/strategy.go,
// pkg/apis/admissionregistration/{v1/defaults.go,validation/validation.go}.
import { type Decoded, dns1035LabelFaults, equalJson, type Json } from "homeostat/api";
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  WebhookClientConfig,
} from "homeostat/k8s/admissionregistration/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { type LabelSelectorRules, validateLabelSelector } from "../validation/label-selectors.ts";
import { qualifiedNameErrors } from "../validation/name-faults.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { deepGenerationStrategy } from "../definition/default-strategy.ts";
import {
  validateWebhookService,
  validateWebhookUrl,
} from "../validation/validate-webhook-client.ts";
import {
  failurePolicies,
  matchPolicies,
  enumErrors,
  setRuleDefaults,
  validateMatchConditions,
  validateRule,
} from "./admission-rules.ts";
import { openMatchConditions, type StoredExpressions } from "./policy-expressions.ts";

const acceptedVersions = ["v1", "v1beta1"];
const sideEffects = ["None", "NoneOnDryRun", "Some", "Unknown"];
const harmless = ["None", "NoneOnDryRun"];
const selectorFields = ["namespaceSelector", "objectSelector"] as const;
const defaultTimeoutSeconds = 10;
const maxTimeoutSeconds = 30;

/** What validating and mutating configurations have in common. */
type WebhookConfiguration = Pick<Decoded<MutatingWebhookConfiguration>, "metadata" | "webhooks">;
type Webhook = Decoded<MutatingWebhook>;

export const mutatingWebhookConfiguration: KindDefinition<WebhookConfiguration> = configurationKind(
  "MutatingWebhookConfiguration",
);
export const validatingWebhookConfiguration: KindDefinition<WebhookConfiguration> =
  configurationKind("ValidatingWebhookConfiguration");

function configurationKind(
  kind: "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration",
): KindDefinition<WebhookConfiguration> {
  const isMutating = kind === "MutatingWebhookConfiguration";
  return {
    ...gvk("admissionregistration.k8s.io/v1", kind),
    defaults(object) {
      for (const webhook of object.webhooks ?? []) {
        setWebhookDefaults(webhook);
        if (isMutating) webhook.reinvocationPolicy ??= "Never";
      }
    },
    strategy: {
      allowUnconditionalUpdate: false,
      ...deepGenerationStrategy("webhooks"),
      validateCreate: (object) => validate(object, strictValidation),
      validateUpdate: (object, old) => [
        ...validateObjectMeta(object, { namespaced: false }, nameIsDnsSubdomain),
        ...validate(object, optionsFor(object, old)),
      ],
    },
    cells: (object, ages) => [nameOf(object), (object.webhooks ?? []).length, ageOf(object, ages)],
  };
}

function setWebhookDefaults(webhook: Webhook): void {
  webhook.failurePolicy ??= "Fail";
  webhook.matchPolicy ??= "Equivalent";
  webhook.namespaceSelector ??= {};
  webhook.objectSelector ??= {};
  webhook.timeoutSeconds ??= defaultTimeoutSeconds;
  setRuleDefaults(webhook.rules ?? []);
  if (webhook.clientConfig?.service) webhook.clientConfig.service.port ??= 443;
}

/** Which rules apply; what the stored configuration violates may stay so. */
interface WebhookValidationOptions {
  readonly sideEffects: readonly string[];
  readonly needsKnownVersion: boolean;
  readonly uniqueNames: boolean;
  readonly selectors: LabelSelectorRules;
  readonly conditions: "checked" | "as they are";
  readonly stored: StoredExpressions;
}

const strictValidation: WebhookValidationOptions = {
  sideEffects: harmless,
  needsKnownVersion: true,
  uniqueNames: true,
  selectors: { invalidValues: "refused" },
  conditions: "checked",
  stored: {},
};

function optionsFor(
  object: WebhookConfiguration,
  old: WebhookConfiguration,
): WebhookValidationOptions {
  const before = old.webhooks ?? [];
  const names = before.map((webhook) => webhook.name ?? "");
  const conditionsOf = (each: WebhookConfiguration): Json =>
    (each.webhooks ?? []).map(({ matchConditions }) => matchConditions ?? null);
  const knows = (webhook: Webhook): boolean =>
    (webhook.admissionReviewVersions ?? []).some((version) => acceptedVersions.includes(version));
  return {
    sideEffects: before.every((webhook) => harmless.includes(webhook.sideEffects ?? ""))
      ? harmless
      : sideEffects,
    needsKnownVersion: before.every(
      (webhook) => knows(webhook) || !(webhook.admissionReviewVersions ?? []).length,
    ),
    uniqueNames: new Set(names).size === names.length,
    selectors: {
      invalidValues: before.some((webhook) =>
        selectorFields.some((field) => validateLabelSelector(webhook[field] ?? {}, "").length),
      )
        ? "allowed"
        : "refused",
    },
    conditions: equalJson(conditionsOf(object), conditionsOf(old)) ? "as they are" : "checked",
    stored: {
      "match condition": new Set(
        before.flatMap((webhook) =>
          (webhook.matchConditions ?? []).map((condition) => condition.expression ?? ""),
        ),
      ),
    },
  };
}

function validate(object: WebhookConfiguration, options: WebhookValidationOptions): FieldError[] {
  const names = new Set<string>();
  return eachItem(object.webhooks, "webhooks", (webhook, path) => {
    const name = webhook.name ?? "";
    const errors = [
      ...validateWebhook(webhook, path, options),
      ...versionErrors(
        webhook.admissionReviewVersions ?? [],
        `${path}.admissionReviewVersions`,
        options,
      ),
    ];
    if (options.uniqueNames && name && names.has(name))
      errors.push(fieldError.duplicate(`${path}.name`, name));
    names.add(name);
    return errors;
  });
}

function validateWebhook(
  webhook: Webhook,
  path: string,
  options: WebhookValidationOptions,
): FieldError[] {
  const seconds = webhook.timeoutSeconds ?? 0;
  return [
    ...qualifiedNameErrors(webhook.name ?? "", `${path}.name`),
    ...eachItem(webhook.rules, `${path}.rules`, validateRule),
    ...enumErrors(webhook, "failurePolicy", failurePolicies, path),
    ...enumErrors(webhook, "matchPolicy", matchPolicies, path),
    ...(isSet(webhook.sideEffects)
      ? enumErrors(webhook, "sideEffects", options.sideEffects, path)
      : [
          fieldError.required(
            `${path}.sideEffects`,
            `must specify one of ${options.sideEffects.join(", ")}`,
          ),
        ]),
    ...errorIf(seconds > maxTimeoutSeconds || seconds < 1, () =>
      fieldError.invalid(
        `${path}.timeoutSeconds`,
        seconds,
        "the timeout value must be between 1 and 30 seconds",
      ),
    ),
    ...selectorFields.flatMap((field) =>
      validateLabelSelector(webhook[field] ?? {}, `${path}.${field}`, options.selectors),
    ),
    ...enumErrors(webhook, "reinvocationPolicy", ["IfNeeded", "Never"], path),
    ...clientErrors(webhook.clientConfig ?? {}, `${path}.clientConfig`),
    ...(options.conditions === "checked"
      ? validateMatchConditions(
          webhook.matchConditions ?? [],
          `${path}.matchConditions`,
          openMatchConditions("none", options.stored),
        )
      : []),
  ];
}

function clientErrors(client: Decoded<WebhookClientConfig>, path: string): FieldError[] {
  const { url, service } = client;
  if (isSet(url) === isSet(service))
    return [fieldError.required(path, "exactly one of url or service is required")];
  if (isSet(url)) return validateWebhookUrl(url, `${path}.url`);
  const given = service ?? {};
  const target = isSet(given.path) ? { path: given.path } : {};
  // Upstream swaps name and namespace here, so that the error of one has the path of the other.
  return validateWebhookService(
    {
      name: given.namespace ?? "",
      namespace: given.name ?? "",
      port: given.port ?? 0,
      ...target,
    },
    `${path}.service`,
  );
}

function versionErrors(
  versions: readonly string[],
  path: string,
  { needsKnownVersion }: WebhookValidationOptions,
): FieldError[] {
  if (!versions.length)
    return [fieldError.required(path, `must specify one of ${acceptedVersions.join(", ")}`)];
  const errors = eachItem(versions, path, (version, at, i) =>
    versions.indexOf(version) < i
      ? [fieldError.invalid(at, version, "duplicate version")]
      : dns1035LabelFaults(version).map((fault) => fieldError.invalid(at, version, fault)),
  );
  const known = versions.some((version) => acceptedVersions.includes(version));
  return needsKnownVersion && !known
    ? [
        ...errors,
        fieldError.invalid(
          path,
          [...versions],
          `must include at least one of ${acceptedVersions.join(", ")}`,
        ),
      ]
    : errors;
}
