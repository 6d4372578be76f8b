// Reads the response of a list.
import type { JsonObject } from "../../api/json.ts";
import type { Kind } from "../../api/kind.ts";
import type { ObjectList } from "../client.ts";
import { readable } from "../readable.ts";

/** Adds apiVersion and kind to items, which servers omit for built-in kinds. */
export function toObjectList<O>(
  kind: Kind<O>,
  answer: {
    readonly metadata?: {
      readonly resourceVersion?: string;
      readonly continue?: string;
      readonly remainingItemCount?: number;
    };
    readonly items?: readonly JsonObject[] | null;
  },
): ObjectList<any> {
  const { resourceVersion = "", continue: token, remainingItemCount } = answer.metadata ?? {};
  const items = (answer.items ?? []).map((item) =>
    readable(
      kind,
      item["kind"] === undefined ? { apiVersion: kind.apiVersion, kind: kind.kind, ...item } : item,
    ),
  );
  return {
    items,
    resourceVersion,
    ...(token ? { continue: token } : {}),
    ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
  };
}
