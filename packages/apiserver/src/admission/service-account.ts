// ServiceAccount: a pod's service account must exist; the pod gets the account's imagePullSecrets,
// and a token of the account mounted.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/serviceaccount/admission.go.
import type { Decoded } from "homeostat/api";
import type { Pod, PodSpec, ServiceAccount } from "homeostat/k8s/core/v1";
import { mirrorAnnotation } from "../kinds/core/pod/validation/validate-pod-annotations.ts";
import { metaString } from "../apimachinery/meta/read-meta.ts";
import type { AdmissionRequest } from "../apimachinery/rest/admission.ts";
import { isAbout, refuse, type CreatePlugin, type PluginServices } from "./admission-plugin.ts";
import { mountToken } from "./mount-token.ts";
import { type ContainerList, unmountableSecret, usesSecrets } from "./secret-references.ts";

const defaultAccount = "default";
/**
 * How long a pod waits for the account `default`, which a controller creates with its namespace.
 */
const patience = { attempts: 10, everyMs: 150 } as const;
const newContainers = ["initContainers", "containers"] as const;

export const createServiceAccount: CreatePlugin = (services) => ({
  async mutate(request) {
    if (!isPod(request, "CREATE", "")) return;
    const pod: Decoded<Pod> = request.object!;
    if (isMirror(pod)) return refuseMirror(request, pod);
    const spec = (pod.spec ??= {});
    if (!spec.serviceAccountName) spec.serviceAccountName = spec.serviceAccount = defaultAccount;
    const account = await accountOf(request, spec, services);
    if (wantsToken(spec, account)) mountToken(spec, services.runtime.entropy);
    const secrets = account.imagePullSecrets ?? [];
    if (!spec.imagePullSecrets?.length && secrets.length)
      spec.imagePullSecrets = secrets.map(({ name }) => ({ name: name ?? "" }));
    refuseSecrets(request, spec, account, newContainers);
  },
  async validate(request) {
    if (isPod(request, "CREATE", "")) {
      const pod: Decoded<Pod> = request.object!;
      if (isMirror(pod)) return refuseMirror(request, pod);
      const spec = pod.spec ?? {};
      refuseSecrets(request, spec, await accountOf(request, spec, services), newContainers);
    } else if (isPod(request, "UPDATE", "ephemeralcontainers")) {
      const { spec }: Decoded<Pod> = request.object!;
      const account = await accountOf(request, spec ?? {}, services);
      refuseSecrets(request, spec ?? {}, account, ["ephemeralContainers"]);
    }
  },
});

const isPod = (
  request: AdmissionRequest,
  operation: AdmissionRequest["operation"],
  subresource: string,
): boolean =>
  request.object !== undefined &&
  request.operation === operation &&
  isAbout(request, "", "pods", subresource);

const isMirror = ({ metadata }: Decoded<Pod>): boolean =>
  Object.hasOwn(metadata?.annotations ?? {}, mirrorAnnotation);

/** A mirror pod, which shows a static pod of a kubelet, cannot refer to objects of the API. */
function refuseMirror(request: AdmissionRequest, pod: Decoded<Pod>): void {
  const spec = pod.spec ?? {};
  const projections = (spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  if (spec.serviceAccountName)
    throw refuse(request, "a mirror pod may not reference service accounts");
  if (usesSecrets(spec)) throw refuse(request, "a mirror pod may not reference secrets");
  if (projections.some(({ serviceAccountToken }) => serviceAccountToken))
    throw refuse(request, "a mirror pod may not use ServiceAccountToken volume projections");
}

async function accountOf(
  request: AdmissionRequest,
  spec: Decoded<PodSpec>,
  { objects, runtime }: PluginServices,
): Promise<Decoded<ServiceAccount>> {
  const { namespace } = request;
  const name = spec.serviceAccountName ?? "";
  if (!name)
    throw refuse(
      request,
      `no service account specified for pod ${namespace}/${metaString(request.object!, "name")}`,
    );
  const attempts = name === defaultAccount ? patience.attempts : 1;
  for (let attempt = 1; ; attempt++) {
    const found = objects.find({ group: "", resource: "serviceaccounts" }, name, namespace);
    if (found) return found;
    if (attempt === attempts)
      throw refuse(
        request,
        `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`,
      );
    await new Promise<void>((resolve) => void runtime.clock.timer(patience.everyMs, resolve));
  }
}

const wantsToken = (spec: Decoded<PodSpec>, account: Decoded<ServiceAccount>): boolean =>
  spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;

/** Accounts with this annotation allow their pods no other secrets than the account's own. */
function refuseSecrets(
  request: AdmissionRequest,
  spec: Decoded<PodSpec>,
  account: Decoded<ServiceAccount>,
  lists: readonly ContainerList[],
): void {
  const enforced = account.metadata?.annotations?.["kubernetes.io/enforce-mountable-secrets"] ?? "";
  if (!["1", "t", "T", "TRUE", "true", "True"].includes(enforced)) return;
  const fault = unmountableSecret(spec, account, lists);
  if (fault) throw refuse(request, fault);
}
