// The rim of the kind data: finds and reads the file of one Kubernetes minor. Everything else about
// it is pure (kind-data.ts). The files lie in the package's data folder, which is equally far from
// the sources and from the compiled output.

import { readFileSync } from "node:fs";
import { type Descriptions, openDescriptions } from "./descriptions.ts";
import { type KindData } from "./kind-data.ts";
import { openKindData } from "./open-kind-data.ts";

/** Minors whose data ship with the package. */
export type KubernetesMinor = "1.36";

/**
 * Reads and opens the data of one minor; the caller keeps the result, for every call reads the file
 * anew. `enabledGroups` are those behind feature gates that the server serves.
 */
export const readKindData = (
  minor: KubernetesMinor,
  enabledGroups?: ReadonlySet<string>,
): KindData =>
  openKindData(
    readData(`v${minor}.jsonl`),
    () => readData(`v${minor}-layout.jsonl`),
    enabledGroups,
  );

/** The descriptions of one minor; the caller keeps them. */
export const readDescriptions = (minor: KubernetesMinor): Descriptions =>
  openDescriptions(readData(`v${minor}-descriptions.jsonl`));

const readData = (file: string): string =>
  readFileSync(new URL(`../../../data/${file}`, import.meta.url), "utf8");

/**
 * The objects that a server of this minor makes by itself, one JSON text each, as they are stored
 * but for uids, revisions and times.
 */
export const readBootstrapObjects = (minor: KubernetesMinor): readonly string[] =>
  readData(`v${minor}-bootstrap.jsonl`).trimEnd().split("\n").slice(1);
