// Parses kubeconfig YAML into checked entries that know their file. Pure: reads no file, resolves
// no path.
// Upstream: k8s.io/client-go/tools/clientcmd/api/v1/types.go (fields), conversion.go (duplicate
// names are refused).
import { kubeconfigError } from "./kubeconfig-error.ts";

/** An entry's fields, and its file, against which relative paths are resolved. */
export interface Entry {
  readonly name: string;
  readonly file: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** One kubeconfig file, or several merged. */
export interface Kubeconfig {
  readonly files: readonly string[];
  readonly currentContext: string;
  readonly clusters: ReadonlyMap<string, Entry>;
  readonly users: ReadonlyMap<string, Entry>;
  readonly contexts: ReadonlyMap<string, Entry>;
}

/** Parses one file; `parseYaml` is passed in because the YAML library is loaded on demand. */
export function parseKubeconfig(
  text: string,
  file: string,
  parseYaml: (text: string) => unknown,
): Kubeconfig {
  const document = readYaml(text, file, parseYaml) ?? {};
  if (!isRecord(document))
    throw shapeError(file, "the document", "a mapping with clusters, users and contexts", document);
  if (document["kind"] !== undefined && document["kind"] !== "Config")
    throw shapeError(file, "kind", '"Config"', document["kind"]);
  const currentContext = document["current-context"] ?? "";
  if (typeof currentContext !== "string")
    throw shapeError(file, "current-context", "a string", currentContext);
  return {
    files: [file],
    currentContext,
    clusters: readEntries(document, file, "clusters", "cluster"),
    users: readEntries(document, file, "users", "user"),
    contexts: readEntries(document, file, "contexts", "context"),
  };
}

/** Merges the files of a KUBECONFIG list: the first definition of an entry wins. */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  const merge = (
    pick: (config: Kubeconfig) => ReadonlyMap<string, Entry>,
  ): ReadonlyMap<string, Entry> =>
    new Map(configs.toReversed().flatMap((config) => [...pick(config)]));
  return {
    files: configs.flatMap(({ files }) => files),
    currentContext: configs.find(({ currentContext }) => currentContext)?.currentContext ?? "",
    clusters: merge((config) => config.clusters),
    users: merge((config) => config.users),
    contexts: merge((config) => config.contexts),
  };
}

/** A string field of an entry; "" counts as absent, as in Go. */
export function textField(entry: Entry, what: string, field: string): string | undefined {
  const value = entry.fields[field];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string")
    throw shapeError(
      entry.file,
      `${what} ${JSON.stringify(entry.name)}: ${field}`,
      "a string",
      value,
    );
  return value;
}

/** The error for a value of the wrong shape; `where` names the entry and field. */
export function shapeError(file: string, where: string, expected: string, came: unknown): Error {
  return kubeconfigError(
    "ERR_KUBECONFIG_SHAPE",
    `reading ${file}: ${where} must be ${expected}, got ${JSON.stringify(came)?.slice(0, 80) ?? "nothing"}`,
    "Correct the file, or recreate it with kubectl config.",
  );
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readYaml(text: string, file: string, parseYaml: (text: string) => unknown): unknown {
  try {
    return parseYaml(text);
  } catch (cause) {
    const [firstLine = ""] = String((cause as Error).message).split("\n");
    throw kubeconfigError(
      "ERR_KUBECONFIG_SYNTAX",
      `reading ${file}: expected YAML, got ${firstLine}`,
      "Correct the file; a tab used as indentation and an unquoted colon are the usual causes.",
      cause,
    );
  }
}

function readEntries(
  document: Readonly<Record<string, unknown>>,
  file: string,
  list: string,
  item: string,
): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  const items = document[list] ?? [];
  if (!Array.isArray(items)) throw shapeError(file, list, "a list", items);
  for (const [at, named] of items.entries()) {
    const name = isRecord(named) ? named["name"] : undefined;
    if (typeof name !== "string" || name === "")
      throw shapeError(file, `${list}[${at}].name`, "a string that is not empty", name);
    const fields = (named as Record<string, unknown>)[item] ?? {};
    if (!isRecord(fields)) throw shapeError(file, `${list}[${at}].${item}`, "a mapping", fields);
    if (entries.has(name))
      throw kubeconfigError(
        "ERR_KUBECONFIG_SHAPE",
        `reading ${file}: ${list} has two entries named ${JSON.stringify(name)}`,
        "Remove or rename one of them.",
      );
    entries.set(name, { name, file, fields });
  }
  return entries;
}
