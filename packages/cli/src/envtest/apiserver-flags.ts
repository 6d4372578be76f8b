// Maps kube-apiserver's flags to options of the embedded server, and reads the files that the flags
// name. Knows which flags take effect and which are safe to ignore.
// Upstream: k8s.io/kubernetes/cmd/kube-apiserver/app/options, and what
// sigs.k8s.io/controller-runtime/pkg/internal/testing/controlplane/apiserver.go passes.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ApiServerOptions, UserInfo } from "@homeostat/apiserver";
import { usageError } from "../command-error.ts";
import { parseAuditFlags } from "../parse-audit-flags.ts";
import { parseDurationFlag } from "../parse-duration-flag.ts";
import { lastOf, type ParsedFlags } from "./parse-flags.ts";

const supported = {
  "audit-log-format": "format of the audit log: json or legacy (default json)",
  "audit-log-maxage":
    "days after which old audit log files are removed (default 366; 0 keeps them)",
  "audit-log-maxbackup": "number of old audit log files (default 100; 0 keeps all)",
  "audit-log-maxsize": "megabytes before the audit log file is rotated (default 100; 0: never)",
  "audit-log-path": "file of the audit log (- is standard output)",
  "audit-policy-file": "policy that says which requests are audited",
  "authorization-mode":
    "authorization modes in order: RBAC, AlwaysAllow, AlwaysDeny (default AlwaysAllow)",
  "bind-address": "address to listen on (0.0.0.0, the default, becomes 127.0.0.1)",
  "cert-dir": "folder with apiserver.crt and apiserver.key",
  "client-ca-file": "certificate authority for client certificates",
  "disable-admission-plugins": "admission plug-ins to disable",
  "enable-admission-plugins": "admission plug-ins to enable in addition to the defaults",
  "etcd-compaction-interval": "interval between compactions (default 5m; 0 disables)",
  "event-ttl": "time to keep an Event after its last write (default 1h)",
  "secure-port": "port to listen on",
  "service-account-issuer": "issuer of service account tokens",
  "service-account-signing-key-file": "private key that signs service account tokens",
  "service-cluster-ip-range": "range of cluster IPs (default 10.0.0.0/24)",
  "service-node-port-range": "range of node ports (default 30000-32767)",
  "tls-cert-file": "serving certificate, instead of the one in --cert-dir",
  "tls-private-key-file": "private key of the serving certificate",
  "token-auth-file": 'file of bearer tokens, one per line: token,user,uid,"group,group"',
} as const;

type SupportedFlag = keyof typeof supported;

/**
 * Flags that envtest and common test suites pass. They need no support: the embedded server behaves
 * that way anyway, or has nothing to configure.
 */
const harmless = new Set([
  "advertise-address",
  "allow-privileged",
  "etcd-servers",
  "service-account-key-file",
  "v",
]);

/** Parsed flags; `ignored` flags would take effect on a real kube-apiserver. */
export interface ApiServerFlags {
  readonly options: ApiServerOptions;
  readonly ignored: readonly string[];
}

/** Converts flags to options. Throws a usage error that names flag and file. */
export function readApiServerFlags(flags: ParsedFlags): ApiServerFlags {
  const value = (name: SupportedFlag): string | undefined => lastOf(flags, name);
  const serving = servingPair(value);
  const clientCa = value("client-ca-file");
  const tokens = value("token-auth-file");
  return {
    options: {
      controllers: "none",
      host: hostOf(value("bind-address")),
      port: portOf(value("secure-port")),
      ...(serving
        ? {
            servingCertificate: {
              cert: readFlagFile(...serving[0]),
              key: readFlagFile(...serving[1]),
            },
          }
        : {}),
      ...(clientCa === undefined ? {} : { clientCa: readFlagFile("client-ca-file", clientCa) }),
      ...serviceAccountTokens(value),
      authorizationModes: modesOf(flags),
      ...parseAuditFlags((flag) => value(flag.slice(2) as SupportedFlag)),
      admissionPlugins: pluginsOf(flags),
      ...rangesOf(value),
      ...retentionOf(value),
      ...(tokens === undefined
        ? {}
        : { tokens: parseTokens(readFlagFile("token-auth-file", tokens)) }),
    },
    ignored: [...flags.keys()].filter((name) => !(name in supported) && !harmless.has(name)),
  };
}

/**
 * The text of `--help`. No line may start with a flag that upstream has removed: envtest searches
 * the help text for such flags to detect old releases.
 */
export function apiServerHelp(): string {
  const lines = Object.entries(supported).map(
    ([name, what]) => `      --${name.padEnd(34)} ${what}`,
  );
  const more = [...harmless].map((name) => `      --${name}`);
  return `Homeostat's embedded Kubernetes API server, as kube-apiserver for envtest. Objects are in memory only.

Flags:
${lines.join("\n")}

Accepted and ignored:
${more.join("\n")}
`;
}

