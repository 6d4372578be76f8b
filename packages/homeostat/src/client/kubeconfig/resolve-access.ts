// Resolves a context of a kubeconfig to what is needed to connect. Files are read through a
// parameter.
// Upstream: k8s.io/client-go/tools/clientcmd/client_config.go (precedence: data over file,
// tokenFile over token), validation.go.
import type {
  AuthMethod,
  ClusterAccess,
  ExecPlugin,
  Impersonation,
  TlsAccess,
} from "./cluster-access.ts";
import { kubeconfigError } from "./kubeconfig-error.ts";
import {
  type Entry,
  isRecord,
  type Kubeconfig,
  shapeError,
  textField,
} from "./parse-kubeconfig.ts";

/** File access of the resolver. */
export interface ResolveOptions {
  /** Context to use; default the file's current one. */
  readonly context?: string;
  /** Reads a file as text; rejects as node:fs does. */
  readonly readFile: (path: string) => Promise<string>;
  /** Resolves a path of an entry against the folder of the file that holds the entry. */
  readonly resolvePath: (file: string, path: string) => string;
}

/** Resolves one context. */
export async function resolveAccess(
  config: Kubeconfig,
  options: ResolveOptions,
): Promise<ClusterAccess> {
  const context = findContext(config, options.context);
  const origin = `context ${JSON.stringify(context.name)} of ${context.file}`;
  const cluster = findEntry(config, context, "cluster");
  const user =
    textField(context, "context", "user") === undefined
      ? undefined
      : findEntry(config, context, "user");
  refuseUnsupported(cluster, "cluster", {
    field: "proxy-url",
    meaning: "a proxy between client and server",
    hint: "Remove it, or reach the server through a tunnel.",
  });
  const impersonation = user && readImpersonation(user);
  return {
    server: readServer(cluster),
    namespace: textField(context, "context", "namespace") ?? "default",
    tls: await readTls(cluster, user, options),
    auth: user ? readAuth(user, options) : { type: "none" },
    ...(impersonation ? { impersonation } : {}),
    origin,
  };
}

function findContext(config: Kubeconfig, wanted: string | undefined): Entry {
  const name = wanted ?? config.currentContext;
  const found = config.contexts.get(name);
  if (found) return found;
  const files = config.files.join(", ");
  const known =
    [...config.contexts.keys()].map((each) => JSON.stringify(each)).join(", ") || "none";
  const problem = name
    ? `context ${JSON.stringify(name)} does not exist (contexts: ${known})`
    : `current-context is not set and no context was named (contexts: ${known})`;
  throw kubeconfigError(
    "ERR_KUBECONFIG_NO_CONTEXT",
    `reading ${files}: ${problem}`,
    "Name an existing context, or run: kubectl config use-context NAME.",
  );
}

function findEntry(config: Kubeconfig, context: Entry, field: "cluster" | "user"): Entry {
  const entries = field === "cluster" ? config.clusters : config.users;
  const name = textField(context, "context", field);
  const found = name === undefined ? undefined : entries.get(name);
  if (found) return found;
  const known = [...entries.keys()].map((each) => JSON.stringify(each)).join(", ") || "none";
  throw kubeconfigError(
    field === "cluster" ? "ERR_KUBECONFIG_NO_CLUSTER" : "ERR_KUBECONFIG_NO_USER",
    `reading ${context.file}: context ${JSON.stringify(context.name)} names ${field} ${JSON.stringify(name ?? "")}, which does not exist (${field}s: ${known})`,
    `Add the ${field}, or correct the context.`,
  );
}

function readServer(cluster: Entry): string {
  const server = textField(cluster, "cluster", "server");
  const url =
    server === undefined ? null : URL.parse(server.includes("://") ? server : `http://${server}`);
  if (url && (url.protocol === "https:" || url.protocol === "http:"))
    return url.href.replace(/\/+$/, "");
  throw kubeconfigError(
    "ERR_KUBECONFIG_SERVER",
    `reading ${cluster.file}: cluster ${JSON.stringify(cluster.name)}: server must be an http(s) URL such as https://host:6443, got ${JSON.stringify(server ?? "")}`,
    "Correct server.",
  );
}

