// `homeostat generate`: writes what an operator needs on a cluster, or with --check compares it
// with the files that exist.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommandError, parseOutput, usageError } from "../command-error.ts";
import { compareFiles } from "../generate/compare-files.ts";
import { isImageReference } from "../generate/image-reference.ts";
import { leaseNotes } from "../generate/lease-notes.ts";
import { defaultModule, loadOperator, missingParts } from "../generate/load-operator.ts";
import { type GeneratedFile, manifestsOf } from "../generate/manifests.ts";
import { webhookNotes } from "../generate/webhooks.ts";
import { makeFolder } from "../make-folder.ts";

type Flags = Readonly<Record<string, string | boolean | undefined>>;

const nameRule = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Resolves to the exit code: 1 when --check finds a difference. */
export async function runGenerate(path: string | undefined, flags: Flags): Promise<number> {
  const output = parseOutput(flags["output"]);
  const { namespace, image, check, ownerReferencesPermissionEnforcement } = flags;
  const folder = textFlag("--output-dir", flags["outputDir"]) ?? "manifests";
  const operator = await loadOperator(path ?? defaultModule);
  const settings = {
    namespace: textFlag("--namespace", namespace) ?? `${operator.operator}-system`,
    image: textFlag("--image", image) ?? `${operator.operator}:latest`,
    ownerReferencesPermissionEnforcement: ownerReferencesPermissionEnforcement === true,
  };
  if (!nameRule.test(settings.namespace))
    throw usageError(
      `--namespace: expected lower-case letters, digits and "-", at most 63, got ${JSON.stringify(settings.namespace)}`,
    );
  if (!isImageReference(settings.image))
    throw usageError(
      `--image: expected an image such as ghcr.io/acme/${operator.operator}:1.0.0, got ${JSON.stringify(settings.image)}`,
    );
  const notes = [
    ...missingParts(operator),
    ...leaseNotes(operator, settings.namespace),
    ...webhookNotes(operator, settings.namespace),
  ];
  for (const note of notes) process.stderr.write(`homeostat: ${note}\n`);
  const files = manifestsOf(operator, settings);
  return check === true ? checkFiles(files, folder, output) : writeFiles(files, folder, output);
}

function textFlag(name: string, value: string | boolean | undefined): string | undefined {
  if (value === undefined || (typeof value === "string" && value !== "")) return value;
  throw usageError(`${name}: expected a value, got an empty text`);
}

function writeFiles(
  files: readonly GeneratedFile[],
  folder: string,
  output: "text" | "json",
): number {
  const paths = files.map(({ name, text }) => {
    const path = join(folder, name);
    try {
      makeFolder(folder);
      writeFileSync(path, text);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new CommandError(
        `generate: write ${path}: ${message}; choose a folder that this user can write to`,
        1,
      );
    }
    return path;
  });
  if (output === "json") process.stdout.write(`${JSON.stringify({ files: paths })}\n`);
  else
    process.stdout.write(
      `${paths.map((path) => `wrote ${path}\n`).join("")}\n  kubectl apply --server-side -f ${folder}\n`,
    );
  return 0;
}

function checkFiles(
  files: readonly GeneratedFile[],
  folder: string,
  output: "text" | "json",
): number {
  const differences = compareFiles(files, (name) => {
    const path = join(folder, name);
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  });
  if (output === "json") process.stdout.write(`${JSON.stringify({ differences })}\n`);
  else if (differences.length === 0) process.stdout.write(`${folder} is up to date\n`);
  else
    process.stderr.write(
      `${differences.map(({ name, what }) => `homeostat: ${join(folder, name)} ${what}\n`).join("")}  run homeostat generate with the same options\n`,
    );
  return differences.length === 0 ? 0 : 1;
}
