// Warnings on files of one volume whose paths overlap.
// Upstream: k8s.io/kubernetes/pkg/api/pod/warnings.go (warningsForOverlappingVirtualPaths).
import type { Decoded } from "homeostat/api";
import type { ProjectedVolumeSource, Volume, VolumeProjection } from "homeostat/k8s/core/v1";
import { quoteGo } from "../../../../apimachinery/errors/field-error.ts";
import { isSet } from "../../../../apimachinery/meta/read-fields.ts";

interface VolumeFile {
  readonly path: string;
  readonly source: string;
}

/** Warnings on all volumes of a spec. */
export function volumeOverlapWarnings(volumes: readonly Decoded<Volume>[]): string[] {
  return volumes.flatMap((volume) => {
    const name = volume.name ?? "";
    const warning = (of: string, text: string): string =>
      `volume ${quoteGo(name)} (${of}): overlapping paths: ${text}`;
    const { configMap, downwardAPI, projected, secret } = volume;
    const plain = (source: FileSource | null | undefined, of: string): string[] =>
      overlaps([filesOf(source, "")]).map((text) => warning(of, text));
    return [
      ...plain(configMap, `ConfigMap ${quoteGo(configMap?.name ?? "")}`),
      ...plain(secret, `Secret ${quoteGo(secret?.secretName ?? "")}`),
      ...plain(downwardAPI, "DownwardAPI"),
      ...(projected ? projectedWarnings(projected, name, warning) : []),
    ];
  });
}

interface FileSource {
  readonly items?: readonly { readonly path?: string | null }[] | null;
}

const filesOf = (source: FileSource | null | undefined, label: string): VolumeFile[] =>
  (source?.items ?? []).map((item) => ({ path: item.path ?? "", source: label }));

function projectedWarnings(
  projected: Decoded<ProjectedVolumeSource>,
  name: string,
  warning: (of: string, text: string) => string,
): string[] {
  const sources = projected.sources ?? [];
  const empty = sources
    .filter((source) => !Object.values(source).some(isSet))
    .map(() => `volume ${quoteGo(name)} (Projected) has no sources provided`);
  return [
    ...empty,
    ...overlaps(sources.map(projectedFiles)).map((text) => warning("Projected", text)),
  ];
}

function projectedFiles(source: Decoded<VolumeProjection>): VolumeFile[] {
  const { configMap, downwardAPI, secret, serviceAccountToken: token } = source;
  if (configMap?.items?.length)
    return filesOf(configMap, `ConfigMap ${quoteGo(configMap.name ?? "")}`);
  if (secret?.items?.length) return filesOf(secret, `Secret ${quoteGo(secret.name ?? "")}`);
  if (downwardAPI?.items?.length) return filesOf(downwardAPI, "DownwardAPI");
  return token ? [{ path: token.path ?? "", source: "ServiceAccountToken" }] : [];
}

function overlaps(groups: readonly (readonly VolumeFile[])[]): string[] {
  const before: VolumeFile[] = [];
  return groups.flat().flatMap(({ path, source }) => {
    const file = { path: path.replace(/\/+$/, ""), source };
    const found = file.path ? before.filter((other) => other.path && overlap(file, other)) : [];
    before.push(file);
    return found.map((other) => `${print(file)} with ${print(other)}`);
  });
}

const overlap = (a: VolumeFile, b: VolumeFile): boolean =>
  `${b.path}/`.startsWith(`${a.path}/`) || `${a.path}/`.startsWith(`${b.path}/`);
const print = ({ path, source }: VolumeFile): string =>
  source ? `${quoteGo(path)} (${source})` : quoteGo(path);
