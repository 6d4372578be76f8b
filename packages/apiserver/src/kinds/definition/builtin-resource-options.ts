// Options that all built-in kinds share.
import type { KindData } from "../../apimachinery/kind-data/kind-data.ts";
import type { SmdType } from "../../apimachinery/types/smd-type.ts";

/** Shared by all built-in kinds. */
export interface BuiltinResourceOptions {
  readonly data: KindData;
  readonly smdOf: (model: string) => SmdType;
}
