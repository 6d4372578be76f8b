// Authenticates requests: headers and client certificates, renewed in time. File and process access
// are parameters.
// Upstream: k8s.io/client-go/transport (token files read again every minute, with 10 s to spare),
// round_trippers.go.
import { readFile } from "node:fs/promises";
import type { Runtime } from "../../runtime/runtime.ts";
import type { CertificateSource } from "../connection/changing-pools.ts";
import { CertificateFiles } from "./certificate-files.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import type { RunPlugin } from "./exec-credential.ts";
import { ExecCredentials } from "./exec-credentials.ts";
import { kubeconfigError } from "./kubeconfig-error.ts";
import { OidcCredentials } from "./oidc-credentials.ts";
import type { AskProvider } from "./oidc-tokens.ts";

/** What a session needs to authenticate each request. */
export interface Credentials {
  headers(): Promise<Readonly<Record<string, string>>>;
  /**
   * Reports a 401 to a request with `used` as its authorization (default: the current credential,
   * which is dropped). Resolves to true if a second attempt may succeed; at once if another request
   * has renewed the credential meanwhile.
   */
  rejected(used?: string): Promise<boolean>;
  /** Set when certificates may change: those of files, or of a plug-in. */
  readonly certificates?: CertificateSource;
}

/** File and process access; the defaults are the real ones. */
export interface CredentialSources {
  readonly readFile?: (path: string) => Promise<string>;
  readonly runPlugin?: RunPlugin;
  /** Sends requests to an identity provider; none are possible without it. */
  readonly ask?: AskProvider;
}

const tokenFilePeriodMs = 60_000;

/** Creates the credentials of one access. */
export function createCredentials(
  access: ClusterAccess,
  runtime: Runtime,
  sources: CredentialSources = {},
): Credentials {
  const read = sources.readFile ?? ((path: string) => readFile(path, "utf8"));
  const credentials = byMethod(access, runtime, { ...sources, readFile: read });
  if (!access.tls.files) return credentials;
  const files = new CertificateFiles(access.tls, runtime, read);
  return {
    headers() {
      const refreshed = files.refresh();
      return refreshed ? refreshed.then(() => credentials.headers()) : credentials.headers();
    },
    rejected: (used) => credentials.rejected(used),
    certificates: files,
  };
}

function byMethod(
  access: ClusterAccess,
  runtime: Runtime,
  {
    readFile: read,
    runPlugin,
    ask = noProvider,
  }: CredentialSources & Required<Pick<CredentialSources, "readFile">>,
): Credentials {
  const { auth } = access;
  switch (auth.type) {
    case "none":
      return fixedCredentials({});
    case "token":
      return fixedCredentials({ authorization: `Bearer ${auth.token}` });
    case "basic":
      return fixedCredentials({
        authorization: `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString("base64")}`,
      });
    case "tokenFile":
      return new TokenFile(auth.path, runtime, read);
    case "exec":
      return new ExecCredentials(auth.plugin, { access, runtime, run: runPlugin });
    case "oidc":
      return new OidcCredentials(auth.provider, { runtime, readFile: read, ask });
  }
}

const noProvider: AskProvider = () => Promise.reject(new Error("no way to ask it is known"));

function fixedCredentials(headers: Readonly<Record<string, string>>): Credentials {
  const ready = Promise.resolve(headers);
  return { headers: () => ready, rejected: () => Promise.resolve(false) };
}

/**
 * A token file that another program renews. If it becomes unreadable, the old token stays in use.
 */
class TokenFile implements Credentials {
  readonly #path: string;
  readonly #runtime: Runtime;
  readonly #readFile: (path: string) => Promise<string>;
  #token: string | undefined;
  #readAt = -Infinity;

  constructor(path: string, runtime: Runtime, read: (path: string) => Promise<string>) {
    this.#path = path;
    this.#runtime = runtime;
    this.#readFile = read;
  }

  async headers(): Promise<Readonly<Record<string, string>>> {
    if (this.#runtime.clock.monotonic() - this.#readAt >= tokenFilePeriodMs) await this.#read();
    return { authorization: `Bearer ${this.#token}` };
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
