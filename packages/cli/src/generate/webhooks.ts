// What webhooks add to an operator on a cluster: a Service that leads to their port, their
// configurations, and the conversions of definitions.
import type { JsonObject } from "homeostat/api";
import { describeWebhooks } from "homeostat/webhook";
import type { OperatorModule } from "./load-operator.ts";
import { labelsOf } from "./settings.ts";

/** What webhooks add. */
export interface WebhookParts {
  /** The Service and the webhook configurations. */
  readonly objects: readonly JsonObject[];
  /** Ports of the container. */
  readonly ports: readonly JsonObject[];
  /** `spec.conversion` and annotations of definitions, by their names. */
  readonly conversions: ReadonlyMap<string, JsonObject>;
}

const portName = "webhooks";

/**
 * A pod is ready once its caches have synced. With objects of an older version that takes the
 * conversion, which the pods themselves serve: their Service waits for none of them.
 */
const convertingService = { publishNotReadyAddresses: true };

/** Empty without webhooks. @throws ERR_WEBHOOK_OPTIONS */
export function webhookPartsOf({ operator, options }: OperatorModule): WebhookParts {
  const { webhooks } = options;
  if (!webhooks) return { objects: [], ports: [], conversions: new Map() };
  const { port, configurations, conversions } = describeWebhooks(webhooks, { operator });
  const labels = labelsOf(operator);
  const { service } = webhooks;
  const spec = conversions.length > 0 ? convertingService : {};
  const services = service ? [serviceOf(service, labels, spec)] : [];
  const labelled = configurations.map((one) => ({
    ...one,
    metadata: { ...(one["metadata"] as JsonObject), labels },
  }));
  return {
    objects: [...services, ...labelled],
    ports: port === 0 ? [] : [{ name: portName, containerPort: port }],
    conversions: new Map(conversions.map((one) => [one.metadata.name, one])),
  };
}

function serviceOf(
  { name, namespace, port = 443 }: NonNullable<WebhooksService>,
  labels: Readonly<Record<string, string>>,
  more: JsonObject,
): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace, labels },
    spec: { selector: labels, ...more, ports: [{ name: "https", port, targetPort: portName }] },
  };
}

type WebhooksService = NonNullable<OperatorModule["options"]["webhooks"]>["service"];

/** A definition with its conversion. */
export function withConversion(definition: JsonObject, conversions: WebhookParts["conversions"]) {
  const metadata = definition["metadata"] as JsonObject;
  const conversion = conversions.get(String(metadata["name"]));
  if (!conversion) return definition;
  return {
    ...definition,
    metadata: { ...metadata, ...(conversion["metadata"] as JsonObject) },
    spec: { ...(definition["spec"] as JsonObject), ...(conversion["spec"] as JsonObject) },
  };
}

/** What is wrong with the place of webhooks, and what a user has to add by hand. */
export function webhookNotes({ options }: OperatorModule, namespace: string): readonly string[] {
  const { service, certificates } = options.webhooks ?? {};
  return [
    ...(service && service.namespace !== namespace
      ? [
          `options.webhooks.service.namespace is ${service.namespace}, and the pods are in ${namespace}: the Service finds none; set one of them (--namespace)`,
        ]
      : []),
    ...(certificates?.from === "files"
      ? [
          `options.webhooks.certificates: add the volume with ${certificates.cert} to the Deployment by hand`,
        ]
      : []),
    ...(certificates?.from === "cert-manager"
      ? [
          `options.webhooks.certificates: cert-manager's Certificate ${certificates.certificate} is yours to apply`,
        ]
      : []),
  ];
}
