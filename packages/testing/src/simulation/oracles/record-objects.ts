// Follows all objects of a server from one revision on, without a client: what is there at the end
// and was not at the beginning, whoever made it.
import type { Exchange, JsonObject, Transport } from "homeostat/api";
import { describeTarget } from "../wire/read-request.ts";
import type { ListedKind } from "./discover-kinds.ts";

interface Frame {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: JsonObject;
}

interface RecordedMeta {
  readonly uid: string;
  readonly name: string;
  readonly namespace?: string;
}

/** What is recorded. */
export interface RecordOptions {
  readonly kinds: readonly ListedKind[];
  /** From when on. */
  readonly resourceVersion: string;
  /** `MODIFIED Box shop/a`. */
  changed(what: string): void;
}

/** Objects that have changed, as they are now. */
export class ObjectRecord {
  /** By uid, in order of their first change. */
  readonly #objects = new Map<string, JsonObject>();
  readonly #targets = new Map<string, string>();
  readonly #watches: Exchange[];
  readonly #changed: (what: string) => void;
  /** As they were at the end, in order. */
  readonly deleted: JsonObject[] = [];

  /** Watches these kinds from `resourceVersion` on; `changed` is called after each change. */
  constructor(transport: Transport, { kinds, resourceVersion, changed }: RecordOptions) {
    this.#changed = changed;
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
      const { uid, namespace = "", name } = object["metadata"] as unknown as RecordedMeta;
      const recorded = { ...object, apiVersion, kind };
      const target = describeTarget({ resource, subresource: "", namespace, name });
      if (type === "DELETED") {
        this.#objects.delete(uid);
        this.#targets.delete(uid);
        this.deleted.push(recorded);
      } else {
        this.#objects.set(uid, recorded);
        this.#targets.set(uid, target);
      }
      this.#changed(`${type} ${kind} ${namespace === "" ? name : `${namespace}/${name}`}`);
    }
  }
}
