// Applies manifests from a file: server-side apply with strict validation, so that typos are
// errors.
import { readFile } from "node:fs/promises";
import { HomeostatError, type Kind, type ManifestOf } from "homeostat";
import { isNotFound } from "homeostat/api";
import { type Client } from "homeostat/client";
import { parseAllDocuments } from "yaml";

/** A manifest in the file. */
export interface KitchenManifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/**
 * Reads every document of a YAML file. @throws ERR_KITCHEN_MANIFEST naming the file and the
 * document.
 */
export async function readManifests(path: string): Promise<readonly KitchenManifest[]> {
  const fail = (
    problem: string,
    cause?: unknown,
    hint = "write documents with apiVersion, kind and metadata.name, separated by ---",
  ) => new HomeostatError("ERR_KITCHEN_MANIFEST", `reading ${path}: ${problem}`, { hint, cause });
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw fail(
      cause instanceof Error ? cause.message : String(cause),
      cause,
      "correct the path, or the file's permissions",
    );
  });
  const documents = parseAllDocuments(text);
  const manifests = [...documents].flatMap((document, i) => {
    if (document.errors[0])
      throw fail(
        `document ${i + 1}: ${document.errors[0].message.split("\n", 1)[0]}`,
        document.errors[0],
      );
    const value = document.toJS() as KitchenManifest | null;
    if (value === null) return [];
    if (
      ![value.apiVersion, value.kind, value.metadata?.name].every(
        (one) => typeof one === "string" && one !== "",
      )
    )
      throw fail(`document ${i + 1} lacks apiVersion, kind or metadata.name`);
    return [value];
  });
  if (manifests.length === 0) throw fail("it holds no manifest");
  return manifests;
}

/**
 * Applies manifests in order; `file` is their source, for messages. @throws ERR_KITCHEN_REFUSED
 * with the server's message on the first that is refused.
 */
export async function applyManifests(
  client: Client,
  manifests: readonly KitchenManifest[],
  { file }: { readonly file?: string } = {},
): Promise<void> {
  for (const manifest of manifests) {
    const { apiVersion, kind: name } = manifest;
    try {
      const kind: Kind = await client.kinds.byKind(apiVersion, name);
      await client.apply(kind, manifest as ManifestOf<Kind>, {
        fieldManager: "dinner",
        fieldValidation: "Strict",
        force: true,
      });
    } catch (cause) {
      const said = cause instanceof Error ? cause.message : String(cause);
      const namespace = manifest.metadata.namespace ?? client.namespace;
      const away = isNotFound(cause) && cause.status.details?.kind === "namespaces";
      throw new HomeostatError(
        "ERR_KITCHEN_REFUSED",
        `applying ${name} ${manifest.metadata.name}${file ? ` from ${file}` : ""}${away ? ` to namespace ${namespace}` : ""}: ${said}`,
        {
          hint: away
            ? `create the namespace first: kubectl create namespace ${namespace}`
            : "correct the manifest, or what the message names",
          cause,
        },
      );
    }
  }
}
