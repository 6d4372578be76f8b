// The record that a built-in kind is: what sets it apart from a plain object with a name.
// Everything common has a default, so that most kinds are a few lines; names, verbs and types come
// from the kind data.
// Knows nothing of how records become served resources (create-builtin-resource.ts).
// Upstream: k8s.io/kubernetes/pkg/registry/<group>/<kind>/strategy.go,
// pkg/apis/<group>/{v1/defaults.go,validation}.
import type { Json, JsonObject } from "homeostat/api";
import type { PrintInternal } from "../../registry/field-error.ts";
import type {
  ConnectCheck,
  ConnectHandler,
  ProxyHandler,
  ReviewHandler,
  ScaleView,
  ServedResource,
  Strategy,
} from "../../registry/served-resource.ts";

/** What a kind decides, where it differs from the defaults of strategy.ts. */
export type Rules = Partial<Strategy>;

/** Fields that selectors may use beyond metadata.name and metadata.namespace. */
export interface Selectable {
  readonly names: readonly string[];
  /** From a storage-version object. */
  extract(object: JsonObject): Readonly<Record<string, string>>;
  /** The key under which `extract` keeps a field of this version; the name itself when absent. */
  readonly factName?: (name: string) => string;
  /** What is said of other fields, where it is not `field label not supported: …`. */
  readonly unknownMessage?: (name: string) => string;
}

/** One built-in kind in one version. */
export interface BuiltinKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /**
   * Where the objects live, when another group or version owns the storage, e.g. `/events` in `v1`
   * for events.k8s.io.
   */
  readonly storage?: {
    readonly group: string;
    readonly version: string;
    readonly fromStorage: (stored: JsonObject, print: PrintInternal) => JsonObject;
    readonly toStorage: (object: JsonObject) => JsonObject;
  };
  /**
   * Upstream stores CustomResourceDefinitions and APIServices as JSON, which keeps empty lists; all
   * else as protobuf.
   */
  readonly stored?: "json" | "protobuf";
  /** SetDefaults functions, in place, on a decoded object. */
  readonly defaults?: (object: JsonObject, print: PrintInternal) => void;
  readonly rules?: Rules;
  /**
   * Subresources that are views on the object (`status`, `finalize`), with the rules in which they
   * differ from the main endpoint.
   */
  readonly views?: Readonly<Record<string, Rules>>;
  readonly scale?: ScaleView;
  /** Subresources with a life of their own (`token`, `eviction`). */
  readonly connect?: Readonly<Record<string, ConnectHandler>>;
  /** Refuses what is posted to these before the object is looked for. */
  readonly connectChecks?: Readonly<Record<string, ConnectCheck>>;
  /** SetDefaults functions for what is posted to these, in place. */
  readonly connectDefaults?: Readonly<Record<string, (body: JsonObject) => void>>;
  /** The `proxy` subresource. */
  readonly proxy?: ProxyHandler;
  readonly selectable?: Selectable;
  /**
   * The cells of one object of this version, for the columns that the kind data has. Kinds without
   * show name and creation time.
   */
  readonly cells?: (object: JsonObject, nowMs: number) => readonly Json[];
  /** See ServedResource. */
  readonly review?: (
    ...given: [...Parameters<ReviewHandler>, print: PrintInternal]
  ) => ReturnType<ReviewHandler>;
  /** See ServedResource. */
  readonly observed?: ServedResource["observed"];
  /** See ServedResource. */
  readonly createsThrough?: ServedResource["createsThrough"];
  /** Sent with every answer of a kind that is on its way out. */
  readonly deprecationWarning?: string;
  /** See TablePrinter. */
  readonly rowConditions?: (object: JsonObject) => readonly JsonObject[];
  /** See ServedResource. */
  readonly committed?: ServedResource["committed"];
}
