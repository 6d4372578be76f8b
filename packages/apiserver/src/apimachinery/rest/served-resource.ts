// The contract between the registry (how any resource is served) and the kinds (what one resource
// is). Built-in kinds and custom resources both become a ServedResource; the registry never asks
// which of the two it has.
// Upstream: k8s.io/apiserver/pkg/registry/rest (strategies), pkg/endpoints (handlers).
import type { GroupVersionKind, Json, JsonObject, ParsedJson } from "homeostat/api";
import type { PatchType } from "../types/patch-meta.ts";
import type { SmdType } from "../types/smd-type.ts";
import type { TokenIssuer } from "./token-issuer.ts";
import type { UserInfo } from "../handler.ts";
import type { FieldError } from "../errors/field-error.ts";

/** How an object is to be deleted. */
export interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly orphanDependents: boolean | undefined;
  readonly propagationPolicy: string | undefined;
  readonly dryRun: boolean;
}

/** How a write came about; strategies may depend on it. */
export interface WriteContext {
  readonly user: string;
  /** Groups, uid and more about `user`. */
  readonly caller?: UserInfo;
  readonly dryRun: boolean;
  readonly subresource: string;
  /** RFC 3339, second precision, e.g. `2026-11-21T10:00:00Z`: the time of this request. */
  readonly now: string;
  /** Collects `Warning: 299` texts; duplicates are sent once. */
  warn(text: string): void;
  /**
   * As `warn`, for what is sent even when the write is refused: rules broken in parts that did not
   * change.
   */
  readonly warnAnyway?: (text: string) => void;
  /**
   * Another stored object, of the namespace of the request where its kind has namespaces. Absent
   * where there is no store.
   */
  readonly find?: (
    kind: { readonly group: string; readonly resource: string },
    name: string,
  ) => JsonObject | undefined;
}

/** A body in this version, pruned and defaulted. */
export interface DecodeResult {
  readonly object: JsonObject;
  /**
   * What `fieldValidation` is about, in upstream's words and order: `duplicate field "spec.a"`,
   * `unknown field "spec.b"`.
   */
  readonly strictErrors: readonly string[];
}

/** Reads and writes one version of a kind. */
export interface VersionCodec {
  /**
   * Turns a parsed body of this very group, version and kind into an object: unknown fields pruned
   * (and reported), nulls and defaults treated as upstream does, metadata coerced. Throws an
   * ApiStatusError (400) for what cannot be decoded. May take over and mutate `body.value`.
   */
  decode(body: ParsedJson): DecodeResult;
  /**
   * A stored object as this version shows it; the argument may be taken over. Identity where
   * `storageIdentity`.
   */
  fromStorage(stored: JsonObject): JsonObject;
  /** This version's object in the storage version; the argument may be taken over. */
  toStorage(object: JsonObject): JsonObject;
  /**
   * True when stored bytes can be handed out as they are: one version, and neither pruning nor
   * defaults could change them.
   */
  readonly storageIdentity: boolean;
  /** The typed view that server-side apply and managedFields work on. */
  readonly smd: SmdType;
  /**
   * Where strategic merge patch finds its merge keys; absent for custom resources, which answer
   * 415.
   */
  readonly patchMeta?: PatchType;
  /**
   * An object of this version with nothing set, as the encoder writes it; `{apiVersion, kind}` when
   * absent.
   */
  readonly empty?: () => JsonObject;
  /**
   * JSON of an object of this version, where its members have an order of their own (Go structs);
   * bytewise when absent.
   */
  readonly encode?: (object: JsonObject) => string;
  /** The same for an object in the storage version. */
  readonly encodeStored?: (stored: JsonObject) => string;
  /**
   * Makes an object of what an apply has merged, where that is less than decoding: nulls that
   * validation is to refuse stay. May take over its argument.
   */
  readonly complete?: (merged: JsonObject) => JsonObject;
}

