// Baseline checks of the profiles and options that confine a container: AppArmor, capabilities,
// /proc, SELinux, seccomp.
// Upstream: k8s.io/pod-security-admission/policy (check_appArmorProfile.go,
// check_capabilities_baseline.go, check_procMount_baseline.go, check_seLinuxOptions.go,
// check_seccompProfile_baseline.go).
import { compareBytewise, type Decoded } from "homeostat/api";
import type { SeccompProfile, SELinuxOptions } from "homeostat/k8s/core/v1";
import { quoteGo } from "../../../apimachinery/errors/field-error.ts";
import { isSet } from "../../../apimachinery/meta/read-fields.ts";
import {
  type CheckedPod,
  type CheckPod,
  containersOf,
  exceptInUserNamespace,
  formatContainers,
  formatSetters,
  joinQuoted,
  namesWhere,
  plural,
  sortedSet,
  type VersionedCheck,
} from "./pod-check.ts";

const safeProfiles: readonly (string | null | undefined)[] = ["RuntimeDefault", "Localhost"];
const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";

/** Whether a profile is set, and to a type that is not safe. */
export const isBadProfile = (
  profile: { readonly type?: string | null } | null | undefined,
): boolean => isSet(profile) && !safeProfiles.includes(profile.type ?? "");

const appArmorProfile: CheckPod = (pod) => {
  const ofPod = pod.spec.securityContext?.appArmorProfile;
  const bad = containersOf(pod).filter(({ securityContext }) =>
    isBadProfile(securityContext?.appArmorProfile),
  );
  const ofContainers = bad.map(({ securityContext }) => securityContext?.appArmorProfile);
  const types = [...(isBadProfile(ofPod) ? [ofPod] : []), ...ofContainers];
  const annotations = Object.entries(pod.annotations)
    .filter(([key, value]) => key.startsWith(appArmorPrefix) && !isSafeAnnotation(value))
    .map(([key, value]) => `${key}=${quoteGo(value)}`)
    .toSorted(compareBytewise);
  const setters = [
    ...[
      formatSetters(
        isBadProfile(ofPod),
        bad.map(({ name }) => name ?? ""),
      ),
    ].filter(Boolean),
    ...(annotations.length ? [plural("annotation", annotations)] : []),
  ];
  if (!setters.length) return undefined;
  const values = [...sortedSet(types.map((profile) => profile?.type ?? "")), ...annotations];
  return {
    reason: plural("forbidden AppArmor profile", values),
    detail: `${setters.join(" and ")} must not set AppArmor profile type to ${joinQuoted(values)}`,
  };
};

const isSafeAnnotation = (value: string): boolean =>
  value === "" || value === "runtime/default" || value.startsWith("localhost/");

const defaultCapabilities: ReadonlySet<string> = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);

const capabilities: CheckPod = (pod) => {
  const added = containersOf(pod).map(({ name, securityContext }) => ({
    name: name ?? "",
    bad: (securityContext?.capabilities?.add ?? []).filter(
      (each) => !defaultCapabilities.has(each),
    ),
  }));
  const bad = added.filter((each) => each.bad.length);
  if (!bad.length) return undefined;
  const names = formatContainers(bad.map(({ name }) => name));
  const values = joinQuoted(sortedSet(bad.flatMap((each) => each.bad)));
  return {
    reason: "non-default capabilities",
    detail: `${names} must not include ${values} in securityContext.capabilities.add`,
  };
};

/** Masks of /proc that are off; restricted forbids that always, baseline since 1.35 not always. */
export const procMount: CheckPod = (pod) => {
  const isBad = (mount: string | null | undefined): boolean => isSet(mount) && mount !== "Default";
  const names = namesWhere(pod, ({ procMount: mount }) => isBad(mount));
  if (!names.length) return undefined;
  const mounts = containersOf(pod).map(({ securityContext }) => securityContext?.procMount);
  const values = joinQuoted(sortedSet(mounts.filter(isBad).map((mount) => mount ?? "")));
  return {
    reason: "procMount",
    detail: `${formatContainers(names)} must not set securityContext.procMount to ${values}`,
  };
};

