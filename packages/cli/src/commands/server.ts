// homeostat server: parses the flags, runs the API server, prints one line when it is ready, and
// stops it on SIGTERM or SIGINT.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import {
  type ApiServer,
  type ApiServerOptions,
  parseStages,
  startApiServer,
} from "@homeostat/apiserver";
import { makeFolder } from "../make-folder.ts";
import { CommandError, parseOutput, usageError } from "../command-error.ts";
import { withFlagErrors } from "../option-flags.ts";
import { parseAuditFlags } from "../parse-audit-flags.ts";
import { parseDurationFlag } from "../parse-duration-flag.ts";
import { parseSwitches } from "../parse-switches.ts";
import { parseServiceLocations } from "../parse-service-locations.ts";
import { untilSignal } from "../until-signal.ts";

type Flags = Readonly<Record<string, string | boolean | undefined>>;

/** Runs until SIGTERM or SIGINT. Resolves to the exit code. */
export async function runServer(flags: Flags): Promise<number> {
  const output = parseOutput(flags["output"]);
  const options = { ...toServerOptions(flags), ...(await readStages(flags["stages"])) };
  const faultsFile =
    flags["faultsFile"] === undefined ? undefined : parsePath("--faults-file", flags["faultsFile"]);
  if (flags["auditPolicyFile"] !== undefined && flags["auditLogPath"] === undefined)
    options.warn("there is an audit policy and no --audit-log-path: no events are recorded");
  const stopped = untilSignal();
  const folder = dirname(options.kubeconfigPath);
  const isNewFolder = !existsSync(folder);
  const server = await withFlagErrors(() => startApiServer(options));
  try {
    if (isNewFolder && folder === resolve(".homeostat")) hideFromGit(folder);
    if (faultsFile) writeSecret(faultsFile, `${JSON.stringify(server.faultsEndpoint)}\n`);
    process.stdout.write(`${readyLine(server, options.kubeconfigPath, output)}\n`);
    const { trimHeapWhenIdle } = await import("../trim-heap.ts");
    const endTrimming = trimHeapWhenIdle();
    await stopped;
    endTrimming();
  } finally {
    await server.close();
  }
  // Its token opens nothing any more.
  if (faultsFile) rmSync(faultsFile, { force: true });
  return 0;
}

interface ServerOptions extends ApiServerOptions {
  readonly kubeconfigPath: string;
  readonly warn: (message: string) => void;
}

function toServerOptions(flags: Flags): ServerOptions {
  const dataDir = flags["dataDir"];
  if (flags["fsync"] && dataDir === undefined) throw usageError("--fsync: requires --data-dir");
  return {
    port: parsePort(String(flags["port"])),
    kubeconfigPath: parsePath("--kubeconfig", flags["kubeconfig"]),
    warn: (message) => void process.stderr.write(`homeostat server: ${message}\n`),
    readyWhen: "serving",
    controllers: parseControllers(String(flags["controllers"])),
    authorizationModes: parseModes(String(flags["authorizationMode"])),
    admissionPlugins: {
      enable: parsePlugins("--enable-admission-plugins", flags["enableAdmissionPlugins"]),
      disable: parsePlugins("--disable-admission-plugins", flags["disableAdmissionPlugins"]),
    },
    ...(flags["admissionControlConfigFile"] === undefined
      ? {}
      : {
          admissionControlConfigFile: parsePath(
            "--admission-control-config-file",
            flags["admissionControlConfigFile"],
          ),
        }),
    ...parseAuditFlags((flag) => auditFlagOf(flags, flag)),
    featureGates: parseSwitches("--feature-gates", flags["featureGates"]),
    runtimeConfig: parseSwitches("--runtime-config", flags["runtimeConfig"]),
    openApiDescriptions: flags["openapiDescriptions"] === true,
    ...(flags["advertiseAddress"] === undefined
      ? {}
      : { advertiseAddress: String(flags["advertiseAddress"]) }),
    serviceClusterIpRange: String(flags["serviceClusterIpRange"]),
    serviceNodePortRange: String(flags["serviceNodePortRange"]),
    compactionIntervalMs: parseDurationFlag(
      "--compaction-interval",
      String(flags["compactionInterval"]),
    ),
    eventTtlMs: parseDurationFlag("--event-ttl", String(flags["eventTtl"])),
    ...(flags["serviceLocations"] === undefined
      ? {}
      : { serviceLocations: parseServiceLocations(String(flags["serviceLocations"])) }),
    ...(flags["faultsFile"] === undefined ? {} : { faults: "http" as const }),
    ...(flags["fakeNodes"] === undefined
      ? {}
      : { fakeNodes: parseCount("--fake-nodes", String(flags["fakeNodes"])) }),
    ...(typeof dataDir === "string"
      ? { dataDir: parsePath("--data-dir", dataDir), fsync: flags["fsync"] === true }
      : {}),
  };
}

/** `--audit-log-path`, as commander names it: `auditLogPath`. */
function auditFlagOf(flags: Flags, flag: string): string | undefined {
  const name = flag.slice(2).replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const text = flags[name];
  if (text === "") throw usageError(`${flag}: expected a value, got ""`);
  return text === undefined ? undefined : String(text);
}

/** An empty path would be the current folder. */
function parsePath(flag: string, path: Flags[string]): string {
  if (path) return resolve(String(path));
  throw usageError(`${flag}: expected a path, got ""`);
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port < 65_536) return port;
  throw usageError(`--port: expected a number from 0 to 65535, got ${JSON.stringify(text)}`);
}

function parseCount(flag: string, text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw usageError(`${flag}: expected a number from 0 to 9999, got ${JSON.stringify(text)}`);
}

async function readStages(file: Flags[string]): Promise<Pick<ApiServerOptions, "stages">> {
  if (typeof file !== "string") return {};
  const text = textOf(file);
  return { stages: await withFlagErrors(() => parseStages(text)) };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw usageError(
      `--stages: expected a readable file, got ${JSON.stringify(file)}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

const parsePlugins = (flag: string, text: Flags[string]): readonly string[] =>
  text ? parseNames(flag, String(text), "names") : [];

/** The server refuses modes that it does not have. */
const parseModes = (text: string): NonNullable<ApiServerOptions["authorizationModes"]> =>
  parseNames("--authorization-mode", text, "authorization modes") as NonNullable<
    ApiServerOptions["authorizationModes"]
  >;

const parseControllers = (text: string): readonly string[] =>
  parseNames("--controllers", text, "default, all, none, or names");

function parseNames(flag: string, text: string, expected: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.every((name) => name)) return names;
  throw usageError(
    `${flag}: expected ${expected} separated by commas, got ${JSON.stringify(text)}`,
  );
}

/** Writes a file that only this user can read. */
function writeSecret(file: string, text: string): void {
  try {
    makeFolder(dirname(file));
    rmSync(file, { force: true });
    writeFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    throw new CommandError(`write --faults-file ${file}: ${(error as Error).message}`, 1);
  }
}

/** Keeps the default kubeconfig, which holds a token, out of the user's repository. */
function hideFromGit(folder: string): void {
  try {
    writeFileSync(resolve(folder, ".gitignore"), "*\n");
  } catch {
    // The server works without it.
  }
}

function readyLine(server: ApiServer, kubeconfig: string, output: "text" | "json"): string {
  if (output === "json") return JSON.stringify({ url: server.url, kubeconfig, pid: process.pid });
  return `API server ready at ${server.url}; use it with: kubectl --kubeconfig ${kubeconfig}`;
}
