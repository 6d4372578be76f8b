// A remembered write in little memory: of its object, what comparisons read, as text. Thousands of
// objects may be remembered at a time, and hardly any of them is read again.
import type { JsonObject } from "../../api/json.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import { parseExact } from "../../api/parse-exact.ts";
import { encodeBody } from "../../client/request/encode-request.ts";
import type { CompletedWrite } from "../../client/client.ts";
import { managedFieldsOf, writtenFields } from "./written-fields.ts";

const decoder = new TextDecoder();

/** The same write; its object keeps the fields of `manager` and its revision, and loses the rest. */
export function compactWrite(write: CompletedWrite, manager: string): CompletedWrite {
  const { kind, key, object } = write;
  if (!object) return { kind, key, object };
  const whole = object as unknown as KubeObject;
  const { metadata: labels, ...fields } = writtenFields(whole, manager);
  const { name, resourceVersion } = whole.metadata;
  const managedFields = managedFieldsOf(whole, manager);
  const metadata = { ...(labels as JsonObject), name, resourceVersion, managedFields };
  const text = decoder.decode(encodeBody({ ...fields, metadata } as unknown as JsonObject));
  return {
    kind,
    key,
    get object() {
      return parseExact(text) as JsonObject;
    },
  };
}
