// Restricted checks: what a pod must set beyond baseline.
// Upstream: k8s.io/pod-security-admission/policy (check_allowPrivilegeEscalation.go,
// check_capabilities_restricted.go, check_procMount_restricted.go, check_restrictedVolumes.go,
// check_runAsNonRoot.go, check_runAsUser.go, check_seccompProfile_restricted.go).
import type { Decoded } from "homeostat/api";
import type { Volume } from "homeostat/k8s/core/v1";
import { isSet } from "../../../apimachinery/meta/read-fields.ts";
import { isBadProfile, procMount, seccompProfile } from "./baseline-profiles.ts";
import {
  type CheckPod,
  containersOf,
  exceptInUserNamespace,
  exceptOnWindows,
  formatContainers,
  formatSetters,
  joinQuoted,
  namesWhere,
  plural,
  sortedSet,
  uses,
  type VersionedCheck,
} from "./pod-check.ts";

const allowPrivilegeEscalation: CheckPod = (pod) => {
  const names = namesWhere(pod, (security) => security.allowPrivilegeEscalation !== false);
  return names.length
    ? {
        reason: "allowPrivilegeEscalation != false",
        detail: `${formatContainers(names)} must set securityContext.allowPrivilegeEscalation=false`,
      }
    : undefined;
};

const capabilities: CheckPod = (pod) => {
  const undropped = namesWhere(
    pod,
    ({ capabilities: given }) => !(given?.drop ?? []).includes("ALL"),
  );
  const addedBy = (given: readonly string[] | null | undefined): readonly string[] =>
    (given ?? []).filter((name) => name !== "NET_BIND_SERVICE");
  const adding = namesWhere(pod, ({ capabilities: given }) => addedBy(given?.add).length > 0);
  const added = containersOf(pod).flatMap(({ securityContext }) =>
    addedBy(securityContext?.capabilities?.add),
  );
  const details = [
    ...(undropped.length
      ? [`${formatContainers(undropped)} must set securityContext.capabilities.drop=["ALL"]`]
      : []),
    ...(adding.length
      ? [
          `${formatContainers(adding)} must not include ${joinQuoted(sortedSet(added))} in securityContext.capabilities.add`,
        ]
      : []),
  ];
  return details.length
    ? { reason: "unrestricted capabilities", detail: details.join("; ") }
    : undefined;
};

const safeVolumes = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
] as const;
/** Of several sources of a volume the first is named. */
const restrictedVolumes = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "gitRepo",
  "nfs",
  "iscsi",
  "glusterfs",
  "rbd",
  "flexVolume",
  "cinder",
  "cephfs",
  "flocker",
  "fc",
  "azureFile",
  "vsphereVolume",
  "quobyte",
  "azureDisk",
  "photonPersistentDisk",
  "portworxVolume",
  "scaleIO",
  "storageos",
] as const;

const volumes: CheckPod = ({ spec }) => {
  const bad = (spec.volumes ?? []).filter((each) => !safeVolumes.some((type) => isSet(each[type])));
  if (!bad.length) return undefined;
  const typeOf = (volume: Decoded<Volume>): string =>
    restrictedVolumes.find((type) => isSet(volume[type])) ?? "unknown";
  const names = bad.map(({ name }) => name ?? "");
  const types = sortedSet(bad.map(typeOf));
  return {
    reason: "restricted volume types",
    detail: `${plural("volume", names)} ${joinQuoted(names)} ${uses(names)} ${plural("restricted volume type", types)} ${joinQuoted(types)}`,
  };
};

const runAsNonRoot: CheckPod = (pod) => {
  const reason = "runAsNonRoot != true";
  const ofPod = pod.spec.securityContext?.runAsNonRoot;
  const setters = formatSetters(
    ofPod === false,
    namesWhere(pod, (security) => security.runAsNonRoot === false),
  );
  if (setters)
    return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  const unset = ofPod ? [] : namesWhere(pod, (security) => !isSet(security.runAsNonRoot));
  return unset.length
    ? {
        reason,
        detail: `pod or ${formatContainers(unset)} must set securityContext.runAsNonRoot=true`,
      }
    : undefined;
};

const runAsUser: CheckPod = (pod) => {
  const isRoot = (user: number | bigint | null | undefined): boolean =>
    isSet(user) && Number(user) === 0;
  const setters = formatSetters(
    isRoot(pod.spec.securityContext?.runAsUser),
    namesWhere(pod, (security) => isRoot(security.runAsUser)),
  );
  return setters
    ? { reason: "runAsUser=0", detail: `${setters} must not set runAsUser=0` }
    : undefined;
};

const seccomp: CheckPod = (pod) => {
  const bad = seccompProfile(pod);
  const ofPod = pod.spec.securityContext?.seccompProfile;
  if (bad || (isSet(ofPod) && !isBadProfile(ofPod))) return bad;
  const unset = namesWhere(pod, (security) => !isSet(security.seccompProfile));
  return unset.length
    ? {
        reason: "seccompProfile",
        detail: `pod or ${formatContainers(unset)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
      }
    : undefined;
};

export const restrictedChecks: readonly VersionedCheck[] = [
  {
    id: "allowPrivilegeEscalation",
    versions: [
      [8, allowPrivilegeEscalation],
      [25, exceptOnWindows(allowPrivilegeEscalation)],
    ],
  },
  {
    id: "capabilities_restricted",
    versions: [
      [22, capabilities],
      [25, exceptOnWindows(capabilities)],
    ],
    overrides: ["capabilities_baseline"],
  },
  { id: "procMount_restricted", versions: [[35, procMount]], overrides: ["procMount"] },
  { id: "restrictedVolumes", versions: [[0, volumes]], overrides: ["hostPathVolumes"] },
  {
    id: "runAsNonRoot",
    versions: [
      [0, runAsNonRoot],
      [35, exceptInUserNamespace(runAsNonRoot)],
    ],
  },
  {
    id: "runAsUser",
    versions: [
      [23, runAsUser],
      [35, exceptInUserNamespace(runAsUser)],
    ],
  },
  {
    id: "seccompProfile_restricted",
    versions: [
      [19, seccomp],
      [25, exceptOnWindows(seccomp)],
    ],
    overrides: ["seccompProfile_baseline"],
  },
];
