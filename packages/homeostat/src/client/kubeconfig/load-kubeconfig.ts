// Finds and reads kubeconfigs as kubectl does: an explicit path, else the KUBECONFIG list, else
// ~/.kube/config, else the service account of the pod this runs in. The only file here that touches
// the file system and the environment.
// Upstream: k8s.io/client-go/tools/clientcmd/loader.go, k8s.io/client-go/rest/config.go
// (InClusterConfig).
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { proxyFromEnvironment } from "../connection/proxy-from-environment.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import { kubeconfigError } from "./kubeconfig-error.ts";
import { type Kubeconfig, mergeKubeconfigs, parseKubeconfig } from "./parse-kubeconfig.ts";
import { resolveAccess } from "./resolve-access.ts";
import { checkOptions, type KnownOptions } from "../../util/call-options.ts";

/** Which kubeconfig and context. */
export interface LoadKubeconfigOptions {
  /** One file, which must exist; else KUBECONFIG, else ~/.kube/config. */
  readonly path?: string;
  /**
   * The kubeconfig's text, instead of a file; its relative paths are resolved against the working
   * folder.
   */
  readonly text?: string;
  readonly context?: string;
  /** Default: the process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const known = {
  path: "a string",
  text: "a string",
  context: "a string",
  env: "an object",
} as const satisfies KnownOptions<LoadKubeconfigOptions>;

/** Folder of a pod's service account. */
export const serviceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/** What messages call a kubeconfig that is no file. */
const givenText = "the given text";

/** Loads the kubeconfig and resolves a context. */
export async function loadKubeconfig(options: LoadKubeconfigOptions = {}): Promise<ClusterAccess> {
  checkOptions("loadKubeconfig(…)", options, known);
  const { env = process.env, text } = options;
  const present =
    text === undefined ? await readFiles(options.path, env) : [{ file: givenText, text }];
  const { parse } = await import("yaml");
  const config: Kubeconfig = mergeKubeconfigs(
    present.map((each) => parseKubeconfig(each.text, each.file, parse)),
  );
  return resolveAccess(config, {
    ...(options.context === undefined ? {} : { context: options.context }),
    readFile: (path) => readFile(path, "utf8"),
    resolvePath: (file, path) => resolve(file === givenText ? "" : dirname(file), path),
    savePath: (file) => (file === givenText ? undefined : file),
    proxyFor: (server) => proxyFromEnvironment(server, env),
  });
}

async function readFiles(
  path: string | undefined,
  env: NonNullable<LoadKubeconfigOptions["env"]>,
): Promise<readonly { readonly file: string; readonly text: string }[]> {
  const candidates = listCandidates(path, env);
  const texts = await Promise.all(
    candidates.map(async (file) => ({ file, text: await readCandidate(file, path !== undefined) })),
  );
  const present = texts.filter(
    (each): each is { file: string; text: string } => each.text !== undefined,
  );
  if (present.length > 0) return present;
  throw kubeconfigError(
    "ERR_KUBECONFIG_NOT_FOUND",
    `looking for a kubeconfig: expected one at ${candidates.join(" or ")}, found none`,
    "Set KUBECONFIG or pass a path; `homeostat server` starts a local API server and writes one.",
  );
}

/** Loads the pod's service account; rereads the token as the kubelet renews it. */
export async function loadInClusterConfig(
  options: Pick<LoadKubeconfigOptions, "env"> & { readonly folder?: string } = {},
): Promise<ClusterAccess> {
  checkOptions("loadInClusterConfig(…)", options, { env: "an object", folder: "a string" });
  const { env = process.env, folder = serviceAccountFolder } = options;
  const host = env["KUBERNETES_SERVICE_HOST"];
  const port = env["KUBERNETES_SERVICE_PORT"];
  if (!host || !port)
    throw kubeconfigError(
      "ERR_KUBECONFIG_NOT_IN_CLUSTER",
      "looking for the cluster that this process runs in: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set",
      "Run in a pod, or use a kubeconfig.",
    );
  const read = async (name: string): Promise<string> => {
    const path = join(folder, name);
    return readFile(path, "utf8").catch((cause: Error) => {
      throw kubeconfigError(
        "ERR_KUBECONFIG_TOKEN_FILE",
        `reading the pod's service account: ${path} cannot be read: ${cause.message}`,
        "Set automountServiceAccountToken on the pod, or use a kubeconfig.",
        cause,
      );
    });
  };
  const [ca, namespace] = await Promise.all([read("ca.crt"), read("namespace"), read("token")]);
  const server = `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const proxy = proxyFromEnvironment(server, env);
  return {
    server,
    namespace: namespace.trim() || "default",
    tls: { ca, files: { ca: join(folder, "ca.crt") } },
    auth: { type: "tokenFile", path: join(folder, "token") },
    ...(proxy === undefined ? {} : { proxy }),
    origin: "the pod's service account",
  };
}

/**
 * Loads the kubeconfig if there is one, else the pod's service account: the default for operators.
 */
export async function loadClusterAccess(
  options: LoadKubeconfigOptions = {},
): Promise<ClusterAccess> {
  checkOptions("loadClusterAccess(…)", options, known);
  const { env = process.env } = options;
  const named = options.path !== undefined || options.context !== undefined || env["KUBECONFIG"];
  return !named && env["KUBERNETES_SERVICE_HOST"]
    ? loadInClusterConfig({ env })
    : loadKubeconfig(options);
}

function listCandidates(
  path: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  if (path !== undefined) return [resolve(path)];
  const listed = (env["KUBECONFIG"] ?? "").split(delimiter).filter(Boolean);
  return listed.length
    ? listed.map((file) => resolve(file))
    : [join(env["HOME"] || homedir(), ".kube", "config")];
}

/** A file's text; a file of a list may be missing, an explicit one may not. */
async function readCandidate(file: string, explicit: boolean): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    const missing = (cause as { code?: unknown }).code === "ENOENT";
    if (missing && !explicit) return undefined;
    throw kubeconfigError(
      missing ? "ERR_KUBECONFIG_NOT_FOUND" : "ERR_KUBECONFIG_UNREADABLE",
      `reading kubeconfig ${file}: ${(cause as Error).message}`,
      missing ? "Correct the path." : "Check the file's permissions.",
      cause,
    );
  }
}