/**
 * What a kind decides about its own objects: built-ins see the storage version, custom resources
 * (`custom`) the version of the request. Every function may mutate the object that it is given
 * first.
 */
export interface Strategy<T extends object = JsonObject> {
  readonly allowCreateOnUpdate: boolean;
  /** PUT without resourceVersion is allowed (most built-ins) or 422 (custom resources, leases). */
  readonly allowUnconditionalUpdate: boolean;
  /**
   * Policy used when a delete names none: ReplicationControllers and Jobs orphan, all else is
   * background.
   */
  readonly defaultPropagation: "Background" | "Orphan";
  /** Warns of `defaultPropagation` whoever deletes without naming a policy. */
  readonly propagationWarning?: string;
  /** DELETE answers the object rather than a Status (Pod, Service, ServiceAccount, …). */
  readonly deleteReturnsObject: boolean;
  /**
   * Takes what the object needs from finite pools (cluster addresses, node ports) and enters it,
   * before anything else looks at the object. Throws an ApiStatusError when it cannot be had.
   */
  reserve?(object: T, old: T | undefined, context: WriteContext): Reservation;
  /** Sets and drops fields on create: generation, status, defaults that need the whole object. */
  prepareForCreate(object: T, context: WriteContext): void;
  /**
   * Sets and drops fields on update: keeps what this endpoint must not change, raises the
   * generation.
   */
  prepareForUpdate(object: T, old: T, context: WriteContext): void;
  /**
   * Validates a new object; collects every error. The registry has put the common metadata rules
   * (with `validateName`) in front of these.
   */
  validateCreate(object: T, context: WriteContext): readonly FieldError[];
  /**
   * Validates a change. The registry has put in front: the common metadata rules with the
   * path-segment rule for names, and twice the rules on metadata changes, as upstream has them. A
   * kind that validates the whole object again calls `validateObjectMeta` itself.
   */
  validateUpdate(object: T, old: T, context: WriteContext): readonly FieldError[];
  /** Rule for metadata.name beyond presence: messages of every breach. */
  readonly validateName: (name: string, prefixOnly: boolean) => readonly string[];
  /**
   * Warnings on a new object that has passed validation, in order. Pure. Upstream:
   * `WarningsOnCreate` of rest.RESTCreateStrategy.
   */
  warningsOnCreate(object: T, context: WriteContext): readonly string[];
  /** The same for a change. Upstream: `WarningsOnUpdate` of rest.RESTUpdateStrategy. */
  warningsOnUpdate(object: T, old: T, context: WriteContext): readonly string[];
  /** Paths (field-set form, `f:status`) that a write through this endpoint cannot own. */
  readonly resetFields: readonly (readonly string[])[];
  /**
   * Graceful deletion (pods): the grace period in seconds of a first delete, or undefined to delete
   * at once. `requested` is what the options ask for, if anything; never negative.
   */
  gracePeriod?(object: T, requested: number | undefined): number | undefined;
  /** For kinds whose deletion is held by more than metadata.finalizers. */
  readonly deletion?: DeletionRule<T>;
}

/** What a write has put aside until it is known how it ends. */
export interface Reservation {
  /** Called once the write has been committed or given up; what was committed is held by then. */
  release(): void;
}

/**
 * A deletion that other things than metadata.finalizers hold back, such as a namespace's
 * spec.finalizers. The first delete always marks.
 */
export interface DeletionRule<T extends object = JsonObject> {
  /** True while the object must stay although metadata.finalizers is empty. */
  holds(object: T): boolean;
  /**
   * Marks an object that is not being deleted yet: deletionTimestamp, phase, conditions. Replaces
   * the common marks.
   */
  mark(object: T, context: WriteContext): void;
  /**
   * True where the first delete leaves metadata.finalizers alone, whatever propagation it asks for.
   */
  readonly ignoresPropagation?: true;
}

