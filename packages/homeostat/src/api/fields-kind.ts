// A kind of which only some fields are cached: the others are dropped as objects arrive, and the
// types of what is read have no other field.
import { describeValue } from "../util/describe-error.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import { assertKind } from "./check-kind.ts";
import { isObject, type JsonObject } from "./json.ts";
import type { Kind, ObjectOf } from "./kind.ts";
import { isMetadataKind, type MetadataObject } from "./metadata-kind.ts";

/** A kind whose cached objects have their metadata and these fields only. It cannot be written. */
export interface FieldsKind<O = any> extends Kind<O, never, never, never> {
  readonly fields: readonly string[];
}

/** The fields that a path can name; lists are taken whole, and so is metadata, always. */
type FieldNames<O> = O extends readonly unknown[] | string | number | boolean | null
  ? never
  : keyof O & string;

/** What the compiler prints for a path that is none. */
interface NoField<Expected> {
  readonly "ERR_FIELDS_PATH: expected one of": Expected;
}

/** `P` where it is the path of a field, otherwise the fields that are possible in its place. */
type FieldPath<O, P, Left = P, Before extends string = ""> = 0 extends 1 & O
  ? P
  : Left extends `${infer Head}.${infer Rest}`
    ? Head extends FieldNames<O>
      ? FieldPath<NonNullable<O[Head]>, P, Rest, `${Before}${Head}.`>
      : NoField<`${Before}${FieldNames<O>}`>
    : Left extends FieldNames<O>
      ? P
      : NoField<`${Before}${FieldNames<O>}`>;

type RootNames = keyof MetadataObject;

/** What is below `Head` in paths that begin with it. */
type Below<P, Head extends string> = P extends `${Head}.${infer Rest}` ? Rest : never;

type HeadOf<P> = P extends `${infer Head}.${string}` ? Head : P;

/** Only the fields at the paths `P`. */
type Taken<O, P extends string> = O extends object
  ? {
      [F in keyof O as F extends HeadOf<P> ? F : never]: F extends P
        ? O[F]
        : Taken<O[F], Below<P, F & string>>;
    }
  : O;

/** An object with its metadata and the fields at the paths `P`. */
export type FieldsObject<O, P extends string> = MetadataObject & Taken<O, P>;

/**
 * A kind with some of its fields, for references, watches and indexes: `watches: { pods:
 * all(fieldsOf(Pod, "spec.nodeName", "status.phase")) }`. Metadata is always there; reads have no
 * other field, by their types too. Lists are taken whole. Its cache is separate from that of whole
 * objects, and from those of other fields. @throws ERR_KIND_ARGUMENT, ERR_FIELDS_PATH
 */
export function fieldsOf<K extends Kind, const P extends readonly string[]>(
  kind: K,
  ...paths: P & { readonly [I in keyof P]: FieldPath<Omit<ObjectOf<K>, RootNames>, P[I]> }
): FieldsKind<FieldsObject<ObjectOf<K>, P[number]>> {
  assertKind(kind, "taking fields of a kind");
  checkPaths(kind, paths);
  const { apiVersion, resource, scope } = kind;
  const { definition } = kind as { readonly definition?: object };
  const fields = [...new Set<string>(paths)].toSorted();
  return {
    apiVersion,
    kind: kind.kind,
    resource,
    scope,
    ...(definition ? { definition } : {}),
    fields,
  } as never;
}

const segment = /^[^.]+$/;

function checkPaths(kind: Kind, paths: readonly unknown[]): void {
  const isPath = (path: unknown): boolean =>
    typeof path === "string" &&
    path.split(".").every((one) => segment.test(one)) &&
    !["apiVersion", "kind", "metadata"].includes(path.split(".")[0]!);
  const wrong = paths.length === 0 ? ["no path"] : paths.filter((path) => !isPath(path));
  if (wrong.length === 0) return;
  throw new HomeostatError(
    "ERR_FIELDS_PATH",
    `taking fields of ${kind.kind}: expected paths such as "spec.replicas", got ${wrong.map((one) => (paths.length === 0 ? one : describeValue(one))).join(", ")}`,
    { hint: "name fields below spec, status or data; metadata is always there" },
  );
}

export function isFieldsKind(kind: Kind): kind is FieldsKind {
  return Array.isArray((kind as Partial<FieldsKind>).fields);
}

/** Equal for kinds whose cached objects have the same fields; "" for whole objects. */
export function viewId(kind: Kind): string {
  if (isMetadataKind(kind)) return "metadata";
  return isFieldsKind(kind) ? kind.fields.join(" ") : "";
}

/** True when cached objects of the kind have the field at `path`, where the object has it. */
export function hasField(kind: Kind, path: string): boolean {
  const isWithin = (parent: string): boolean => path === parent || path.startsWith(`${parent}.`);
  if (["metadata", "apiVersion", "kind"].some(isWithin)) return true;
  if (isMetadataKind(kind)) return false;
  return !isFieldsKind(kind) || kind.fields.some(isWithin);
}

/** A copy of an object with its metadata and these fields; what it shares must not be changed. */
export function takeFields(object: JsonObject, fields: readonly string[]): JsonObject {
  const taken: JsonObject = {};
  for (const name of ["apiVersion", "kind", "metadata"])
    if (object[name] !== undefined) taken[name] = object[name];
  for (const field of fields) copyField(object, taken, field.split("."));
  return taken;
}

/** Copies what is there: an object on the way is there without its other fields. */
function copyField(from: JsonObject, to: JsonObject, path: readonly string[]): void {
  const [name, ...rest] = path as readonly [string, ...string[]];
  if (!Object.hasOwn(from, name)) return;
  const value = from[name]!;
  if (rest.length === 0 || !isObject(value)) {
    to[name] = value;
    return;
  }
  const known = Object.hasOwn(to, name) ? to[name] : undefined;
  if (known === value) return;
  const inner: JsonObject = isObject(known) ? known : {};
  to[name] = inner;
  copyField(value, inner, rest);
}
