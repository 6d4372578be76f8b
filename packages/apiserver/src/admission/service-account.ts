// ServiceAccount: every pod runs as an account that is there, gets the account's pull secrets, and
// finds a token for it mounted.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/serviceaccount/admission.go.
import type { JsonObject } from "homeostat/api";
import { mirrorAnnotation } from "../kinds/core/pod/validation/validate-pod-annotations.ts";
import {
  hasItems,
  isSet,
  itemsAt,
  textMapAt,
  objectAt,
  stringAt,
} from "../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../apimachinery/meta/read-meta.ts";
import type { AdmissionRequest } from "../apimachinery/rest/admission.ts";
import { isAbout, refuse, type CreatePlugin, type PluginServices } from "./admission-plugin.ts";
import { mountToken } from "./mount-token.ts";
import { unmountableSecret, usesSecrets } from "./secret-references.ts";
import { specOf } from "./spec-of.ts";

const defaultAccount = "default";
/** The account `default` follows its namespace a moment later: it is waited for. */
const patience = { attempts: 10, everyMs: 150 } as const;

export const createServiceAccount: CreatePlugin = (services) => ({
  async mutate(request) {
    if (!isPod(request, "CREATE", "")) return;
    const pod = request.object!;
    if (isMirror(pod)) return refuseMirror(request, pod);
    const spec = specOf(pod);
    if (!stringAt(spec, "serviceAccountName"))
      spec["serviceAccountName"] = spec["serviceAccount"] = defaultAccount;
    const account = await accountOf(request, spec, services);
    if (wantsToken(spec, account)) mountToken(spec, services.runtime.entropy);
    const secrets = itemsAt(account, "imagePullSecrets");
    if (!hasItems(spec["imagePullSecrets"]) && secrets.length)
      spec["imagePullSecrets"] = secrets.map((each) => ({ name: stringAt(each, "name") }));
    refuseSecrets(request, spec, account, ["initContainers", "containers"]);
  },
  async validate(request) {
    if (isPod(request, "CREATE", "")) {
      const pod = request.object!;
      if (isMirror(pod)) return refuseMirror(request, pod);
      const spec = objectAt(pod, "spec");
      refuseSecrets(request, spec, await accountOf(request, spec, services), [
        "initContainers",
        "containers",
      ]);
    } else if (isPod(request, "UPDATE", "ephemeralcontainers")) {
      const spec = objectAt(request.object!, "spec");
      refuseSecrets(request, spec, await accountOf(request, spec, services), [
        "ephemeralContainers",
      ]);
    }
  },
});

const isPod = (
  request: AdmissionRequest,
  operation: AdmissionRequest["operation"],
  view: string,
): boolean =>
  request.object !== undefined &&
  request.operation === operation &&
  isAbout(request, "", "pods", view);

const isMirror = (pod: JsonObject): boolean =>
  Object.hasOwn(textMapAt(metadataOf(pod), "annotations"), mirrorAnnotation);

/** A pod that only shows what a kubelet runs by itself has nothing from the API. */
function refuseMirror(request: AdmissionRequest, pod: JsonObject): void {
  const spec = objectAt(pod, "spec");
  const projections = itemsAt(spec, "volumes").flatMap((volume) =>
    itemsAt(objectAt(volume, "projected"), "sources"),
  );
  if (stringAt(spec, "serviceAccountName"))
    throw refuse(request, "a mirror pod may not reference service accounts");
  if (usesSecrets(spec)) throw refuse(request, "a mirror pod may not reference secrets");
  if (projections.some((source) => isSet(source["serviceAccountToken"])))
    throw refuse(request, "a mirror pod may not use ServiceAccountToken volume projections");
}

async function accountOf(
  request: AdmissionRequest,
  spec: JsonObject,
  { objects, runtime }: PluginServices,
): Promise<JsonObject> {
  const { namespace } = request;
  const name = stringAt(spec, "serviceAccountName");
  if (!name)
    throw refuse(
      request,
      `no service account specified for pod ${namespace}/${stringAt(metadataOf(request.object!), "name")}`,
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

function wantsToken(spec: JsonObject, account: JsonObject): boolean {
  return (
    (spec["automountServiceAccountToken"] ?? account["automountServiceAccountToken"] ?? true) ===
    true
  );
}

/** Accounts that are marked so let their pods use their own secrets only. */
function refuseSecrets(
  request: AdmissionRequest,
  spec: JsonObject,
  account: JsonObject,
  lists: readonly string[],
): void {
  const mark =
    textMapAt(metadataOf(account), "annotations")["kubernetes.io/enforce-mountable-secrets"] ?? "";
  if (!["1", "t", "T", "TRUE", "true", "True"].includes(mark)) return;
  const fault = unmountableSecret(spec, account, lists);
  if (fault) throw refuse(request, fault);
}