function serviceAccountTokens(
  value: (name: SupportedFlag) => string | undefined,
): Pick<ApiServerOptions, "serviceAccountTokens"> {
  const [issuer, key] = [
    value("service-account-issuer"),
    value("service-account-signing-key-file"),
  ];
  if (issuer === undefined && key === undefined) return {};
  return {
    serviceAccountTokens: {
      ...(issuer === undefined ? {} : { issuer }),
      ...(key === undefined
        ? {}
        : { privateKey: readFlagFile("service-account-signing-key-file", key) }),
    },
  };
}

/** Flags may repeat; the server refuses modes that it does not have. */
function modesOf(flags: ParsedFlags): NonNullable<ApiServerOptions["authorizationModes"]> {
  const modes = flags.get("authorization-mode") ?? ["AlwaysAllow"];
  return modes.flatMap((text) => text.split(",")) as NonNullable<
    ApiServerOptions["authorizationModes"]
  >;
}

/** Flags may repeat. ServiceAccount is enabled by default, as upstream. */
function pluginsOf(flags: ParsedFlags): NonNullable<ApiServerOptions["admissionPlugins"]> {
  const names = (flag: SupportedFlag): string[] =>
    (flags.get(flag) ?? []).flatMap((text) => (text ? text.split(",") : []));
  const [enable, disable] = [names("enable-admission-plugins"), names("disable-admission-plugins")];
  const accounts = "ServiceAccount";
  return {
    enable:
      disable.includes(accounts) || enable.includes(accounts) ? enable : [...enable, accounts],
    disable,
  };
}

/** Takes the first of two ranges (dual stack). */
function rangesOf(
  value: (name: SupportedFlag) => string | undefined,
): Pick<ApiServerOptions, "serviceClusterIpRange" | "serviceNodePortRange"> {
  const [addresses, ports] = [
    value("service-cluster-ip-range")?.split(",")[0],
    value("service-node-port-range"),
  ];
  return {
    ...(addresses ? { serviceClusterIpRange: addresses } : {}),
    ...(ports ? { serviceNodePortRange: ports } : {}),
  };
}

function retentionOf(
  value: (name: SupportedFlag) => string | undefined,
): Pick<ApiServerOptions, "compactionIntervalMs" | "eventTtlMs"> {
  const [interval, ttl] = [value("etcd-compaction-interval"), value("event-ttl")];
  return {
    ...(interval === undefined
      ? {}
      : { compactionIntervalMs: parseDurationFlag("--etcd-compaction-interval", interval) }),
    ...(ttl === undefined ? {} : { eventTtlMs: parseDurationFlag("--event-ttl", ttl) }),
  };
}

type FlagFile = readonly [flag: string, path: string];

function servingPair(
  value: (name: SupportedFlag) => string | undefined,
): readonly [FlagFile, FlagFile] | undefined {
  const [cert, key, folder] = [
    value("tls-cert-file"),
    value("tls-private-key-file"),
    value("cert-dir"),
  ];
  if (cert !== undefined && key !== undefined)
    return [
      ["tls-cert-file", cert],
      ["tls-private-key-file", key],
    ];
  if (cert !== undefined || key !== undefined)
    throw usageError("--tls-cert-file and --tls-private-key-file: one is missing; pass both");
  if (folder === undefined || !existsSync(join(folder, "apiserver.crt"))) return undefined;
  return [
    ["cert-dir", join(folder, "apiserver.crt")],
    ["cert-dir", join(folder, "apiserver.key")],
  ];
}

function readFlagFile(flag: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw usageError(
      `--${flag}: read ${path}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Tests need no more than loopback: unspecified addresses become 127.0.0.1. */
function hostOf(address: string | undefined): string {
  const unspecified = ["", "0.0.0.0", "::"];
  return unspecified.includes(address ?? "") ? "127.0.0.1" : address!;
}

function portOf(text: string | undefined): number {
  if (text === undefined) return 6443;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port < 65_536) return port;
  throw usageError(`--secure-port: expected a number from 0 to 65535, got ${JSON.stringify(text)}`);
}

/** Parses lines such as `token,user,uid,"group1,group2"`; the groups are optional. */
function parseTokens(text: string): ReadonlyMap<string, UserInfo> {
  const users = new Map<string, UserInfo>();
  for (const line of text.split("\n").map((each) => each.trim())) {
    if (!line || line.startsWith("#")) continue;
    const [token, name, uid, groups] = splitRecord(line);
    if (!token || !name || uid === undefined)
      throw usageError(
        `--token-auth-file: expected token,user,uid and groups in each line, got one of ${splitRecord(line).length} columns`,
      );
    users.set(token, {
      name,
      ...(uid ? { uid } : {}),
      groups: (groups ?? "").split(",").filter((group) => group),
    });
  }
  return users;
}

/** Splits at commas outside quotes. */
const splitRecord = (line: string): readonly string[] =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? "",
  );
