// Follows all objects of a server from one revision on, without a client: what is there at the end
// and was not at the beginning, whoever made it.
import type { Exchange, JsonObject, Transport } from "homeostat/api";
import type { ListedKind } from "./discover-kinds.ts";

interface Frame {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: JsonObject;
}

/** Objects that have changed, as they are now. */
export class ObjectRecord {
  /** By uid, in order of their first change. */
  readonly #objects = new Map<string, JsonObject>();
  readonly #watches: Exchange[];

  /** Watches these kinds from `resourceVersion` on. */
  constructor(transport: Transport, kinds: readonly ListedKind[], resourceVersion: string) {
    this.#watches = kinds.map((kind) =>
      transport.send(
        {
          method: "GET",
          path: `${kind.path}?watch=true&resourceVersion=${resourceVersion}`,
          headers: { accept: "application/json" },
        },
        {
          head: () => {},
          data: (chunk) => {
            this.#take(chunk, kind);
            return true;
          },
          end: () => {},
          fail: () => {},
        },
      ),
    );
  }

  get objects(): readonly JsonObject[] {
    return [...this.#objects.values()];
  }

  close(): void {
    for (const watch of this.#watches) watch.abort();
  }

  #take(chunk: Uint8Array, { apiVersion, kind }: ListedKind): void {
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString();
    for (const line of text.split("\n")) {
      if (line === "") continue;
      const { type, object } = JSON.parse(line) as Frame;
      if (type === "BOOKMARK" || type === "ERROR") continue;
      const { uid } = object["metadata"] as unknown as { readonly uid: string };
      if (type === "DELETED") this.#objects.delete(uid);
      else this.#objects.set(uid, { ...object, apiVersion, kind });
    }
  }
}
