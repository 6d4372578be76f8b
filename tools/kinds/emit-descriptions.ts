// Writes the descriptions of OpenAPI from upstream's published documents: those of models and their
// fields, of parameters, and of the paths that are no resources. Arguments: the folder
// api/openapi-spec/v3 of the module k8s.io/kubernetes, its version, and the file to write.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Described {
  readonly description?: string;
}
interface Parameter extends Described {
  readonly name: string;
  readonly in: string;
}
interface Operation extends Described {
  readonly parameters?: readonly Parameter[];
  readonly "x-kubernetes-action"?: string;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: {
    readonly schemas?: Readonly<
      Record<string, Described & { readonly properties?: Readonly<Record<string, Described>> }>
    >;
  };
}

type Texts = Map<string, string>;

const models = new Map<string, readonly [string, string, Readonly<Record<string, string>>]>();
const parameters = new Map<string, Map<string, string[]>>();
const paths: Texts = new Map();

function readDocument(document: Document): void {
  for (const [model, schema] of Object.entries(document.components?.schemas ?? {})) {
    const fields = Object.entries(schema.properties ?? {}).flatMap(([name, { description }]) =>
      description === undefined ? [] : [[name, description] as const],
    );
    models.set(model, [model, schema.description ?? "", Object.fromEntries(fields)]);
  }
  for (const [path, item] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(item)) {
      const isShared = method === "parameters";
      const list = isShared ? (operation as unknown as Parameter[]) : (operation.parameters ?? []);
      for (const one of list) readParameter(path, isShared ? "" : method, one);
      if (isShared || operation["x-kubernetes-action"] || operation.description === undefined)
        continue;
      if (!/^\/apis\/[^/]+\/(?:[^/]+\/)?$/.test(path)) paths.set(path, operation.description);
    }
}

/** Where texts differ, they do so by the resource and subresource, or for patches. */
function readParameter(path: string, method: string, one: Parameter): void {
  if (one.name === "name" && one.in === "path") return;
  const key = `${one.name} in ${one.in}`;
  const texts = parameters.get(key) ?? new Map<string, string[]>();
  parameters.set(key, texts);
  const place = /\/([^/{}]+)\/\{name\}\/([^/{}]+)/.exec(path);
  const connected = place ? `${place[1]}/${place[2]}` : "";
  const where = method === "patch" ? "patch" : connected;
  const text = one.description ?? "";
  texts.set(text, [...(texts.get(text) ?? []), where]);
}

/** The most frequent text stands for all; the others are named by where they are used. */
function parameterTexts(): Readonly<Record<string, string>> {
  const out: Record<string, string> = {};
  for (const [key, texts] of parameters) {
    const [usual, ...others] = [...texts].toSorted((a, b) => b[1].length - a[1].length);
    out[key] = usual![0];
    for (const [text, places] of others)
      for (const place of new Set(places)) out[`${key} of ${place}`] = text;
  }
  return out;
}

const sorted = <T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));

const [folder, kubernetes, out] = process.argv.slice(2);
if (!folder || !kubernetes || !out)
  throw new Error("usage: emit-descriptions.ts FOLDER VERSION OUT");
/** An unstable version is served only if it is behind a feature gate that the server has. */
const unserved = /__v\d+(?:alpha|beta)\d+_(?<!storagemigration\.k8s\.io__v1beta1_)/;
for (const file of readdirSync(folder).toSorted())
  if (file.endsWith(".json") && !unserved.test(file))
    readDocument(JSON.parse(readFileSync(join(folder, file), "utf8")) as Document);
const lines = [
  { kubernetes, origin: { "k8s.io/kubernetes": kubernetes } },
  ["parameters:", sorted(parameterTexts())],
  ["paths:", sorted(Object.fromEntries(paths))],
  ...[...models.values()].toSorted(([a], [b]) => (a < b ? -1 : 1)),
];
writeFileSync(out, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
process.stdout.write(`${models.size} models, ${parameters.size} parameters\n`);
