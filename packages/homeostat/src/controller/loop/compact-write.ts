// A remembered write in little memory: its object as text. Thousands of objects may be remembered
// at a time, and hardly any of them is read again.
import type { JsonObject } from "../../api/json.ts";
import { parseExact } from "../../api/parse-exact.ts";
import type { CompletedWrite } from "../../client/client.ts";
import { encodeBody } from "../../client/request/encode-request.ts";

const decoder = new TextDecoder();

/** The same write; each read of its object parses it. */
export function compactWrite(write: CompletedWrite): CompletedWrite {
  const { kind, key, object, bytes } = write;
  if (!object) return write;
  const text = decoder.decode(bytes ?? encodeBody(object));
  return {
    kind,
    key,
    get object() {
      return parseExact(text) as JsonObject;
    },
  };
}
