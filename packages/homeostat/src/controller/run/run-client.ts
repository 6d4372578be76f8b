// The client of one run. Nearly all runs only apply a status, so the derived client is made when
// something else is asked for.
import type { Kind, ObjectOf } from "../../api/kind.ts";
import type {
  ApplyOptions,
  Client,
  ClientScope,
  CompletedWrite,
  GetOptions,
  Key,
} from "../../client/client.ts";
import type { RunScope } from "./run-scope.ts";

/** Writes as the controller, records what it does, and aborts at the deadline. */
export class RunClient implements Pick<Client, "applyUnread" | "find"> {
  readonly #base: Client;
  readonly #scope: ClientScope;
  #derived: Client | undefined;

  constructor(base: Client, fieldManager: string, { deadline, record, requests }: RunScope) {
    this.#base = base;
    this.#scope = {
      fieldManager,
      signal: deadline,
      written: (write) => record.wrote(write),
      requested(answered) {
        record.asked(answered);
        requests?.add(answered);
      },
    };
  }

  get client(): Client {
    return (this.#derived ??= this.#base.with(this.#scope));
  }

  applyUnread<K extends Kind>(
    kind: K,
    manifest: Parameters<Client["applyUnread"]>[1],
    options?: ApplyOptions,
  ): Promise<CompletedWrite | undefined> {
    return this.#base.applyUnread(kind, manifest, { ...options, as: this.#scope });
  }

  find<K extends Kind>(kind: K, key: Key, options?: GetOptions): Promise<ObjectOf<K> | undefined> {
    return this.client.find(kind, key, options);
  }
}
