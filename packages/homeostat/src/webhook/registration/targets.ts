// The targets of an operator's webhooks.
import { parseApiVersion } from "../../api/gvk.ts";
import { isObject, type Json, type JsonObject } from "../../api/json.ts";
import type { Kind } from "../../api/kind.ts";
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "../../k8s/admissionregistration/v1/index.ts";
import { CustomResourceDefinition } from "../../k8s/apiextensions/v1/index.ts";
import type { AdmissionWebhook } from "../admission/define-webhook.ts";
import type { Conversion } from "../conversion/define-conversion.ts";
import type { PlaceOfWebhooks } from "../place-of-webhooks.ts";
import type { WebhooksOptions } from "../webhooks-options.ts";
import { type Bundle, decodeBundle, encodeBundle, type Target } from "./target.ts";

/** How targets name this server. */
export interface Address {
  readonly place: PlaceOfWebhooks;
  readonly annotations: Readonly<Record<string, string>>;
}

/** All targets, webhook configurations first. */
export function targetsOf(serve: WebhooksOptions["serve"], address: Address): readonly Target[] {
  const admission = serve.filter((one) => one.type !== "conversion");
  const conversions = serve.filter((one) => one.type === "conversion");
  const of = (type: AdmissionWebhook["type"]) => admission.filter((one) => one.type === type);
  return [
    ...configurationTarget(MutatingWebhookConfiguration, of("mutating"), address),
    ...configurationTarget(ValidatingWebhookConfiguration, of("validating"), address),
    ...conversionTargets(conversions, address),
  ];
}

function configurationTarget(
  kind: Kind,
  webhooks: readonly AdmissionWebhook[],
  address: Address,
): readonly Target[] {
  if (webhooks.length === 0) return [];
  const { annotations } = address;
  const { configuration: name } = address.place;
  const { apiVersion } = kind;
  return [
    {
      kind,
      name,
      manifest: (bundle) => ({
        apiVersion,
        kind: kind.kind,
        metadata: { name, ...annotated(annotations) },
        webhooks: webhooks.map((one) => toEntry(one, clientConfig(one.path, address, bundle))),
      }),
      fault: (object) => {
        const names = new Set(entriesOf(object).map((entry) => entry["name"]));
        const missing = webhooks.filter((one) => !names.has(one.name));
        return missing.length === 0
          ? undefined
          : `lacks ${missing.map((one) => one.name).join(", ")}`;
      },
      readdress: (object, bundle) =>
        webhooks.flatMap((one) => {
          const at = entriesOf(object).findIndex(({ name: given }) => given === one.name);
          const value = clientConfig(one.path, address, bundle);
          const entry = entriesOf(object)[at];
          if (!entry || !isOtherForm(entry["clientConfig"], value)) return [];
          const { path, guard } = bundleOfEntry(entry, at);
          return [{ op: "test", ...guard! } as const, { op: "replace", path, value } as const];
        }),
      bundles: (object) => entriesOf(object).map(bundleOfEntry),
    },
  ];
}

const annotated = (annotations: Address["annotations"]): JsonObject =>
  Object.keys(annotations).length > 0 ? { annotations: { ...annotations } } : {};

const entriesOf = ({ webhooks }: JsonObject): readonly JsonObject[] =>
  Array.isArray(webhooks) ? webhooks.filter(isObject) : [];

function bundleOfEntry({ name, clientConfig: config }: JsonObject, at: number): Bundle {
  const { caBundle } = isObject(config) ? config : ({} as JsonObject);
  return {
    path: `/webhooks/${at}/clientConfig`,
    guard: { path: `/webhooks/${at}/name`, value: name ?? null },
    pem: decodeBundle(caBundle),
  };
}

/** An item of `webhooks`. */
function toEntry(webhook: AdmissionWebhook, config: JsonObject): JsonObject {
  const { name, kind, resources, operations, options } = webhook;
  const { group, version } = parseApiVersion(kind.apiVersion)!;
  const { sideEffects = "None", ...given } = options;
  const { name: _, path: __, resources: ___, permissions: ____, ...others } = given;
  return {
    name,
    admissionReviewVersions: ["v1"],
    clientConfig: config,
    rules: [
      {
        apiGroups: [group],
        apiVersions: [version],
        operations: [...operations],
        resources: [...resources],
        scope: "*",
      },
    ],
    sideEffects,
    ...(others as unknown as JsonObject),
  };
}

function clientConfig(path: string, { place }: Address, bundle?: string): JsonObject {
  const url = place.urlOf(path);
  const { name, namespace, port = 443 } = place.service ?? { name: "", namespace: "" };
  return {
    ...(url === undefined ? { service: { name, namespace, port, path } } : { url }),
    ...(bundle === undefined ? {} : { caBundle: encodeBundle(bundle) }),
  };
}

/** A Service where a URL is wanted, or the reverse. */
const isOtherForm = (given: Json | undefined, wanted: JsonObject): boolean =>
  isObject(given) && given[wanted["url"] === undefined ? "url" : "service"] !== undefined;

/** One target for each definition, whatever the number of its pairs. */
function conversionTargets(
  conversions: readonly Conversion[],
  address: Address,
): readonly Target[] {
  const names = new Set(conversions.map(({ resource, group }) => `${resource}.${group}`));
  return [...names].map((name) => ({
    kind: CustomResourceDefinition,
    name,
    manifest: (bundle) => ({
      apiVersion: CustomResourceDefinition.apiVersion,
      kind: "CustomResourceDefinition",
      metadata: { name, ...annotated(address.annotations) },
      spec: {
        conversion: {
          strategy: "Webhook",
          webhook: {
            conversionReviewVersions: ["v1"],
            clientConfig: clientConfig("/convert", address, bundle),
          },
        },
      },
    }),
    fault: (object) =>
      conversionOf(object)["strategy"] === "Webhook" ? undefined : "has no conversion webhook",
    readdress: (object, bundle) => {
      const { strategy, webhook } = conversionOf(object);
      const value = clientConfig("/convert", address, bundle);
      if (strategy !== "Webhook" || !isObject(webhook)) return [];
      if (!isOtherForm(webhook["clientConfig"], value)) return [];
      return [{ op: "replace", path: "/spec/conversion/webhook/clientConfig", value } as const];
    },
    bundles: (object) => {
      const { strategy, webhook } = conversionOf(object);
      if (strategy !== "Webhook" || !isObject(webhook)) return [];
      const { clientConfig: config } = webhook;
      const pem = isObject(config) ? decodeBundle(config["caBundle"]) : "";
      return [{ path: "/spec/conversion/webhook/clientConfig", pem }];
    },
  }));
}

function conversionOf({ spec }: JsonObject): JsonObject {
  const conversion: Json | undefined = isObject(spec) ? spec["conversion"] : undefined;
  return isObject(conversion) ? conversion : {};
}
