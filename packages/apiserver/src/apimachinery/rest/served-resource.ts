// The contract between the registry (how any resource is served) and the kinds (what one resource
// is). Built-in kinds and custom resources both become a ServedResource; the registry asks what a
// resource can do, never which of the two it is.
// Upstream: k8s.io/apiserver/pkg/registry/rest/rest.go (Storage), pkg/endpoints/installer.go.
import type { GroupVersionKind, JsonObject, ResourceNames } from "homeostat/api";
import type { OpenApiSource, ResourceTraits } from "./resource-traits.ts";
import type { ReviewHandler } from "./review.ts";
import type { SelectableFields } from "./selectable-fields.ts";
import type { Strategy } from "./strategy.ts";
import type { Subresource } from "./subresource.ts";
import type { TablePrinter } from "./table-printer.ts";
import type { VersionCodec } from "./version-codec.ts";

/**
 * One resource as one group and version serve it. One object per definition: representations and
 * field managers are cached by its identity.
 */
export interface ServedResource extends GroupVersionKind, ResourceNames, ResourceTraits {
  readonly resource: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  /** Versions of one kind share storage: `group/resource` of the storage. */
  readonly storageKey: string;
  /**
   * All versions of a custom resource in the order of its definition, those that are not served
   * included.
   */
  readonly definedVersions?: () => readonly ServedResource[];
  /** apiVersion under which objects are stored. */
  readonly storageVersion: string;
  readonly storageVersionHash: string;
  /** The path in etcd below `/registry/`, which some messages of upstream contain. */
  readonly etcdPrefix: string;
  readonly codec: VersionCodec;
  readonly strategy: Strategy;
  /** In discovery order. */
  readonly subresources: ReadonlyMap<string, Subresource>;
  readonly fields: SelectableFields;
  readonly table: TablePrinter;
  /** An object as JSON of upstream's internal type; absent for custom resources. */
  readonly printInternal?: (object: JsonObject) => string;
  readonly openapi: OpenApiSource;
  /**
   * Bumped when the schema changes, so that cached representations of older revisions are not
   * reused.
   */
  readonly schemaEpoch: number;
  /** Sent with every response of a deprecated version. */
  readonly deprecationWarning?: string;
  /** False while the definition is terminating: create answers 403. */
  readonly creatable: boolean;
  /** For reviews: creating one answers it, and nothing is stored. */
  readonly review?: ReviewHandler;
  /**
   * For resources whose objects are observed and not stored (`componentstatuses`): all current
   * objects.
   */
  readonly observed?: () => readonly JsonObject[];
  /**
   * Adds, in place, what upstream's conversion adds to an object with nothing set, whose internal
   * type has values where the version has pointers.
   */
  readonly convertUnset?: (object: JsonObject) => void;
  /**
   * Metadata as upstream's internal type has it, and PartialObjectMetadata shows it, where that
   * differs from the version's; its argument is not mutated.
   */
  readonly internalMetadata?: (metadata: JsonObject) => JsonObject;
  /**
   * `undefaulted`: upstream stores a new object without what it sets as defaults when it reads it
   * again, so that an update that changes nothing writes them.
   */
  readonly createdAs?: "undefaulted";
  /** `none`: upstream lists it from etcd alone, and pages lists of any revision too. */
  readonly watchCache?: "none";
  /**
   * For a resource that is another path to a subresource (`bindings`): a create is a POST to this
   * subresource of the object of the same name.
   */
  readonly createsThrough?: { readonly resource: string; readonly subresource: string };
  /**
   * Called after each commit; the definitions registry uses it to serve new kinds before the write
   * is answered.
   */
  readonly committed?: (object: JsonObject | null, old: JsonObject | null) => void | Promise<void>;
}