async function readTls(
  cluster: Entry,
  user: Entry | undefined,
  options: ResolveOptions,
): Promise<TlsAccess> {
  const insecure = cluster.fields["insecure-skip-tls-verify"] ?? false;
  if (typeof insecure !== "boolean")
    throw shapeError(
      cluster.file,
      `cluster ${JSON.stringify(cluster.name)}: insecure-skip-tls-verify`,
      "true or false",
      insecure,
    );
  const ca = await readPem(cluster, "cluster", "certificate-authority", options);
  if (insecure && ca !== undefined) {
    throw kubeconfigError(
      "ERR_KUBECONFIG_SHAPE",
      `reading ${cluster.file}: cluster ${JSON.stringify(cluster.name)} has both a certificate authority and insecure-skip-tls-verify`,
      "Remove one of them.",
    );
  }
  const cert = user && (await readPem(user, "user", "client-certificate", options));
  const key = user && (await readPem(user, "user", "client-key", options));
  if ((cert === undefined) !== (key === undefined)) {
    throw kubeconfigError(
      "ERR_KUBECONFIG_SHAPE",
      `reading ${user!.file}: user ${JSON.stringify(user!.name)} has ${cert ? "client-certificate without client-key" : "client-key without client-certificate"}`,
      "Give both.",
    );
  }
  const serverName = textField(cluster, "cluster", "tls-server-name");
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    ...(serverName === undefined ? {} : { serverName }),
    ...(insecure ? { insecureSkipVerify: true } : {}),
  };
}

/** A PEM text from `<field>-data` (base64), else from the file that `<field>` names. */
async function readPem(
  entry: Entry,
  what: string,
  field: string,
  options: ResolveOptions,
): Promise<string | undefined> {
  const data = textField(entry, what, `${field}-data`);
  const path = textField(entry, what, field);
  if (data === undefined && path === undefined) return undefined;
  const where = `${what} ${JSON.stringify(entry.name)}`;
  const pem =
    data === undefined
      ? await readNamedFile(entry, `${where}: ${field}`, path!, options)
      : decodeBase64(entry, `${where}: ${field}-data`, data);
  if (!pem.includes("-----BEGIN "))
    throw kubeconfigError(
      "ERR_KUBECONFIG_PEM",
      `reading ${entry.file}: ${where}: ${field} must hold PEM ("-----BEGIN …"), got ${JSON.stringify(pem.slice(0, 40))}`,
      "Put the certificate or key there in PEM form.",
    );
  return pem;
}

async function readNamedFile(
  entry: Entry,
  where: string,
  path: string,
  options: ResolveOptions,
): Promise<string> {
  const resolved = options.resolvePath(entry.file, path);
  try {
    return await options.readFile(resolved);
  } catch (cause) {
    throw kubeconfigError(
      "ERR_KUBECONFIG_UNREADABLE",
      `reading ${entry.file}: ${where} names ${resolved}, which cannot be read: ${(cause as Error).message}`,
      "Correct the path; relative paths count from the kubeconfig's folder.",
      cause,
    );
  }
}

function decodeBase64(entry: Entry, where: string, data: string): string {
  const packed = data.replace(/[\r\n]/g, "");
  if (packed.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(packed)) {
    throw kubeconfigError(
      "ERR_KUBECONFIG_BASE64",
      `reading ${entry.file}: ${where} must be base64, got ${JSON.stringify(data.slice(0, 24))}…`,
      "Encode the PEM text with base64, or use the field without -data to name a file.",
    );
  }
  return Buffer.from(packed, "base64").toString("utf8");
}

function readAuth(user: Entry, options: ResolveOptions): AuthMethod {
  refuseUnsupported(user, "user", {
    field: "auth-provider",
    meaning: "auth-provider plug-ins, which Kubernetes removed in 1.26",
    hint: "Use an exec plug-in.",
  });
  const tokenFile = textField(user, "user", "tokenFile");
  if (tokenFile !== undefined)
    return { type: "tokenFile", path: options.resolvePath(user.file, tokenFile) };
  const token = textField(user, "user", "token");
  if (token !== undefined) return { type: "token", token };
  const username = textField(user, "user", "username");
  if (username !== undefined)
    return { type: "basic", username, password: textField(user, "user", "password") ?? "" };
  const exec = user.fields["exec"];
  if (exec === undefined || exec === null) return { type: "none" };
  if (!isRecord(exec))
    throw shapeError(user.file, `user ${JSON.stringify(user.name)}: exec`, "a mapping", exec);
  return { type: "exec", plugin: readExec({ ...user, fields: exec }, options) };
}

