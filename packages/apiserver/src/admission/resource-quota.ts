// ResourceQuota: refuses writes that would exceed a quota of their namespace, or that use without
// one what the configuration limits, and enters what the others use into the quota's status before
// they are stored.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/resourcequota/admission.go,
// k8s.io/kubernetes/pkg/quota/v1/install/registry.go (DefaultIgnoredResources).
import { loadLate } from "../apimachinery/load-late.ts";
import type { AdmissionRequest } from "../apimachinery/rest/admission.ts";
import { type CreatePlugin, isAbout } from "./admission-plugin.ts";
import type { QuotaQueue } from "./resource-quota/quota-queue.ts";

type Queues = typeof import("./resource-quota/quota-queue.ts");
type Configurations = typeof import("./configuration/resource-quota.ts");

const quotas = { group: "", resource: "resourcequotas" } as const;

export const createResourceQuota: CreatePlugin = (services, given) => {
  const limited = given ? parseLimited(given) : [];
  let queue: QuotaQueue | undefined;
  return {
    validate(request) {
      if (!isCounted(request)) return;
      if (!limited.length && services.objects.isEmpty(quotas, request.namespace)) return;
      queue ??= (
        loadLate(import.meta.url, "./resource-quota/quota-queue") as Queues
      ).createQuotaQueue(services, limited);
      return queue.admit(request);
    },
  };
};

const parseLimited: Configurations["parseQuotaConfiguration"] = (given) =>
  (
    loadLate(import.meta.url, "./configuration/resource-quota") as Configurations
  ).parseQuotaConfiguration(given);

/** Creates and updates in namespaces, except of events and of what is not stored. */
function isCounted(request: AdmissionRequest): boolean {
  const { operation, namespace, resource } = request;
  if (!namespace || (operation !== "CREATE" && operation !== "UPDATE")) return false;
  if (operation === "CREATE" && isAbout(request, "", "namespaces")) return false;
  return !ignored[resource.group]?.includes(resource.resource);
}

const ignored: Readonly<Record<string, readonly string[]>> = {
  "": ["bindings", "componentstatuses", "events"],
  "events.k8s.io": ["events"],
  "authentication.k8s.io": ["tokenreviews", "selfsubjectreviews"],
  "authorization.k8s.io": [
    "subjectaccessreviews",
    "selfsubjectaccessreviews",
    "localsubjectaccessreviews",
    "selfsubjectrulesreviews",
  ],
};
