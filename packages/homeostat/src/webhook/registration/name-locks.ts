// Names the webhooks that can keep their own operator from starting: what it writes or needs at a
// start asks a webhook that only answers once it has started. The API server asks no webhook about
// webhook configurations, so that those are not among them.
// Upstream: Kubernetes' documentation, "Admission Webhook Good Practices" (avoid deadlocks in
// self-hosted webhooks), k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules/rules.go.
import { parseApiVersion } from "../../api/gvk.ts";
import type { AdmissionWebhook } from "../admission/define-webhook.ts";
import type { WebhooksOptions } from "../webhooks-options.ts";

/** What an operator needs at its start, with the use of it. */
const needed: Readonly<Record<string, string>> = {
  "/secrets": "the Secret of the certificates",
  "/pods": "the operator's Pod",
  "apps/replicasets": "the operator's ReplicaSet",
  "coordination.k8s.io/leases": "the Lease of the election",
  "apiextensions.k8s.io/customresourcedefinitions": "the conversion of definitions",
};

/** A line for each webhook that can lock the operator out. */
export function lockWarnings(serve: WebhooksOptions["serve"]): readonly string[] {
  return serve.flatMap((one) => {
    if (one.type === "conversion" || !fails(one)) return [];
    const uses = usesOf(one);
    if (uses.length === 0) return [];
    return [
      `webhook ${one.name} is asked about ${uses.join(", ")}, and fails when it does not answer: it can keep its own operator from starting; leave the operator's objects out with matchConditions or a namespaceSelector, or set failurePolicy "Ignore"`,
    ];
  });
}

/** A condition or a selector is taken for the remedy. */
function fails({ options, operations }: AdmissionWebhook): boolean {
  const { failurePolicy, namespaceSelector, objectSelector, matchConditions = [] } = options;
  const isNarrow = [namespaceSelector, objectSelector].some(
    (selector) => Object.keys(selector ?? {}).length > 0,
  );
  const writes = operations.some((one) => one !== "DELETE" && one !== "CONNECT");
  return failurePolicy !== "Ignore" && writes && !isNarrow && matchConditions.length === 0;
}

function usesOf({ kind, resources }: AdmissionWebhook): readonly string[] {
  const { group } = parseApiVersion(kind.apiVersion)!;
  return Object.entries(needed).flatMap(([resource, use]) => {
    const [ofGroup, name] = resource.split("/") as [string, string];
    const isAsked = resources.some((one) => one === "*" || one === "*/*" || one === name);
    return isAsked && (group === ofGroup || group === "*") ? [use] : [];
  });
}
