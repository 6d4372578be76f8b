// The protocol of credential plug-ins: input and output. Running the program is a parameter.
// Upstream: k8s.io/client-go/plugin/pkg/client/auth/exec/exec.go,
// k8s.io/client-go/pkg/apis/clientauthentication/v1.
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
export type RunPlugin = (plugin: ExecPlugin, info: string, interactive: boolean) => Promise<string>;

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

/** The text of KUBERNETES_EXEC_INFO. */
export function formatExecInfo(
  plugin: ExecPlugin,
  access: Pick<ClusterAccess, "server" | "tls" | "proxy">,
  interactive: boolean,
): string {
  const { tls, server, proxy } = access;
  const cluster = {
    server,
    ...(tls.serverName ? { "tls-server-name": tls.serverName } : {}),
    ...(tls.insecureSkipVerify ? { "insecure-skip-tls-verify": true } : {}),
    ...(tls.ca ? { "certificate-authority-data": Buffer.from(tls.ca).toString("base64") } : {}),
    ...(proxy ? { "proxy-url": proxy } : {}),
    ...(plugin.config === undefined ? {} : { config: plugin.config }),
  };
  return JSON.stringify({
    kind: "ExecCredential",
    apiVersion: plugin.apiVersion,
    spec: { ...(plugin.provideClusterInfo ? { cluster } : {}), interactive },
  });
}

/** Parses a plug-in's output. */
export function parseExecCredential(plugin: ExecPlugin, output: string): ExecCredential {
  const refuse = (expected: string, came: unknown): Error =>
    kubeconfigError(
      "ERR_KUBECONFIG_EXEC",
      `running credential plug-in ${plugin.command}: expected ${expected}, got ${JSON.stringify(came)?.slice(0, 120) ?? "nothing"}`,
      plugin.installHint ?? "Run the plug-in by hand and check its output.",
    );
  let answer: unknown;
  try {
    answer = JSON.parse(output);
  } catch {
    throw refuse("an ExecCredential in JSON on standard output", output);
  }
  if (!isRecord(answer) || answer["kind"] !== "ExecCredential")
    throw refuse("kind ExecCredential", answer);
  if (answer["apiVersion"] !== plugin.apiVersion)
    throw refuse(`apiVersion ${plugin.apiVersion}, as the kubeconfig says`, answer["apiVersion"]);
  const status = answer["status"];
  if (!isRecord(status)) throw refuse("status with a token or a client certificate", status);
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
  const expiresAt = expirationTimestamp === undefined ? undefined : Date.parse(expirationTimestamp);
  if (Number.isNaN(expiresAt))
    throw refuse("expirationTimestamp as an RFC 3339 time", expirationTimestamp);
  return {
    ...(token ? { token } : {}),
    ...(cert && key ? { cert, key } : {}),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}