const safeSeLinuxTypes = ["", "container_t", "container_init_t", "container_kvm_t"];
const safeSeLinuxTypesFrom31 = [...safeSeLinuxTypes, "container_engine_t"];

const seLinuxOptions =
  (safe: readonly string[]): CheckPod =>
  (pod) => {
    type Options = Decoded<SELinuxOptions> | null | undefined;
    const isBad = (options: Options): boolean =>
      !safe.includes(options?.type ?? "") || Boolean(options?.user || options?.role);
    const ofPod = pod.spec.securityContext?.seLinuxOptions;
    const all = [
      ofPod,
      ...containersOf(pod).map(({ securityContext }) => securityContext?.seLinuxOptions),
    ];
    const setters = formatSetters(
      isBad(ofPod),
      namesWhere(pod, ({ seLinuxOptions: options }) => isBad(options)),
    );
    if (!setters) return undefined;
    const types = sortedSet(all.map((each) => each?.type ?? "")).filter(
      (type) => !safe.includes(type),
    );
    const data = [
      ...(types.length ? [`${plural("type", types)} ${joinQuoted(types)}`] : []),
      ...(all.some((each) => each?.user) ? ["user may not be set"] : []),
      ...(all.some((each) => each?.role) ? ["role may not be set"] : []),
    ];
    return {
      reason: "seLinuxOptions",
      detail: `${setters} set forbidden securityContext.seLinuxOptions: ${data.join("; ")}`,
    };
  };

const seccompPod = "seccomp.security.alpha.kubernetes.io/pod";
const seccompContainer = "container.seccomp.security.alpha.kubernetes.io/";

const seccompAnnotations: CheckPod = (pod) => {
  const keys = [
    seccompPod,
    ...containersOf(pod).map(({ name }) => `${seccompContainer}${name ?? ""}`),
  ];
  const bad = keys.filter((key) => {
    const value = pod.annotations[key];
    const isSafe =
      value === "runtime/default" || value === "docker/default" || value?.startsWith("localhost/");
    return value !== undefined && !isSafe;
  });
  const forbidden = sortedSet(bad.map((key) => `${key}=${quoteGo(pod.annotations[key]!)}`));
  return forbidden.length
    ? {
        reason: "seccompProfile",
        detail: `forbidden ${plural("annotation", forbidden)} ${forbidden.join(", ")}`,
      }
    : undefined;
};

/** What sets a seccomp profile that is not safe. */
export const seccompProfile: CheckPod = (pod) => {
  const profiles = profilesOf(pod).filter(isBadProfile);
  const setters = formatSetters(
    isBadProfile(pod.spec.securityContext?.seccompProfile),
    namesWhere(pod, (security) => isBadProfile(security.seccompProfile)),
  );
  if (!setters) return undefined;
  const values = joinQuoted(sortedSet(profiles.map((profile) => profile?.type ?? "")));
  return {
    reason: "seccompProfile",
    detail: `${setters} must not set securityContext.seccompProfile.type to ${values}`,
  };
};

const profilesOf = (pod: CheckedPod): readonly (Decoded<SeccompProfile> | null | undefined)[] => [
  pod.spec.securityContext?.seccompProfile,
  ...containersOf(pod).map(({ securityContext }) => securityContext?.seccompProfile),
];

export const profileChecks: readonly VersionedCheck[] = [
  { id: "appArmorProfile", versions: [[0, appArmorProfile]] },
  { id: "capabilities_baseline", versions: [[0, capabilities]] },
  {
    id: "procMount",
    versions: [
      [0, procMount],
      [35, exceptInUserNamespace(procMount)],
    ],
  },
  {
    id: "seLinuxOptions",
    versions: [
      [0, seLinuxOptions(safeSeLinuxTypes)],
      [31, seLinuxOptions(safeSeLinuxTypesFrom31)],
    ],
  },
  {
    id: "seccompProfile_baseline",
    versions: [
      [0, seccompAnnotations],
      [19, seccompProfile],
    ],
  },
];
