// Defaults of volumes: an empty directory where no source is named, file modes, and the fields of
// old volume plug-ins.
// Upstream: k8s.io/kubernetes/pkg/apis/core/v1/{defaults.go,zz_generated.defaults.go}.
import type { Decoded } from "homeostat/api";
import type {
  DownwardAPIVolumeFile,
  PersistentVolumeSpec,
  ProjectedVolumeSource,
  Volume,
} from "homeostat/k8s/core/v1";
import { isSet } from "../../../../apimachinery/meta/read-fields.ts";
import { setClaimSpecDefaults } from "../../persistent-volume-claim/claim-spec-defaults.ts";
import { roundList } from "../../resources/resource-lists.ts";
import { pullPolicyOf, setFieldRefDefaults } from "./container-defaults.ts";

const fileMode = 0o644;
const tokenSeconds = 3600;

/** Sets the defaults of one volume. */
export function setVolumeDefaults(volume: Decoded<Volume>): void {
  if (!Object.entries(volume).some(([field, source]) => field !== "name" && isSet(source)))
    volume.emptyDir = {};
  const { downwardAPI, image, projected } = volume;
  if (image) image.pullPolicy ||= pullPolicyOf(image.reference ?? "");
  for (const source of [volume.secret, volume.configMap, downwardAPI, projected])
    if (source) source.defaultMode ??= fileMode;
  if (downwardAPI) setFileDefaults(downwardAPI.items ?? []);
  if (projected) setProjectedDefaults(projected);
  const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
  if (claim) setClaimSpecDefaults(claim);
  setSharedSourceDefaults(volume);
}

/**
 * Sets the defaults of a persistent volume's capacity and source. The inline volume of a
 * VolumeAttachment gets these and no others.
 */
export function setPersistentSourceDefaults(spec: Decoded<PersistentVolumeSpec>): void {
  roundList(spec.capacity);
  setSharedSourceDefaults(spec);
}

function setFileDefaults(files: readonly Decoded<DownwardAPIVolumeFile>[]): void {
  for (const file of files) setFieldRefDefaults(file.fieldRef);
}

function setProjectedDefaults(projected: Decoded<ProjectedVolumeSource>): void {
  for (const { downwardAPI, serviceAccountToken } of projected.sources ?? []) {
    setFileDefaults(downwardAPI?.items ?? []);
    if (serviceAccountToken) serviceAccountToken.expirationSeconds ??= tokenSeconds;
  }
}

/** The sources that pods and persistent volumes have in common. */
type SharedSources = Decoded<
  Pick<Volume | PersistentVolumeSpec, "azureDisk" | "hostPath" | "iscsi" | "rbd" | "scaleIO">
>;

function setSharedSourceDefaults({
  azureDisk,
  hostPath,
  iscsi,
  rbd,
  scaleIO,
}: SharedSources): void {
  if (hostPath) hostPath.type ??= "";
  if (iscsi) iscsi.iscsiInterface ||= "default";
  if (rbd) {
    rbd.pool ||= "rbd";
    rbd.user ||= "admin";
    rbd.keyring ||= "/etc/ceph/keyring";
  }
  if (azureDisk) {
    azureDisk.cachingMode ??= "ReadWrite";
    azureDisk.fsType ??= "ext4";
    azureDisk.readOnly ??= false;
    azureDisk.kind ??= "Shared";
  }
  if (scaleIO) {
    scaleIO.storageMode ||= "ThinProvisioned";
    scaleIO.fsType ||= "xfs";
  }
}
