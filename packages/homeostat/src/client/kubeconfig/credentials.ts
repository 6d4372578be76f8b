// Authenticates requests: headers and client certificates, renewed in time. File and process access
// are parameters.
// Upstream: k8s.io/client-go/transport (token files read again every minute, with 10 s to spare),
// round_trippers.go.
import { readFile } from "node:fs/promises";
import type { Runtime } from "../../runtime/runtime.ts";
import type { ClusterAccess, ExecPlugin, Impersonation } from "./cluster-access.ts";
import {
  type ExecCredential,
  formatExecInfo,
  parseExecCredential,
  type RunPlugin,
} from "./exec-credential.ts";
import { kubeconfigError } from "./kubeconfig-error.ts";
import { runExecPlugin } from "./run-exec-plugin.ts";

/** What a session needs to authenticate each request. */
export interface Credentials {
  headers(): Promise<Readonly<Record<string, string>>>;
  /**
   * Reports a 401 to a request with `used` as its authorization (default: the current credential,
   * which is dropped). Resolves to true if a second attempt may succeed; at once if another request
   * has renewed the credential meanwhile.
   */
  rejected(used?: string): Promise<boolean>;
  /** Set when a plug-in may provide client certificates. */
  readonly clientCertificate?: () => Promise<
    { readonly cert: string; readonly key: string } | undefined
  >;
}

/** File and process access; the defaults are the real ones. */
export interface CredentialSources {
  readonly readFile?: (path: string) => Promise<string>;
  readonly runPlugin?: RunPlugin;
}

const tokenFilePeriodMs = 60_000;

/** Creates the credentials of one access. */
export function createCredentials(
  access: ClusterAccess,
  runtime: Runtime,
  sources: CredentialSources = {},
): Credentials {
  const fixed = impersonationHeaders(access.impersonation);
  const { auth } = access;
  switch (auth.type) {
    case "none":
      return fixedCredentials(fixed);
    case "token":
      return fixedCredentials({ ...fixed, authorization: `Bearer ${auth.token}` });
    case "basic":
      return fixedCredentials({
        ...fixed,
        authorization: `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString("base64")}`,
      });
    case "tokenFile":
      return new TokenFile(
        auth.path,
        fixed,
        runtime,
        sources.readFile ?? ((path) => readFile(path, "utf8")),
      );
    case "exec":
      return execCredentials(auth.plugin, {
        access,
        fixed,
        runtime,
        run: sources.runPlugin ?? runExecPlugin,
      });
  }
}

/**
 * Impersonation headers; extra keys are percent-encoded, as upstream does. Several values are
 * joined by newlines, for the transport to repeat the header.
 */
export function impersonationHeaders(
  impersonation: Impersonation | undefined,
): Readonly<Record<string, string>> {
  if (!impersonation) return {};
  const { user, uid, groups, extra } = impersonation;
  const headers: Record<string, string> = { "impersonate-user": user };
  if (uid) headers["impersonate-uid"] = uid;
  if (groups.length) headers["impersonate-group"] = groups.join("\n");
  for (const [key, values] of Object.entries(extra))
    headers[`impersonate-extra-${encodeURIComponent(key).toLowerCase()}`] = values.join("\n");
  return headers;
}

function fixedCredentials(headers: Readonly<Record<string, string>>): Credentials {
  const ready = Promise.resolve(headers);
  return { headers: () => ready, rejected: () => Promise.resolve(false) };
}

/**
 * A token file that another program renews. If it becomes unreadable, the old token stays in use.
 */
class TokenFile implements Credentials {
  readonly #path: string;
  readonly #fixed: Readonly<Record<string, string>>;
  readonly #runtime: Runtime;
  readonly #readFile: (path: string) => Promise<string>;
  #token: string | undefined;
  #readAt = -Infinity;

  constructor(
    path: string,
    fixed: Readonly<Record<string, string>>,
    runtime: Runtime,
    read: (path: string) => Promise<string>,
  ) {
    this.#path = path;
    this.#fixed = fixed;
    this.#runtime = runtime;
    this.#readFile = read;
  }

  async headers(): Promise<Readonly<Record<string, string>>> {
    if (this.#runtime.clock.monotonic() - this.#readAt >= tokenFilePeriodMs) await this.#read();
    return { ...this.#fixed, authorization: `Bearer ${this.#token}` };
  }

  async rejected(used = `Bearer ${this.#token}`): Promise<boolean> {
    if (used === `Bearer ${this.#token}`) await this.#read();
    return used !== `Bearer ${this.#token}`;
  }

  async #read(): Promise<void> {
    const startedAt = this.#runtime.clock.monotonic();
    const { text, cause } = await this.#readFile(this.#path).then(
      (read) => ({ text: read.trim(), cause: undefined }),
      (error: Error) => ({ text: "", cause: error }),
    );
    this.#readAt = startedAt;
    if (text) this.#token = text;
    if (this.#token === undefined) {
      throw kubeconfigError(
        "ERR_KUBECONFIG_TOKEN_FILE",
        `reading the bearer token in ${this.#path}: ${cause?.message ?? "the file is empty"}`,
        "Correct tokenFile, or wait until the token has been written.",
        cause,
      );
    }
  }
}

interface ExecOptions {
  readonly access: ClusterAccess;
  /** Headers of every request. */
  readonly fixed: Readonly<Record<string, string>>;
  readonly runtime: Runtime;
  readonly run: RunPlugin;
}

/** Credentials of a plug-in, kept until they expire; concurrent requests share one run. */
function execCredentials(
  plugin: ExecPlugin,
  { access, fixed, runtime, run }: ExecOptions,
): Credentials {
  let held: ExecCredential | undefined;
  let running: Promise<ExecCredential> | undefined;
  const renew = (): Promise<ExecCredential> => {
    running ??= run(plugin, formatExecInfo(plugin, access))
      .then((output) => (held = parseExecCredential(plugin, output)))
      .finally(() => (running = undefined));
    return running;
  };
  const current = async (): Promise<ExecCredential> =>
    held && (held.expiresAt === undefined || held.expiresAt > runtime.clock.now()) ? held : renew();
  return {
    async headers() {
      const { token } = await current();
      return token ? { ...fixed, authorization: `Bearer ${token}` } : fixed;
    },
    async rejected(used) {
      if (used !== undefined && held?.token !== undefined && used !== `Bearer ${held.token}`)
        return true;
      held = undefined;
      await renew();
      return true;
    },
    async clientCertificate() {
      const { cert, key } = await current();
      return cert && key ? { cert, key } : undefined;
    },
  };
}
