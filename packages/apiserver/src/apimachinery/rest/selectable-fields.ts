// The fields of a kind that field selectors may use.
// Upstream: k8s.io/apimachinery/pkg/runtime (FieldLabelConversionFunc),
// k8s.io/apiserver/pkg/storage (AttrFunc).
import type { JsonObject } from "homeostat/api";

/** Selectable fields of one object, beyond metadata.name and metadata.namespace. */
export interface SelectableFields {
  /** Field names in this version that a selector may use. */
  readonly names: readonly string[];
  /** `metadata.namespace` is selectable even if the kind is cluster-scoped. */
  readonly selectsNamespace: boolean;
  /** The attributes that the store indexes, from a storage-version object. */
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
