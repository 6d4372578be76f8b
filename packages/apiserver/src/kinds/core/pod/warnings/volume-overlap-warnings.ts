// Warnings about files of one volume that meet.
// Upstream: k8s.io/kubernetes/pkg/api/pod/warnings.go (warningsForOverlappingVirtualPaths).
import type { JsonObject } from "homeostat/api";
import { quoteGo } from "../../../../apimachinery/errors/field-error.ts";
import {
  hasItems,
  isSet,
  itemsAt,
  mutableAt,
  objectAt,
  stringAt,
} from "../../../../apimachinery/meta/read-fields.ts";

interface FileFrom {
  readonly path: string;
  readonly source: string;
}

/** All volumes of a spec. */
export function overlapWarnings(volumes: readonly JsonObject[]): string[] {
  return volumes.flatMap((volume) => {
    const name = stringAt(volume, "name");
    const said = (of: string, text: string): string =>
      `volume ${quoteGo(name)} (${of}): overlapping paths: ${text}`;
    const plain = (field: string, of: string): string[] =>
      overlaps([filesOf(objectAt(volume, field), "")]).map((text) => said(of, text));
    const projected = mutableAt(volume, "projected");
    return [
      ...plain(
        "configMap",
        `ConfigMap ${quoteGo(stringAt(objectAt(volume, "configMap"), "name"))}`,
      ),
      ...plain("secret", `Secret ${quoteGo(stringAt(objectAt(volume, "secret"), "secretName"))}`),
      ...plain("downwardAPI", "DownwardAPI"),
      ...(projected ? projectedWarnings(projected, name, said) : []),
    ];
  });
}

const filesOf = (source: JsonObject, label: string): FileFrom[] =>
  itemsAt(source, "items").map((item) => ({ path: stringAt(item, "path"), source: label }));

function projectedWarnings(
  projected: JsonObject,
  name: string,
  said: (of: string, text: string) => string,
): string[] {
  const sources = itemsAt(projected, "sources");
  const empty = sources
    .filter((source) => !Object.values(source).some(isSet))
    .map(() => `volume ${quoteGo(name)} (Projected) has no sources provided`);
  return [
    ...empty,
    ...overlaps(sources.map(projectedFiles)).map((text) => said("Projected", text)),
  ];
}

function projectedFiles(source: JsonObject): FileFrom[] {
  const configMap = objectAt(source, "configMap");
  if (hasItems(configMap["items"]))
    return filesOf(configMap, `ConfigMap ${quoteGo(stringAt(configMap, "name"))}`);
  const secret = objectAt(source, "secret");
  if (hasItems(secret["items"]))
    return filesOf(secret, `Secret ${quoteGo(stringAt(secret, "name"))}`);
  const downward = objectAt(source, "downwardAPI");
  if (hasItems(downward["items"])) return filesOf(downward, "DownwardAPI");
  const token = mutableAt(source, "serviceAccountToken");
  return token ? [{ path: stringAt(token, "path"), source: "ServiceAccountToken" }] : [];
}

function overlaps(groups: readonly (readonly FileFrom[])[]): string[] {
  const before: FileFrom[] = [];
  return groups.flat().flatMap(({ path, source }) => {
    const file = { path: path.replace(/\/+$/, ""), source };
    const found = file.path ? before.filter((other) => other.path && meets(file, other)) : [];
    before.push(file);
    return found.map((other) => `${print(file)} with ${print(other)}`);
  });
}

const meets = (a: FileFrom, b: FileFrom): boolean =>
  `${b.path}/`.startsWith(`${a.path}/`) || `${a.path}/`.startsWith(`${b.path}/`);
const print = ({ path, source }: FileFrom): string =>
  source ? `${quoteGo(path)} (${source})` : quoteGo(path);
