// The rim of the kind data: finds and reads the file of one Kubernetes minor. Everything else about it is pure (kind-data.ts).

import { readFileSync } from "node:fs";
import { openKindData, type KindData } from "./kind-data.ts";

/** Minors whose data ship with the package. */
export type KubernetesMinor = "1.36";

/** Reads and opens the data of one minor; the caller keeps the result, for every call reads the file anew. */
export const readKindData = (minor: KubernetesMinor): KindData =>
  openKindData(readFileSync(new URL(`v${minor}.jsonl`, import.meta.url), "utf8"));
