// The definition of a built-in kind: how it differs from a plain object with a name. Every member
// has a default, so that most kinds are a few lines; names, verbs and types come from the kind
// data.
// create-builtin-resource.ts turns a definition into a served resource.
// Upstream: k8s.io/kubernetes/pkg/registry/<group>/<kind>/strategy.go,
// pkg/apis/<group>/{v1/defaults.go,validation}.
import type { CellAges } from "../../apimachinery/rest/table-printer.ts";
import { type GroupVersionKind, type Json, type JsonObject, parseApiVersion } from "homeostat/api";
import type { PrintInternal } from "../../apimachinery/errors/field-error.ts";
import type { InternalConversions } from "../printers/print-internal.ts";
import type {
  ConnectCheck,
  ConnectCompletion,
  ConnectHandler,
  ProxyHandler,
} from "../../apimachinery/rest/connecter.ts";
import type { ReviewHandler } from "../../apimachinery/rest/review.ts";
import type { ScaleConverter } from "../../apimachinery/rest/scale-converter.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { Strategy } from "../../apimachinery/rest/strategy.ts";

/** The part of a strategy in which a kind differs from {@link defaultStrategy}. */
export type StrategyOverrides<T extends object = JsonObject> = Partial<Strategy<T>>;

/** Called with each committed write. See ServedResource. */
export type CommittedHook = NonNullable<ServedResource["committed"]>;

/** Fields that selectors may use beyond metadata.name and metadata.namespace. */
export interface SelectableFieldsDefinition<T extends object = JsonObject> {
  readonly names: readonly string[];
  /** The values of one object of the storage version. */
  extract(object: T): Readonly<Record<string, string>>;
  /** The key under which `extract` returns a field of this version; default: the name itself. */
  readonly attributeName?: (name: string) => string;
  /** The message for other fields; default: `field label not supported: …`. */
  readonly unknownMessage?: (name: string) => string;
}

/**
 * One built-in kind in one version. `T` is the decoded object of that version, e.g.
 * `Decoded<Deployment>`; functions mutate their first argument only where their comment says so.
 */
export interface KindDefinition<T extends object = JsonObject> extends GroupVersionKind {
  /**
   * Where the objects are stored when another group or version owns the storage, e.g. `/events` in
   * `v1` for events.k8s.io.
   */
  readonly storage?: {
    readonly group: string;
    readonly version: string;
    readonly fromStorage: (stored: JsonObject, print: PrintInternal) => JsonObject;
    readonly toStorage: (object: JsonObject) => JsonObject;
  };
  /**
   * Upstream stores CustomResourceDefinitions and APIServices as JSON, which keeps empty lists; all
   * other kinds as protobuf, which does not.
   */
  readonly stored?: "json" | "protobuf";
  /**
   * The path below `/registry/` in etcd, which some messages contain. Default: the plural.
   * Upstream: `SpecialDefaultResourcePrefixes` in
   * k8s.io/kubernetes/pkg/kubeapiserver/default_storage_factory_builder.go; the prefixes of
   * apiextensions-apiserver and kube-aggregator contain the group.
   */
  readonly etcdPrefix?: string;
  /**
   * A DELETE returns the object and not a Status. Upstream: `ReturnDeletedObject` in
   * k8s.io/kubernetes/pkg/registry/<group>/<kind>/storage/storage.go; behind a wrapper of the store
   * (namespace/storage) upstream's OpenAPI builder does not see it: `undocumented`.
   */
  readonly returnsDeletedObject?: true | "undocumented";
  /** Upstream's SetDefaults functions; mutates the decoded object. */
  defaults?(object: T, print: PrintInternal): void;
  /** Those of `defaults` that follow from what admission may have added; see VersionCodec. */
  readonly redefault?: (object: T) => void;
  readonly strategy?: StrategyOverrides<T>;
  /**
   * Subresources that read and write the object itself (`status`, `finalize`), each with the part
   * of its strategy that differs from the main endpoint's. Without `warningsOnUpdate` of its own, a
   * subresource does not warn.
   */
  readonly subresources?: Readonly<Record<string, StrategyOverrides<T>>>;
  /** Those of `subresources` whose storage upstream gives no TableConvertor. */
  readonly withoutTables?: readonly string[];
  readonly scale?: ScaleConverter<T>;
  /** Subresources that are not part of the object (`token`, `eviction`). */
  readonly connect?: Readonly<Record<string, ConnectHandler>>;
  /** Validates the body of these before the object is looked up. */
  readonly connectChecks?: Readonly<Record<string, ConnectCheck>>;
  /** Completes the body of these once the object is found. */
  readonly connectCompletions?: Readonly<Record<string, ConnectCompletion>>;
  /** SetDefaults functions for the bodies of these; they mutate the body. */
  readonly connectDefaults?: Readonly<Record<string, (body: JsonObject) => void>>;
  /**
   * Other apiVersions in which the bodies of these may come. Upstream: `AcceptsGroupVersion` of
   * rest.GroupVersionAcceptor.
   */
  readonly connectAccepts?: Readonly<Record<string, readonly string[]>>;
  /** The `proxy` subresource. */
  readonly proxy?: ProxyHandler;
  readonly selectable?: SelectableFieldsDefinition<T>;
  /**
   * The cells of one object of this version, for the columns of the kind data. Default: name and
   * creation time.
   */
  cells?(object: T, ages: CellAges): readonly Json[];
  /** See ServedResource. */
  readonly review?: (
    ...given: [...Parameters<ReviewHandler>, print: PrintInternal]
  ) => ReturnType<ReviewHandler>;
  /** See ServedResource. */
  readonly observed?: ServedResource["observed"];
  /**
   * See ServedResource. Upstream: `DefaultWatchCacheSizes` in
   * k8s.io/kubernetes/pkg/kubeapiserver/default_storage_factory_builder.go.
   */
  readonly watchCache?: ServedResource["watchCache"];
  /** See ServedResource. */
  readonly internalMetadata?: ServedResource["internalMetadata"];
  /** See ServedResource. */
  readonly createdAs?: ServedResource["createdAs"];
  /** See ServedResource. */
  readonly convertUnset?: ServedResource["convertUnset"];
  /** See ServedResource. */
  readonly createsThrough?: ServedResource["createsThrough"];
  /** Sent with every response of a deprecated kind. */
  readonly deprecationWarning?: string;
  /** See TablePrinter. */
  rowConditions?(object: T): readonly JsonObject[];
  readonly committed?: CommittedHook;
  /** For the errors of all kinds, whose objects may hold parts of this one. */
  readonly conversions?: InternalConversions;
}

/** A definition of any kind, as lists of definitions hold it. */
// oxlint-disable-next-line typescript/no-explicit-any -- T of each definition is its own
export type AnyKindDefinition = KindDefinition<any>;

/** Group, version and kind of a definition, e.g. `gvk("apps/v1", "Deployment")`. */
export const gvk = (apiVersion: string, kind: string): GroupVersionKind => ({
  ...parseApiVersion(apiVersion)!,
  kind,
});