function readExec(entry: Entry, options: ResolveOptions): ExecPlugin {
  const command = textField(entry, "user", "command");
  const apiVersion = textField(entry, "user", "apiVersion");
  const where = `user ${JSON.stringify(entry.name)}: exec`;
  if (command === undefined)
    throw shapeError(entry.file, `${where}.command`, "the name of a program", command);
  if (
    apiVersion !== "client.authentication.k8s.io/v1" &&
    apiVersion !== "client.authentication.k8s.io/v1beta1"
  ) {
    throw shapeError(
      entry.file,
      `${where}.apiVersion`,
      "client.authentication.k8s.io/v1 or /v1beta1",
      apiVersion,
    );
  }
  const args = entry.fields["args"] ?? [];
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === "string"))
    throw shapeError(entry.file, `${where}.args`, "a list of strings", args);
  const env = entry.fields["env"] ?? [];
  if (!Array.isArray(env))
    throw shapeError(entry.file, `${where}.env`, "a list of { name, value }", env);
  const installHint = textField(entry, "user", "installHint");
  return {
    apiVersion,
    command: /[\\/]/.test(command) ? options.resolvePath(entry.file, command) : command,
    args,
    env: Object.fromEntries(
      env.map((variable, at) => readVariable(entry, `${where}.env[${at}]`, variable)),
    ),
    provideClusterInfo: entry.fields["provideClusterInfo"] === true,
    interactiveMode: textField(entry, "user", "interactiveMode") ?? "IfAvailable",
    ...(installHint === undefined ? {} : { installHint }),
  };
}

function readVariable(
  { file }: Entry,
  where: string,
  variable: unknown,
): readonly [string, string] {
  const { name, value = "" } = isRecord(variable) ? variable : {};
  if (typeof name !== "string" || name === "")
    throw shapeError(
      file,
      `${where}.name`,
      "the name of a variable",
      isRecord(variable) ? name : variable,
    );
  if (typeof value !== "string") throw shapeError(file, `${where}.value`, "a string", value);
  return [name, value];
}

function readImpersonation(user: Entry): Impersonation | undefined {
  const as = textField(user, "user", "as");
  if (as === undefined) return undefined;
  const uid = textField(user, "user", "as-uid");
  const groups = readTexts(user, "as-groups", user.fields["as-groups"]);
  const extra = user.fields["as-user-extra"] ?? {};
  if (!isRecord(extra))
    throw shapeError(
      user.file,
      `user ${JSON.stringify(user.name)}: as-user-extra`,
      "a mapping from keys to lists of strings",
      extra,
    );
  const values = Object.entries(extra).map(
    ([key, value]) => [key, readTexts(user, `as-user-extra.${key}`, value)] as const,
  );
  return {
    user: as,
    groups,
    extra: Object.fromEntries(values),
    ...(uid === undefined ? {} : { uid }),
  };
}

function readTexts({ file, name }: Entry, field: string, value: unknown): readonly string[] {
  const texts = value ?? [];
  if (!Array.isArray(texts) || !texts.every((text) => typeof text === "string"))
    throw shapeError(file, `user ${JSON.stringify(name)}: ${field}`, "a list of strings", texts);
  return texts;
}

interface Unsupported {
  readonly field: string;
  readonly meaning: string;
  readonly hint: string;
}

function refuseUnsupported(
  entry: Entry,
  what: string,
  { field, meaning, hint }: Unsupported,
): void {
  if (!entry.fields[field]) return;
  throw kubeconfigError(
    "ERR_KUBECONFIG_UNSUPPORTED",
    `reading ${entry.file}: ${what} ${JSON.stringify(entry.name)} has ${field}: ${meaning} is not supported`,
    hint,
  );
}
