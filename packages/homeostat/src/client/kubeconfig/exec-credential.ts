// The protocol of credential plug-ins: input and output. Running the program is a parameter.
// Upstream: k8s.io/client-go/plugin/pkg/client/auth/exec/exec.go,
// k8s.io/client-go/pkg/apis/clientauthentication/v1.
import type { Clock } from "../../runtime/clock.ts";
import type { ClusterAccess, ExecPlugin } from "./cluster-access.ts";
import { kubeconfigError } from "./kubeconfig-error.ts";
import { isRecord } from "./parse-kubeconfig.ts";

/** A plug-in's credential; `expiresAt` is wall time in ms. */
export interface ExecCredential {
  readonly token?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly expiresAt?: number;
}

/**
 * Runs a program and resolves to its standard output; rejects when it fails. An interactive one
 * has this process's standard input.
 */
export type RunPlugin = (
  plugin: ExecPlugin,
  info: string,
  interactive: boolean,
  clock: Clock,
) => Promise<string>;

/** Whether the plug-in may ask the user. @throws ERR_KUBECONFIG_EXEC if it must and cannot */
export function isInteractive({ command, interactiveMode }: ExecPlugin): boolean {
  if (interactiveMode === "Never") return false;
  const isTerminal = process.stdin.isTTY === true;
  if (interactiveMode === "Always" && !isTerminal)
    throw kubeconfigError(
      "ERR_KUBECONFIG_EXEC",
      `running credential plug-in ${command}: interactiveMode Always, and standard input is not a terminal`,
      "Run the program in a terminal, log in beforehand, or use a plug-in that can do without.",
    );
  return isTerminal;
}

/** The text of KUBERNETES_EXEC_INFO, which is a line. */
export function formatExecInfo(
  plugin: ExecPlugin,
  access: Pick<ClusterAccess, "server" | "tls">,
  interactive: boolean,
): string {
  const { tls, server } = access;
  const { proxyUrl, disableCompression, config = null } = plugin;
  const cluster = {
    server,
    ...(tls.serverName ? { "tls-server-name": tls.serverName } : {}),
    ...(tls.insecureSkipVerify ? { "insecure-skip-tls-verify": true } : {}),
    ...(tls.ca ? { "certificate-authority-data": Buffer.from(tls.ca).toString("base64") } : {}),
    ...(proxyUrl ? { "proxy-url": proxyUrl } : {}),
    ...(disableCompression ? { "disable-compression": true } : {}),
    config,
  };
  const info = {
    kind: "ExecCredential",
    apiVersion: plugin.apiVersion,
    spec: { ...(plugin.provideClusterInfo ? { cluster } : {}), interactive },
  };
  return `${JSON.stringify(info)}\n`;
}

/** Parses a plug-in's output, of which no error repeats what may be a secret. */
export async function parseExecCredential(
  plugin: ExecPlugin,
  output: string,
): Promise<ExecCredential> {
  const refuse = (expected: string, came: unknown): Error =>
    kubeconfigError(
      "ERR_KUBECONFIG_EXEC",
      `running credential plug-in ${plugin.command}: expected ${expected}, got ${JSON.stringify(came)?.slice(0, 120) ?? "nothing"}`,
      plugin.installHint ?? "Run the plug-in by hand and check its output.",
    );
  const answer = await parseOutput(output).catch(() => undefined);
  if (!isRecord(answer))
    throw refuse("an ExecCredential in JSON or YAML on standard output", sizeOf(output));
  if ((answer["kind"] ?? "ExecCredential") !== "ExecCredential")
    throw refuse("kind ExecCredential", answer["kind"]);
  if (answer["apiVersion"] !== plugin.apiVersion)
    throw refuse(`apiVersion ${plugin.apiVersion}, as the kubeconfig says`, answer["apiVersion"]);
  const status = answer["status"];
  if (!isRecord(status))
    throw refuse("status with a token or a client certificate", status && typeof status);
  const {
    token,
    clientCertificateData: cert,
    clientKeyData: key,
    expirationTimestamp,
  } = status as Record<string, string | undefined>;
  if (Boolean(cert) !== Boolean(key))
    throw refuse("clientCertificateData and clientKeyData, or neither", Object.keys(status));
  if (!token && !cert)
    throw refuse(
      "status with a token, or with clientCertificateData and clientKeyData",
      Object.keys(status),
    );
  const expiresAt = expirationTimestamp ? Date.parse(expirationTimestamp) : undefined;
  if (Number.isNaN(expiresAt))
    throw refuse("expirationTimestamp as an RFC 3339 time", expirationTimestamp);
  return {
    ...(token ? { token } : {}),
    ...(cert && key ? { cert, key } : {}),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

const sizeOf = (output: string): string | undefined =>
  output.trim() === "" ? undefined : `${output.length} characters of other text`;

/** Nearly all plug-ins write JSON. */
async function parseOutput(output: string): Promise<unknown> {
  return output.trimStart().startsWith("{")
    ? JSON.parse(output)
    : (await import("yaml")).parse(output);
}
