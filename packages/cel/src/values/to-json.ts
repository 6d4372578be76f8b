// CEL values as JSON.
// Upstream: github.com/google/cel-go v0.26 common/types (ConvertToNative to structpb.Value).
import { CelError } from "./cel-error.ts";
import { Double } from "./double.ts";
import { Duration } from "./duration.ts";
import { type Json, JsonList, JsonMap, type JsonObject } from "./json-values.ts";
import { CelList } from "./list.ts";
import { CelMap } from "./map.ts";
import { Timestamp } from "./timestamp.ts";
import { Uint } from "./uint.ts";
import { normalInt } from "./int.ts";
import { type CelValue, showValue, typeOfValue } from "./value.ts";

/**
 * A value as JSON. Adapted JSON comes back as the same object. Throws a CelError for values that
 * JSON cannot express.
 */
export function toJson(value: CelValue): Json {
  if (
    value === null ||
    typeof value === "string" ||
    typeof value === "boolean" ||
    typeof value === "number" ||
    typeof value === "bigint"
  )
    return value;
  if (value instanceof JsonMap || value instanceof JsonList) return value.value as Json;
  if (value instanceof Double && Number.isFinite(value.value)) return value.value;
  if (value instanceof Uint) return normalInt(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Timestamp || value instanceof Duration) return value.format();
  if (value instanceof CelList) return Array.from(value, toJson);
  if (value instanceof CelMap) return mapToJson(value);
  throw new CelError(
    `unsupported conversion of ${typeOfValue(value).name} to JSON: ${showValue(value)}`,
  );
}

function mapToJson(map: CelMap): JsonObject {
  return Object.fromEntries(map.keys().map((key) => [showValue(key), toJson(map.find(key)!)]));
}
