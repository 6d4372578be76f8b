// Validates the conversion strategy of a definition and its webhook.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go
// (validateCustomResourceConversion), k8s.io/apiserver/pkg/util/webhook/validation.go.
import { dns1035LabelFaults } from "homeostat/api";
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../../apimachinery/errors/field-error.ts";
import type { DefinitionConversion, WebhookClientConfig } from "../definition/definition.ts";
import {
  validateCaBundle,
  validateWebhookService,
  validateWebhookUrl,
} from "../../validation/validate-webhook-client.ts";

/** `caBundle: "checked"` once the definition is established and its old bundle was sound. */
export function validateConversion(
  conversion: DefinitionConversion | undefined,
  path: string,
  { caBundle }: { readonly caBundle: "checked" | "ignored" },
): FieldError[] {
  if (!conversion) return [];
  const { strategy, webhook } = conversion;
  const errors = strategyErrors(strategy, `${path}.strategy`);
  if (strategy === "Webhook") {
    return [
      ...errors,
      ...clientErrors(webhook?.clientConfig, `${path}.webhookClientConfig`, caBundle),
      ...reviewVersionErrors(
        webhook?.conversionReviewVersions ?? [],
        `${path}.conversionReviewVersions`,
      ),
    ];
  }
  const text = "should not be set when strategy is not set to Webhook";
  return [
    ...errors,
    ...errorIf(webhook?.clientConfig, () =>
      fieldError.forbidden(`${path}.webhookClientConfig`, text),
    ),
    ...errorIf(webhook?.conversionReviewVersions?.length, () =>
      fieldError.forbidden(`${path}.conversionReviewVersions`, text),
    ),
  ];
}

function strategyErrors(strategy: string | undefined, path: string): FieldError[] {
  if (!strategy) return [fieldError.required(path, "")];
  return errorIf(strategy !== "None" && strategy !== "Webhook", () =>
    fieldError.notSupported(path, strategy, ["None", "Webhook"]),
  );
}

function clientErrors(
  config: WebhookClientConfig | undefined,
  path: string,
  caBundle: "checked" | "ignored",
): FieldError[] {
  if (!config) return [fieldError.required(path, "required when strategy is set to Webhook")];
  return [
    ...targetErrors(config, path),
    ...(config.caBundle && caBundle === "checked"
      ? validateCaBundle(config.caBundle, `${path}.caBundle`)
      : []),
  ];
}

function targetErrors({ url, service }: WebhookClientConfig, path: string): FieldError[] {
  if ((url === undefined) === (service === undefined))
    return [fieldError.required(path, "exactly one of url or service is required")];
  if (url !== undefined) return validateWebhookUrl(url, `${path}.url`);
  // Upstream swaps name and namespace here, so that the error of one has the path of the other.
  const { name = "", namespace = "", ...others } = service ?? {};
  return validateWebhookService({ ...others, name: namespace, namespace: name }, `${path}.service`);
}

function reviewVersionErrors(versions: readonly string[], path: string): FieldError[] {
  if (!versions.length) return [fieldError.required(path, "")];
  const errors = eachItem(versions, path, (version, at, i) =>
    versions.indexOf(version) < i
      ? [fieldError.invalid(at, version, "duplicate version")]
      : dns1035LabelFaults(version).map((text) => fieldError.invalid(at, version, text)),
  );
  return versions.includes("v1") || versions.includes("v1beta1")
    ? errors
    : [
        ...errors,
        fieldError.invalid(path, [...versions], "must include at least one of v1, v1beta1"),
      ];
}
