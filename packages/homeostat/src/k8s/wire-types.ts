// Types of Kubernetes that have a form of their own in JSON, and forms that many types share.
// Written by hand; the models of the groups refer to them. Upstream:
// k8s.io/apimachinery/pkg/apis/meta/v1 (Time, MicroTime, Duration, FieldsV1), pkg/api/resource
// (Quantity), pkg/util/intstr (IntOrString), pkg/runtime (RawExtension).

/** A time with seconds, RFC 3339 in UTC: `2026-11-22T13:57:35Z`. */
export type Time = string;

/** A time with six digits of a second: `2026-11-22T13:57:35.123456Z`. */
export type MicroTime = string;

/** A duration as Go prints it: `1h30m0s`. */
export type Duration = string;

/** A fixed-point number with a unit: `500m`, `1.5Gi`. */
export type Quantity = string;

/** A number, or a name or percentage: `8080`, `"http"`, `"25%"`. */
export type IntOrString = number | string;

/** Bytes in standard base64. */
export type Bytes = string;

/** Any JSON value, most often an object of a kind that this type does not know. */
export type RawExtension = unknown;

/** A set of fields: `{ "f:spec": { "f:replicas": {} } }`. */
export type FieldsV1 = Readonly<Record<string, unknown>>;

/** An item of a typed list: the API server leaves out apiVersion and kind of built-in kinds. */
export type ListItem<O extends { readonly apiVersion: string; readonly kind: string }> = Omit<
  O,
  "apiVersion" | "kind"
> &
  Partial<Pick<O, "apiVersion" | "kind">>;

/**
 * The conditions of built-in kinds, apart from what each kind adds. Most are older than meta/v1
 * Condition, which requires more fields.
 */
export interface KindCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: Time | null;
  readonly reason?: string;
  readonly message?: string;
}
