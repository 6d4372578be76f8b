/**
 * Admission and conversion webhooks from typed functions.
 * @module homeostat/webhook
 */
export type {
  AdmissionContext,
  AdmissionRequest,
  Draft,
  Operation,
  Submitted,
} from "./admission/admission-context.ts";
export {
  type AdmissionWebhook,
  defineMutatingWebhook,
  defineValidatingWebhook,
  type MutatingWebhookOptions,
  type ValidatingWebhookOptions,
  type WebhookOptions,
} from "./admission/define-webhook.ts";
export {
  type Denial,
  deny,
  type DenialOptions,
  type FieldFault,
  invalid,
} from "./admission/denial.ts";
export { conversionLoss } from "./conversion/convert-object.ts";
export {
  type Conversion,
  type ConversionOptions,
  type Converted,
  defineConversion,
} from "./conversion/define-conversion.ts";
export { describeWebhooks, type WebhookNeeds } from "./describe-webhooks.ts";
export type { PatchOperation } from "./json-patch/diff-json.ts";
export type {
  CertManagerCertificates,
  FileCertificates,
  SecretCertificates,
  WebhooksOptions,
} from "./webhooks-options.ts";