/** Selectable fields of one object, beyond metadata.name and metadata.namespace. */
export interface SelectableFields {
  /** Field names in this version that a selector may use. */
  readonly names: readonly string[];
  /** Values for the store's facts, from a storage-version object. */
  extract(object: JsonObject): Readonly<Record<string, string>>;
  /**
   * The 400 message for a selector on an unknown field, e.g. `field label not supported: spec.x`.
   */
  unknownMessage(name: string): string;
  /**
   * The key under which `extract` keeps a field of this version (`regarding.name` is kept as
   * `involvedObject.name`); the name itself when absent.
   */
  readonly attributeName?: (name: string) => string;
}

/** One column of a Table. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

/** How a kind is shown as a Table. */
export interface TablePrinter {
  readonly columns: readonly TableColumn[];
  /** The cells of one object in this version. `nowMs` dates the ages. */
  cells(object: JsonObject, nowMs: number): readonly Json[];
  /** Conditions of the row, where a kind marks some of its objects. */
  readonly rowConditions?: (object: JsonObject) => readonly JsonObject[];
  /** Upstream answers `rows: null` for an empty list of kinds without a printer of their own. */
  readonly emptyRowsNull: boolean;
}

/** A subresource: another view on the same stored object, or something of its own. */
export type Subresource =
  | {
      readonly at: "view";
      readonly kind: GroupVersionKind;
      readonly verbs: readonly string[];
      readonly strategy: Strategy;
      readonly codec?: VersionCodec;
    }
  | {
      readonly at: "scale";
      readonly kind: GroupVersionKind;
      readonly verbs: readonly string[];
      readonly scale: ScaleView;
      readonly table?: TablePrinter;
    }
  | {
      readonly at: "connect";
      readonly kind: GroupVersionKind;
      readonly verbs: readonly string[];
      readonly handle: ConnectHandler;
      readonly precheck?: ConnectCheck;
      /** Reads the body; without one it is taken as it was parsed. */ readonly codec?: VersionCodec;
    }
  | {
      readonly at: "proxy";
      readonly kind: GroupVersionKind;
      readonly verbs: readonly string[];
      readonly handle: ProxyHandler;
    };

/** Reads and writes autoscaling/v1 Scale on a parent object. Throws ApiStatusError. */
export interface ScaleView<T extends object = JsonObject> {
  toScale(parent: T): JsonObject;
  /**
   * What a change starts from, where that differs: a custom resource without replicas can be
   * patched though it cannot be read.
   */
  toScaleForUpdate?(parent: T): JsonObject;
  /** Writes the replicas of a Scale into the parent, in place. */
  applyScale(parent: T, scale: JsonObject): void;
  /** Field-set path of replicas on the parent, e.g. ["f:spec", "f:replicas"]. */
  readonly replicasPath: readonly string[];
}

/**
 * What a handler may do beyond reading the parent; see connect-tools.ts. Kinds are looked up in the
 * parent's namespace.
 */
export interface ConnectTools {
  /** The first value of a query parameter. */
  query(field: string): string | undefined;
  /** A query parameter as a 64-bit integer. Throws 400 for what is none. */
  integer(field: string): number | undefined;
  /**
   * Changes the parent as the server itself: no rules, no owners of fields. `change` may be called
   * again and may throw to refuse.
   */
  overwrite(
    change: (object: JsonObject) => void,
    options: { readonly dryRun: boolean; readonly uid?: string },
  ): Promise<void>;
  /**
   * Changes the status of another object, in its storage version; the server becomes the owner of
   * what it changes.
   */
  overwriteOther(
    kind: { readonly group: string; readonly resource: string },
    name: string,
    change: (object: JsonObject) => void,
    options: { readonly dryRun: boolean },
  ): Promise<void>;
  /** Deletes the parent as a DELETE request would. */
  remove(options: DeleteOptions): Promise<void>;
  list(kind: { readonly group: string; readonly resource: string }): readonly JsonObject[];
  find(
    kind: { readonly group: string; readonly resource: string },
    name: string,
  ): JsonObject | undefined;
  /** Signs tokens of service accounts. */
  readonly tokens: TokenIssuer;
  newUid(): string;
}

