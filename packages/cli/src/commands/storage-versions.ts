// homeostat storage-versions: which definitions list versions in which objects may still be stored
// although it is no longer the storage version; with --migrate, rewrites those objects.
// Upstream: the steps of https://kubernetes.io/docs/tasks/extend-kubernetes/
// custom-resources/custom-resource-definition-versioning (upgrade existing objects), and
// k8s.io/kubernetes/pkg/controller/storageversionmigrator.
import { isConflict, isNotFound, type JsonObject } from "homeostat/api";
import { type Client, createClient, loadKubeconfig } from "homeostat/client";
import {
  CustomResourceDefinition,
  type CustomResourceDefinition as Definition,
} from "homeostat/k8s/apiextensions/v1";
import { parseOutput, usageError } from "../command-error.ts";

type Flags = Readonly<Record<string, string | boolean | undefined>>;

/** A definition with objects that may lie in an old version. */
interface OldVersions {
  readonly name: string;
  readonly storageVersion: string;
  /** Of `status.storedVersions`, all but the storage version. */
  readonly oldVersions: readonly string[];
  /** All objects: in which version each is stored, the API does not say. */
  readonly objects: number;
  readonly migrated: boolean;
}

const pageSize = 500;

/** Prints them. Resolves to the exit code. */
export async function runStorageVersions(flags: Flags): Promise<number> {
  const output = parseOutput(flags["output"]);
  const { kubeconfig, context, migrate } = flags;
  if (kubeconfig === "") throw usageError("--kubeconfig: expected a file, got an empty text");
  const access = await loadKubeconfig({
    ...(typeof kubeconfig === "string" ? { path: kubeconfig } : {}),
    ...(typeof context === "string" ? { context } : {}),
  });
  const client = createClient({ access, fieldManager: "homeostat-storage-versions" });
  try {
    const found = await findOldVersions(client, migrate === true);
    process.stdout.write(
      output === "json" ? `${JSON.stringify({ definitions: found })}\n` : textOf(found),
    );
    return 0;
  } finally {
    await client.close();
  }
}

async function findOldVersions(client: Client, migrate: boolean): Promise<readonly OldVersions[]> {
  const { items } = await client.list(CustomResourceDefinition);
  const found: OldVersions[] = [];
  for (const definition of items) {
    const storageVersion = definition.spec.versions.find(({ storage }) => storage)?.name ?? "";
    const stored = definition.status?.storedVersions ?? [];
    const oldVersions = stored.filter((version) => version !== storageVersion);
    if (!oldVersions.length) continue;
    const path = pathOf(definition);
    const objects = path === undefined ? 0 : await count(client, path);
    const migrated = migrate && path !== undefined;
    if (migrated) await rewrite(client, definition, { path, storageVersion });
    found.push({ name: definition.metadata.name, storageVersion, oldVersions, objects, migrated });
  }
  return found;
}

/** The path of all objects, in the storage version if it is served; undefined if no version is. */
function pathOf({ spec }: Definition): string | undefined {
  const served = spec.versions.filter((version) => version.served);
  const version = served.find(({ storage }) => storage) ?? served[0];
  return version && `/apis/${spec.group}/${version.name}/${spec.names.plural}`;
}

interface Page {
  readonly items: readonly JsonObject[];
  readonly metadata: { readonly continue?: string; readonly remainingItemCount?: number };
}

async function readPage(client: Client, path: string, limit: number, token = ""): Promise<Page> {
  const query = { limit, ...(token ? { continue: token } : {}) };
  return (await client.request({ method: "GET", path, query })).json() as unknown as Page;
}

async function count(client: Client, path: string): Promise<number> {
  const { items, metadata } = await readPage(client, path, 1);
  return items.length + Number(metadata.remainingItemCount ?? 0);
}

/**
 * Writes every object as it is, which stores it in the storage version, and then drops the old
 * versions from the status, unless the definition has changed meanwhile.
 */
async function rewrite(
  client: Client,
  definition: Definition,
  { path, storageVersion }: { readonly path: string; readonly storageVersion: string },
): Promise<void> {
  let token: string | undefined = "";
  do {
    const page: Page = await readPage(client, path, pageSize, token);
    for (const object of page.items) await touch(client, path, object);
    token = page.metadata.continue;
  } while (token);
  const { name, resourceVersion } = definition.metadata;
  await client.patch(
    CustomResourceDefinition,
    name,
    {
      type: "merge",
      body: { metadata: { resourceVersion }, status: { storedVersions: [storageVersion] } },
    },
    { subresource: "status" },
  );
}

/** A conflict means that somebody else has just written the object. */
async function touch(client: Client, path: string, object: JsonObject): Promise<void> {
  const { name, namespace } = object.metadata as {
    readonly name: string;
    readonly namespace?: string;
  };
  const at = path.lastIndexOf("/");
  const scoped = namespace ? `${path.slice(0, at)}/namespaces/${namespace}${path.slice(at)}` : path;
  try {
    await client.request({ method: "PUT", path: `${scoped}/${name}`, body: object });
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}

function textOf(found: readonly OldVersions[]): string {
  if (!found.length) return "No definition lists a version other than its storage version.\n";
  const lines = found.map(({ name, storageVersion, oldVersions, objects, migrated }) => {
    const old = oldVersions.join(", ");
    const counted = objects === 1 ? "1 object" : `${objects} objects`;
    return migrated
      ? `${name}: rewrote ${counted} in ${storageVersion}; ${old} is no longer listed`
      : `${name}: stored as ${storageVersion}; up to ${counted} may still lie in ${old}`;
  });
  return `${lines.join("\n")}\n`;
}
