// Baseline checks of what a pod shares with its node: namespaces, paths, ports, processes, kernel
// parameters.
// Upstream: k8s.io/pod-security-admission/policy (check_hostNamespaces.go,
// check_hostPathVolumes.go, check_hostPorts.go, check_hostProbesAndhostLifecycle.go,
// check_privileged.go, check_sysctls.go, check_windowsHostProcess.go).
import type { Decoded } from "homeostat/api";
import type { Container, HTTPGetAction, TCPSocketAction } from "homeostat/k8s/core/v1";
import { isSet } from "../../../apimachinery/meta/read-fields.ts";
import {
  type CheckPod,
  containersOf,
  formatContainers,
  formatSetters,
  joinQuoted,
  namesWhere,
  plural,
  sortedSet,
  uses,
  type VersionedCheck,
} from "./pod-check.ts";

const hostNamespaces: CheckPod = ({ spec }) => {
  const shared = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((field) => spec[field]);
  const detail = shared.map((field) => `${field}=true`).join(", ");
  return detail ? { reason: "host namespaces", detail } : undefined;
};

const hostPathVolumes: CheckPod = ({ spec }) => {
  const volumes = (spec.volumes ?? []).filter(({ hostPath }) => isSet(hostPath));
  const names = volumes.map(({ name }) => name ?? "");
  return names.length
    ? { reason: "hostPath volumes", detail: `${plural("volume", names)} ${joinQuoted(names)}` }
    : undefined;
};

const hostPorts: CheckPod = (pod) => {
  const used = containersOf(pod).map(({ name, ports }) => ({
    name: name ?? "",
    ports: (ports ?? []).flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : [])),
  }));
  const bad = used.filter(({ ports }) => ports.length);
  if (!bad.length) return undefined;
  const names = bad.map(({ name }) => name);
  const ports = sortedSet(bad.flatMap((each) => each.ports));
  return {
    reason: "hostPort",
    detail: `${formatContainers(names)} ${uses(names)} ${plural("hostPort", ports)} ${ports.join(", ")}`,
  };
};

interface Handler {
  readonly httpGet?: Decoded<HTTPGetAction> | null;
  readonly tcpSocket?: Decoded<TCPSocketAction> | null;
}

function probedHosts(container: Decoded<Container>): readonly string[] {
  const { livenessProbe, readinessProbe, startupProbe, lifecycle } = container;
  const handlers: readonly (Handler | null | undefined)[] = [
    livenessProbe,
    readinessProbe,
    startupProbe,
    lifecycle?.postStart,
    lifecycle?.preStop,
  ];
  return handlers
    .flatMap((handler) => [handler?.httpGet?.host, handler?.tcpSocket?.host])
    .flatMap((host) => (host ? [host] : []));
}

const hostProbes: CheckPod = (pod) => {
  const probed = containersOf(pod).map((container) => ({
    name: container.name ?? "",
    hosts: probedHosts(container),
  }));
  const bad = probed.filter((each) => each.hosts.length);
  if (!bad.length) return undefined;
  const names = sortedSet(bad.map(({ name }) => name));
  const hosts = sortedSet(bad.flatMap((each) => each.hosts));
  const reason = "probe or lifecycle host";
  return {
    reason,
    detail: `${formatContainers(names)} ${uses(names)} ${plural(reason, hosts)} ${joinQuoted(hosts)}`,
  };
};

const privileged: CheckPod = (pod) => {
  const names = namesWhere(pod, (security) => security.privileged === true);
  return names.length
    ? {
        reason: "privileged",
        detail: `${formatContainers(names)} must not set securityContext.privileged=true`,
      }
    : undefined;
};

const safeSysctls = [
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start",
];
const safeFrom27 = [...safeSysctls, "net.ipv4.ip_local_reserved_ports"];
const safeFrom29 = [
  ...safeFrom27,
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
];
const safeFrom32 = [...safeFrom29, "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"];

const sysctls =
  (safe: readonly string[]): CheckPod =>
  ({ spec }) => {
    const names = (spec.securityContext?.sysctls ?? []).map(({ name }) => name ?? "");
    const bad = names.filter((name) => !safe.includes(name));
    return bad.length ? { reason: "forbidden sysctls", detail: bad.join(", ") } : undefined;
  };

const windowsHostProcess: CheckPod = (pod) => {
  const setters = formatSetters(
    pod.spec.securityContext?.windowsOptions?.hostProcess === true,
    namesWhere(pod, ({ windowsOptions }) => windowsOptions?.hostProcess === true),
  );
  return setters
    ? {
        reason: "hostProcess",
        detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true`,
      }
    : undefined;
};

export const hostChecks: readonly VersionedCheck[] = [
  { id: "hostNamespaces", versions: [[0, hostNamespaces]] },
  { id: "hostPathVolumes", versions: [[0, hostPathVolumes]] },
  { id: "hostPorts", versions: [[0, hostPorts]] },
  { id: "hostProbesAndHostLifecycle", versions: [[34, hostProbes]] },
  { id: "privileged", versions: [[0, privileged]] },
  {
    id: "sysctls",
    versions: [
      [0, sysctls(safeSysctls)],
      [27, sysctls(safeFrom27)],
      [29, sysctls(safeFrom29)],
      [32, sysctls(safeFrom32)],
    ],
  },
  { id: "windowsHostProcess", versions: [[0, windowsHostProcess]] },
];
