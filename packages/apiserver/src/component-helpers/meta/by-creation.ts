// The order of objects by age.
import { compareBytewise } from "homeostat/api";
import type { ApiObject } from "./api-object.ts";

/** The older object first; names decide between objects created in the same second. */
export const byCreation = (
  { metadata: a }: Pick<ApiObject, "metadata">,
  { metadata: b }: Pick<ApiObject, "metadata">,
): number =>
  compareBytewise(a.creationTimestamp, b.creationTimestamp) || compareBytewise(a.name, b.name);