/** An object, or plain text where upstream streams one. */
export type ConnectAnswer =
  | { readonly status: number; readonly object: JsonObject }
  | { readonly status: number; readonly text: string };

/**
 * A subresource with a life of its own (namespaces/finalize is a view; token is one of these).
 * Resolves to the object to answer.
 */
export type ConnectHandler = (
  parent: JsonObject,
  body: JsonObject,
  context: WriteContext,
  tools: ConnectTools,
) => Promise<ConnectAnswer>;

/**
 * What is wrong with a body for an object of this name, whether the object is there or not. Throws
 * an ApiStatusError.
 */
export type ConnectCheck = (
  body: JsonObject,
  place: { readonly name: string; readonly namespace: string },
) => void;

/**
 * Passes a request of any method, with any path below, on to what the name stands for: `name`,
 * `name:port` or `scheme:name:port`. Throws an ApiStatusError where there is nothing to reach.
 */
export type ProxyHandler = (requested: string, tools: ConnectTools) => Promise<ConnectAnswer>;

/** Who asks for a review, and where. */
export interface ReviewCaller {
  readonly user: UserInfo;
  readonly namespace: string;
  /** RFC 3339, second precision. */
  readonly now: string;
  /**
   * Who holds a token that is meant for one of these audiences (the server's own where there are
   * none), or why nobody does.
   */
  reviewToken(token: string, audiences: readonly string[]): TokenReviewResult;
}

/** What is known about a bearer token. */
export type TokenReviewResult =
  | { readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly error: string };

/**
 * Answers a question that is posted and never stored (access reviews, token reviews). May mutate
 * its argument. Throws an ApiStatusError.
 */
export type ReviewHandler = (
  object: JsonObject,
  caller: ReviewCaller,
) => JsonObject | Promise<JsonObject>;

/**
 * One resource as one group and version serve it. One object per definition: derived views and
 * field managers are kept by its identity.
 */
export interface ServedResource extends GroupVersionKind {
  readonly resource: string;
  readonly singular: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  /** Versions of one kind share storage: `group/resource` of the storage. */
  readonly storageKey: string;
  /** apiVersion under which objects are stored. */
  readonly storageVersion: string;
  readonly storageVersionHash: string;
  readonly custom: boolean;
  readonly codec: VersionCodec;
  readonly strategy: Strategy;
  readonly subresources: ReadonlyMap<string, Subresource>;
  readonly fields: SelectableFields;
  readonly table: TablePrinter;
  /** Bumped when the schema changes, so that derived views of older revisions are not reused. */
  readonly schemaEpoch: number;
  /** Sent with every answer of a deprecated version. */
  readonly deprecationWarning?: string;
  /** False while the definition is terminating: create answers 403. */
  readonly creatable: boolean;
  /** For resources that are questions: creating one answers it, and nothing is stored. */
  readonly review?: ReviewHandler;
  /**
   * For resources whose objects are told from the outside (`componentstatuses`): all there are now.
   * Nothing is stored.
   */
  readonly observed?: () => readonly JsonObject[];
  /**
   * For a resource that is another way to a subresource (`bindings`): creating one is a POST to
   * that of the object of the same name.
   */
  readonly createsThrough?: { readonly resource: string; readonly subresource: string };
  /**
   * Called after each commit; the definitions registry uses it to serve new kinds before the write
   * is answered.
   */
  readonly committed?: (object: JsonObject | null, old: JsonObject | null) => void | Promise<void>;
}

/**
 * All resources served now. Built-ins are there from the start; custom ones come and go with their
 * definitions.
 */
export interface ResourceCatalog {
  find(group: string, version: string, resource: string): ServedResource | undefined;
  /** In discovery order. */
  all(): readonly ServedResource[];
  /** Raised by every change; discovery and OpenAPI documents are cached by it. */
  readonly epoch: number;
}
