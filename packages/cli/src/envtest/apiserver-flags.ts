// Which of kube-apiserver's flags mean something to the embedded server, and which may be said in
// vain. Flags in, options of the server out; reads the files that flags name.
// Upstream: k8s.io/kubernetes/cmd/kube-apiserver/app/options, and what
// sigs.k8s.io/controller-runtime/pkg/internal/testing/controlplane/apiserver.go passes.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ApiServerOptions, UserInfo } from "@homeostat/apiserver";
import { usageError } from "../command-error.ts";
import { parseDuration } from "../parse-duration.ts";
import { lastOf, type ParsedFlags } from "./parse-flags.ts";

const honoured = {
  "bind-address": "address to serve on (default 0.0.0.0 means 127.0.0.1 here)",
  "cert-dir": "folder with apiserver.crt and apiserver.key",
  "client-ca-file": "authority whose client certificates are believed",
  "disable-admission-plugins": "admission plug-ins that are not to be at work",
  "enable-admission-plugins": "admission plug-ins beside those that are on by default",
  "etcd-compaction-interval": "how often the past is forgotten (default 5m; 0 never)",
  "event-ttl": "how long an Event stays after it was last written (default 1h)",
  "secure-port": "port to serve on",
  "service-account-issuer": "what the tokens of service accounts say about who issued them",
  "service-account-signing-key-file": "key that signs those tokens",
  "service-cluster-ip-range": "addresses of services (default 10.0.0.0/24)",
  "service-node-port-range": "node ports of services (default 30000-32767)",
  "tls-cert-file": "certificate to serve with, instead of the one in the certificate folder",
  "tls-private-key-file": "its key",
  "token-auth-file": 'bearer tokens, one a line: token,user,uid,"group,group"',
} as const;

type Honoured = keyof typeof honoured;

/**
 * Said by envtest or usual test suites; without effect because the embedded server is so anyway, or
 * has nothing to configure.
 */
const harmless = new Set([
  "advertise-address",
  "allow-privileged",
  "authorization-mode",
  "etcd-servers",
  "service-account-key-file",
  "v",
]);

/**
 * What the flags ask for; `unheeded` are flags that would change something on a real
 * kube-apiserver.
 */
export interface ApiServerFlags {
  readonly options: ApiServerOptions;
  readonly unheeded: readonly string[];
}

/** Reads flags into options. Throws a usage error that names flag and file. */
export function readApiServerFlags(flags: ParsedFlags): ApiServerFlags {
  const value = (name: Honoured): string | undefined => lastOf(flags, name);
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
      admissionPlugins: pluginsOf(flags),
      ...rangesOf(value),
      ...upkeepOf(value),
      ...(tokens === undefined
        ? {}
        : { tokens: parseTokens(readFlagFile("token-auth-file", tokens)) }),
    },
    unheeded: [...flags.keys()].filter((name) => !(name in honoured) && !harmless.has(name)),
  };
}

/**
 * Text for `--help`. No line may begin with a flag of releases long past: envtest looks for those
 * to learn how old this is.
 */
export function apiServerHelp(): string {
  const lines = Object.entries(honoured).map(
    ([name, what]) => `      --${name.padEnd(34)} ${what}`,
  );
  const more = [...harmless].map((name) => `      --${name}`);
  return `The embedded Kubernetes API server of Homeostat, in kube-apiserver's place under envtest. Objects are kept in memory.

Flags:
${lines.join("\n")}

Accepted, and without effect:
${more.join("\n")}
`;
}

function serviceAccountTokens(
  value: (name: Honoured) => string | undefined,
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

/**
 * Each flag may be given several times. ServiceAccount is on as it is upstream, unless it is
 * disabled.
 */
function pluginsOf(flags: ParsedFlags): NonNullable<ApiServerOptions["admissionPlugins"]> {
  const names = (flag: Honoured): string[] =>
    (flags.get(flag) ?? []).flatMap((text) => (text ? text.split(",") : []));
  const [enable, disable] = [names("enable-admission-plugins"), names("disable-admission-plugins")];
  const accounts = "ServiceAccount";
  return {
    enable:
      disable.includes(accounts) || enable.includes(accounts) ? enable : [...enable, accounts],
    disable,
  };
}

/** Of two ranges for two families the first counts. */
function rangesOf(
  value: (name: Honoured) => string | undefined,
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

function upkeepOf(
  value: (name: Honoured) => string | undefined,
): Pick<ApiServerOptions, "compactionIntervalMs" | "eventTtlMs"> {
  const [interval, ttl] = [value("etcd-compaction-interval"), value("event-ttl")];
  return {
    ...(interval === undefined
      ? {}
      : { compactionIntervalMs: parseDuration("--etcd-compaction-interval", interval) }),
    ...(ttl === undefined ? {} : { eventTtlMs: parseDuration("--event-ttl", ttl) }),
  };
}

type FlagFile = readonly [flag: string, path: string];

function servingPair(
  value: (name: Honoured) => string | undefined,
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
    throw usageError(
      "--tls-cert-file and --tls-private-key-file: one was given without the other; give both",
    );
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

/** All interfaces are more than a test needs; whoever wants one names it. */
function hostOf(address: string | undefined): string {
  return address === undefined || address === "0.0.0.0" || address === "::" || address === ""
    ? "127.0.0.1"
    : address;
}

function portOf(text: string | undefined): number {
  if (text === undefined) return 6443;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port < 65_536) return port;
  throw usageError(`--secure-port: expected a number from 0 to 65535, got ${JSON.stringify(text)}`);
}

/** Lines as `token,user,uid,"group1,group2"`; the groups may be missing. */
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

/** Fields between commas; a quoted one may hold commas. */
const splitRecord = (line: string): readonly string[] =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? "",
  );
