// What webhooks need on a cluster, as manifests: for tools that write them before anything runs.
import type { JsonObject } from "../api/json.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import { webhooksFaults } from "./check-webhooks.ts";
import { annotationsOf } from "./pki/secret-of.ts";
import { PlaceOfWebhooks } from "./place-of-webhooks.ts";
import { targetsOf } from "./registration/targets.ts";
import type { WebhooksOptions } from "./webhooks-options.ts";

/** What webhooks need on a cluster. */
export interface WebhookNeeds {
  /** The port of the process; 0 when it takes a free one. */
  readonly port: number;
  /** The webhook configurations, without caBundles: the manager or cert-manager writes these. */
  readonly configurations: readonly JsonObject[];
  /**
   * The parts of definitions with their conversions: apiVersion, kind, metadata and
   * `spec.conversion`.
   */
  readonly conversions: readonly (JsonObject & { readonly metadata: { readonly name: string } })[];
}

/**
 * Describes the option `webhooks` of a manager. Pure.
 * @throws ERR_WEBHOOK_OPTIONS with every problem
 */
export function describeWebhooks(
  options: WebhooksOptions,
  { operator }: { readonly operator: string },
): WebhookNeeds {
  const faults = webhooksFaults(options);
  if (faults.length > 0)
    throw new HomeostatError(
      "ERR_WEBHOOK_OPTIONS",
      `the webhooks of ${operator}: ${faults.join("; ")}`,
      { hint: "correct what the message names" },
    );
  const place = new PlaceOfWebhooks(options, operator);
  const address = { place, annotations: annotationsOf(options) };
  const manifests = targetsOf(options.serve, address).map((target) => target.manifest(undefined));
  const isDefinition = (one: JsonObject): boolean => one["kind"] === "CustomResourceDefinition";
  return {
    port: place.port,
    configurations: manifests.filter((one) => !isDefinition(one)),
    conversions: manifests.filter(isDefinition),
  };
}
