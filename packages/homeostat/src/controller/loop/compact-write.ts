// A remembered write in little memory: its object as text. Thousands of objects may be remembered
// at a time, and hardly any of them is read again.
import type { JsonObject } from "../../api/json.ts";
import { parseExact } from "../../api/parse-exact.ts";
import { toBuffer } from "../../api/scan-json.ts";
import type { CompletedWrite } from "../../client/client.ts";
import { writtenRevision } from "../../client/completed-write.ts";
import { encodeBody } from "../../client/request/encode-request.ts";

/** Finds the text of a written object that is kept elsewhere, to share it. */
export type FindText = (write: CompletedWrite) => string | undefined;

/** The same write; each read of its object parses it. */
export function compactWrite(write: CompletedWrite, find?: FindText): CompletedWrite {
  const { kind, key } = write;
  const resourceVersion = writtenRevision(write);
  if (resourceVersion === undefined) return write;
  const text = find?.(write) ?? toBuffer(write.bytes ?? encodeBody(write.object!)).toString("utf8");
  return {
    kind,
    key,
    resourceVersion,
    get object() {
      return parseExact(text) as JsonObject;
    },
  };
}
