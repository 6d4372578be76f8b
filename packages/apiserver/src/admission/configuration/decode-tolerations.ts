// Decodes tolerations that no codec has seen: those of annotations and configurations. Pure.
// Upstream: k8s.io/api/core/v1/types.go (Toleration).
import type { Decoded, JsonObject } from "homeostat/api";
import type { Toleration } from "homeostat/k8s/core/v1";
import { mismatch, readMembers } from "../go-members.ts";

/** Throws an Error with the message of Go's decoder. `at`: the path in that message. */
export const decodeTolerations = (
  items: readonly JsonObject[],
  at: string,
): readonly Decoded<Toleration>[] =>
  items.map((item) => {
    const read = readMembers(item, at);
    const text = (field: string, goType?: string): Record<string, string> => {
      const value = read.text(field, goType);
      return value ? { [field]: value } : {};
    };
    const seconds = item["tolerationSeconds"] ?? null;
    if (seconds !== null && typeof seconds !== "number" && typeof seconds !== "bigint")
      throw mismatch(seconds, `${at}.tolerationSeconds`, "int64");
    return {
      ...text("key"),
      ...text("operator", "v1.TolerationOperator"),
      ...text("value"),
      ...text("effect", "v1.TaintEffect"),
      ...(seconds === null ? {} : { tolerationSeconds: seconds }),
    } as Decoded<Toleration>;
  });
