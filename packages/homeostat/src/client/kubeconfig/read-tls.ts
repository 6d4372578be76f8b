// TLS settings of a kubeconfig: certificates from data or files.
// Upstream: k8s.io/client-go/tools/clientcmd/client_config.go (data over file), validation.go.
import type { TlsAccess } from "./cluster-access.ts";
import { kubeconfigError } from "./kubeconfig-error.ts";
import { type Entry, shapeError, textField } from "./parse-kubeconfig.ts";

/** Reads what a kubeconfig names. */
export interface FileAccess {
  /** Reads a file as text; rejects as node:fs does. */
  readonly readFile: (path: string) => Promise<string>;
  /** Resolves a path of an entry against the folder of the file that holds the entry. */
  readonly resolvePath: (file: string, path: string) => string;
  /** Where what changes in an entry of `file` is written to; undefined if it is no file. */
  readonly savePath: (file: string) => string | undefined;
}

/** TLS settings of a cluster, and the client certificate of a user. */
export async function readTls(
  cluster: Entry,
  user: Entry | undefined,
  options: FileAccess,
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
  const files = readFiles(cluster, user, options);
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    ...(Object.keys(files).length > 0 ? { files } : {}),
    ...(serverName === undefined ? {} : { serverName }),
    ...(insecure ? { insecureSkipVerify: true } : {}),
  };
}

/** The files that certificates are read from; data in the entry hide them. */
function readFiles(
  cluster: Entry,
  user: Entry | undefined,
  { resolvePath }: FileAccess,
): NonNullable<TlsAccess["files"]> {
  const pathOf = (entry: Entry | undefined, what: string, field: string): string | undefined => {
    if (!entry || textField(entry, what, `${field}-data`) !== undefined) return undefined;
    const path = textField(entry, what, field);
    return path === undefined ? undefined : resolvePath(entry.file, path);
  };
  const ca = pathOf(cluster, "cluster", "certificate-authority");
  const cert = pathOf(user, "user", "client-certificate");
  const key = pathOf(user, "user", "client-key");
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}

/** A PEM text from `<field>-data` (base64), else from the file that `<field>` names. */
async function readPem(
  entry: Entry,
  what: string,
  field: string,
  options: FileAccess,
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
  options: FileAccess,
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
