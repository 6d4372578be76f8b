// The stored objects of a resource, as post-start hooks read and follow them: directly in the
// store.
// Upstream: the informers of the loopback client (k8s.io/client-go/informers).
import type { Decoded } from "homeostat/api";
import type { ServedResource } from "../apimachinery/rest/served-resource.ts";
import { followRevisions, watchRevisions } from "../registry/revisions/follow-revisions.ts";
import {
  splitStorageKey,
  storageKeyOf,
  storagePrefixOf,
} from "../registry/revisions/storage-key.ts";
import { parseStored } from "../registry/revisions/stored-json.ts";
import type { CoreServices } from "../registry/scope/core-services.ts";
import type { Revision } from "../storage/store.ts";

/** A revision of a stored object, with the object's name. */
export interface NamedRevision {
  readonly namespace: string;
  readonly name: string;
  readonly revision: Revision;
}

/** A resource of version v1, with objects of type `O`. Without objects if it is not served. */
export class StoredResource<O> {
  readonly served: ServedResource | undefined;
  readonly #core: CoreServices;

  constructor(core: CoreServices, group: string, resource: string) {
    this.#core = core;
    this.served = core.catalog.find(group, "v1", resource);
  }

  /** The newest revision of an object. */
  latest(namespace: string, name: string): Revision | undefined {
    return this.served && this.#core.store.latest(storageKeyOf(this.served, namespace, name));
  }

  /** A copy of the object. */
  find(namespace: string, name: string): Decoded<O> | undefined {
    const revision = this.latest(namespace, name);
    return revision && this.decode(revision);
  }

  /** The revisions of a namespace. */
  list(namespace: string): readonly Revision[] {
    const listing = this.served && this.#core.store.list(storagePrefixOf(this.served, namespace));
    return typeof listing === "object" ? [...listing.items] : [];
  }

  /** A copy of the object at a revision. */
  decode({ bytes }: Revision): Decoded<O> {
    return parseStored(bytes) as Decoded<O>;
  }

  /** Calls `each` for every stored object, then for every change. Returns a function that stops. */
  follow(each: (revision: NamedRevision) => void): () => void {
    return this.#start(followRevisions, each, "");
  }

  /** Calls `each` for every change from now on, of one namespace if given. */
  watch(each: (revision: NamedRevision) => void, namespace = ""): () => void {
    return this.#start(watchRevisions, each, namespace);
  }

  #start(
    start: typeof watchRevisions,
    each: (revision: NamedRevision) => void,
    namespace: string,
  ): () => void {
    if (!this.served) return () => {};
    return start(this.#core.store, storagePrefixOf(this.served, namespace), (revision) =>
      each({ ...splitStorageKey(revision.key), revision }),
    );
  }
}
