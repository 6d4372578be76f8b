// Which service account tokens a node may request: those of its pods, for the audiences of their
// volumes, or for audiences that it is authorized for.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/noderestriction/admission.go
// (admitServiceAccount, podReferencesAudience), k8s.io/csi-translation-lib/plugins.
import { type Decoded, isApiStatusError } from "homeostat/api";
import type { TokenRequest } from "homeostat/k8s/authentication/v1";
import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from "homeostat/k8s/core/v1";
import type { CSIDriver } from "homeostat/k8s/storage/v1";
import { aggregate } from "../../apimachinery/errors/aggregate.ts";
import { resourceAction } from "../../apimachinery/authorizer.ts";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import { type PluginServices, refuse } from "../admission-plugin.ts";
import { listed, listedObject } from "./listed-object.ts";

export function admitToken(
  node: string,
  request: AdmissionRequest,
  services: PluginServices,
): void {
  const { operation, subresource, object, namespace } = request;
  if (operation !== "CREATE" || subresource !== "token" || !object) return;
  const { spec } = object as Decoded<TokenRequest>;
  const { apiVersion, kind, name, uid = "" } = spec?.boundObjectRef ?? {};
  if (apiVersion !== "v1" || kind !== "Pod" || !name)
    throw refuse(request, "node requested token not bound to a pod");
  if (!uid) throw refuse(request, "node requested token with a pod binding without a uid");
  const pod: Decoded<Pod> = listedObject(services.objects, listed.pods, name, namespace);
  if (uid !== pod.metadata?.uid)
    throw refuse(
      request,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  if ((pod.spec?.nodeName ?? "") !== node)
    throw refuse(request, "node requested token bound to a pod scheduled on a different node");
  const audiences = spec?.audiences ?? [];
  if (audiences.length > 1) throw refuse(request, "node may only request 0 or 1 audiences");
  assertAudience(audiences[0] ?? "", pod, request, services);
}

function assertAudience(
  audience: string,
  pod: Decoded<Pod>,
  request: AdmissionRequest,
  services: PluginServices,
): void {
  const { user, namespace, name } = request;
  const faults: string[] = [];
  for (const volume of pod.spec?.volumes ?? [])
    try {
      if (hasAudience(volume, audience, pod, services)) return;
    } catch (error) {
      if (!isApiStatusError(error)) throw error;
      faults.push(error.message);
    }
  if (faults.length)
    throw refuse(request, `error validating audience ${quoteGo(audience)}: ${aggregate(faults)}`);
  const info = resourceAction({
    verb: "request-serviceaccounts-token-audience",
    namespace,
    version: "v1",
    resource: audience,
    name,
  });
  if (services.authorizer({ user, info }).allowed) return;
  throw refuse(
    request,
    `audience ${quoteGo(audience)} not found in pod spec volume, ${user.name} is not authorized to request tokens for this audience`,
  );
}

function hasAudience(
  volume: Decoded<Volume>,
  audience: string,
  pod: Decoded<Pod>,
  services: PluginServices,
): boolean {
  const isProjected = (volume.projected?.sources ?? []).some(
    ({ serviceAccountToken: token }) => token && (token.audience ?? "") === audience,
  );
  if (isProjected) return true;
  const name = driverOf(volume, pod, services);
  if (!name) return false;
  const driver: Decoded<CSIDriver> = listedObject(services.objects, listed.drivers, name);
  return (driver.spec?.tokenRequests ?? []).some((each) => (each.audience ?? "") === audience);
}

/** The CSI driver behind a volume; undefined if there is none. */
function driverOf(
  volume: Decoded<Volume>,
  { metadata }: Decoded<Pod>,
  services: PluginServices,
): string | undefined {
  const namespace = metadata?.namespace ?? "";
  if (volume.ephemeral?.volumeClaimTemplate)
    return driverOfClaim(`${metadata?.name ?? ""}-${volume.name ?? ""}`, namespace, services);
  const claim = volume.persistentVolumeClaim;
  if (claim) return driverOfClaim(claim.claimName ?? "", namespace, services);
  return volume.csi ? (volume.csi.driver ?? "") : migratedDriver(volume);
}

function driverOfClaim(
  name: string,
  namespace: string,
  { objects }: PluginServices,
): string | undefined {
  const claim: Decoded<PersistentVolumeClaim> = listedObject(
    objects,
    listed.claims,
    name,
    namespace,
  );
  const { spec }: Decoded<PersistentVolume> = listedObject(
    objects,
    listed.volumes,
    claim.spec?.volumeName ?? "",
  );
  return spec?.csi ? (spec.csi.driver ?? "") : migratedDriver(spec ?? {});
}

/** Drivers that have taken over the volumes of in-tree plug-ins. */
const migrated = {
  gcePersistentDisk: "pd.csi.storage.gke.io",
  awsElasticBlockStore: "ebs.csi.aws.com",
  cinder: "cinder.csi.openstack.org",
  azureDisk: "disk.csi.azure.com",
  azureFile: "file.csi.azure.com",
  vsphereVolume: "csi.vsphere.vmware.com",
  portworxVolume: "pxd.portworx.com",
} as const;

const migratedDriver = (
  source: Readonly<Partial<Record<keyof typeof migrated, unknown>>>,
): string | undefined => {
  const names = Object.keys(migrated) as (keyof typeof migrated)[];
  const found = names.find((name) => source[name]);
  return found && migrated[found];
};
