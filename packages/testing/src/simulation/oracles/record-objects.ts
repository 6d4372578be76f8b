// Follows all objects of a server from one revision on, without a client: what is there at the end
// and was not at the beginning, whoever made it.
import type { Exchange, JsonObject, Transport } from "homeostat/api";
import { describeTarget } from "../wire/read-request.ts";
import type { ListedKind } from "./discover-kinds.ts";

interface Frame {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: JsonObject;
}

interface Meta {
  readonly uid: string;
  readonly namespace?: string;
  readonly name: string;
}

/** Objects that have changed, as they are now. */
export class ObjectRecord {
  /** By uid, in order of their first change. */
  readonly #objects = new Map<string, JsonObject>();
  readonly #targets = new Map<string, string>();
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

  /** How requests address them: `orders shop/a`. */
  get targets(): ReadonlySet<string> {
    return new Set(this.#targets.values());
  }

  close(): void {
    for (const watch of this.#watches) watch.abort();
  }

  #take(chunk: Uint8Array, { apiVersion, kind, resource }: ListedKind): void {
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString();
    for (const line of text.split("\n")) {
      if (line === "") continue;
      const { type, object } = JSON.parse(line) as Frame;
      if (type === "BOOKMARK" || type === "ERROR") continue;
      const { uid, namespace = "", name } = object["metadata"] as unknown as Meta;
      if (type === "DELETED") {
        this.#objects.delete(uid);
        this.#targets.delete(uid);
      } else {
        this.#objects.set(uid, { ...object, apiVersion, kind });
        this.#targets.set(uid, describeTarget({ resource, subresource: "", namespace, name }));
      }
    }
  }
}
