// Types of patches and apply configurations: what of an object a patch may name. No values.
import type { Kind, ObjectOf } from "../../api/kind.ts";

type Scalar = string | number | bigint | boolean | null | undefined;

/** What a merge patch may say of `T`: any part of it, null to remove; lists whole. */
export type MergeFields<T> = T extends Scalar | readonly unknown[]
  ? T
  : { readonly [P in keyof T]?: MergeFields<T[P]> | null };

/** As {@link MergeFields}, where the server merges lists by their keys; `$patch` and the others. */
export type StrategicFields<T> = T extends Scalar
  ? T
  : T extends readonly (infer E)[]
    ? readonly StrategicFields<E>[]
    : { readonly [P in keyof T]?: StrategicFields<T[P]> | null } & Directives;

/** Upstream: k8s.io/apimachinery/pkg/util/strategicpatch/patch.go. */
interface Directives {
  readonly $patch?: "delete" | "replace" | "merge";
  readonly $retainKeys?: readonly string[];
  readonly [order: `$setElementOrder/${string}`]: readonly unknown[];
  readonly [deletion: `$deleteFromPrimitiveList/${string}`]: readonly (string | number)[];
}

/** What an apply configuration may say of `T`: any part of it; list items in part. */
export type ApplyFields<T> = T extends Scalar
  ? T
  : T extends readonly (infer E)[]
    ? readonly ApplyFields<E>[]
    : { readonly [P in keyof T]?: ApplyFields<T[P]> };

/** Fields of a kind's objects, without what names them. */
export type Body<K extends Kind> = Omit<ObjectOf<K>, "apiVersion" | "kind">;

/** A place in an object; `T` is what is there. Exists for the compiler only. */
export type Place<T> = unknown extends T
  ? any
  : { readonly "~holds"?: T } & (T extends Scalar
      ? unknown
      : T extends readonly (infer E)[]
        ? { readonly [at: number]: Place<E> }
        : { readonly [P in keyof T]-?: unknown extends T[P] ? any : Place<NonNullable<T[P]>> });

/** Refuses the patch when the object is another one by then. */
export interface PatchPreconditions {
  readonly resourceVersion?: string;
  readonly uid?: string;
}
