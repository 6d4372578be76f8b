// Defaults of volumes: an empty directory where no source is named, file modes, and the odd values
// of old volume plug-ins.
// Upstream: k8s.io/kubernetes/pkg/apis/core/v1/{defaults.go,zz_generated.defaults.go}.
import type { JsonObject } from "homeostat/api";
import {
  objectAt,
  stringAt,
  isSet,
  setIfNil,
  setIfEmpty,
  mutableAt,
  itemsAt,
} from "../../../../apimachinery/meta/read-fields.ts";
import { pullPolicyOf, setFieldRefDefaults } from "./container-defaults.ts";
import { roundList, roundResources } from "../../resources/resource-lists.ts";

const fileMode = 0o644;
const tokenSeconds = 3600;

/** Sets the defaults of one volume. */
export function setVolumeDefaults(volume: JsonObject): void {
  if (!Object.keys(volume).some((field) => field !== "name" && isSet(volume[field])))
    volume["emptyDir"] = {};
  for (const [source, set] of Object.entries(sources)) {
    const value = mutableAt(volume, source);
    if (value) set(value);
  }
}

/**
 * Sets the defaults of a persistent volume's size and source; inline volumes of attachments have
 * these and no others.
 */
export function setPersistentSourceDefaults(spec: JsonObject): void {
  roundList(mutableAt(spec, "capacity"));
  for (const source of ["hostPath", "rbd", "iscsi", "azureDisk", "scaleIO"]) {
    const value = mutableAt(spec, source);
    if (value) sources[source]!(value);
  }
}

/** A claim asks for a file system. */
export function setClaimSpecDefaults(spec: JsonObject): void {
  setIfNil(spec, "volumeMode", "Filesystem");
  roundResources(objectAt(spec, "resources"));
}

const mode = (source: JsonObject): void => setIfNil(source, "defaultMode", fileMode);

function fieldRefs(source: JsonObject): void {
  for (const file of itemsAt(source, "items")) setFieldRefDefaults(mutableAt(file, "fieldRef"));
}

const sources: Readonly<Record<string, (source: JsonObject) => void>> = {
  image: (source) => setIfEmpty(source, "pullPolicy", pullPolicyOf(stringAt(source, "reference"))),
  hostPath: (source) => setIfNil(source, "type", ""),
  secret: mode,
  configMap: mode,
  downwardAPI(source) {
    mode(source);
    fieldRefs(source);
  },
  projected(source) {
    mode(source);
    for (const projection of itemsAt(source, "sources")) {
      fieldRefs(objectAt(projection, "downwardAPI"));
      const token = mutableAt(projection, "serviceAccountToken");
      if (token) setIfNil(token, "expirationSeconds", tokenSeconds);
    }
  },
  ephemeral(source) {
    const template = mutableAt(source, "volumeClaimTemplate");
    const spec = template && mutableAt(template, "spec");
    if (spec) setClaimSpecDefaults(spec);
  },
  iscsi: (source) => setIfEmpty(source, "iscsiInterface", "default"),
  rbd(source) {
    setIfEmpty(source, "pool", "rbd");
    setIfEmpty(source, "user", "admin");
    setIfEmpty(source, "keyring", "/etc/ceph/keyring");
  },
  azureDisk(source) {
    setIfNil(source, "cachingMode", "ReadWrite");
    setIfNil(source, "fsType", "ext4");
    setIfNil(source, "readOnly", false);
    setIfNil(source, "kind", "Shared");
  },
  scaleIO(source) {
    setIfEmpty(source, "storageMode", "ThinProvisioned");
    setIfEmpty(source, "fsType", "xfs");
  },
};
