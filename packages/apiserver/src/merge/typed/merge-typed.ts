// Merges an intent into a live value: fields of the intent win, all others stay, and lists keep an
// order that respects both.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/typed/merge.go.
import { isObject, type Json, type JsonObject, setOwn } from "homeostat/api";
import { type AtomKind, deduceAtom, settle } from "./atom.ts";
import { mergeDeduced } from "./deduced.ts";
import { fieldElement, formatPathElement, type PathElement } from "../fieldpath/field-path.ts";
import { forEachElement } from "./list-item.ts";
import {
  deducedType,
  type SmdList,
  type SmdMap,
  type SmdType,
} from "../../apimachinery/types/smd-type.ts";
import { below, throwTypedErrors, type TypedError } from "./typed-error.ts";
import { validateScalar } from "./validate-typed.ts";

type Side = Json | undefined;
interface Merged {
  /** Undefined when nothing is left. */
  readonly value: Side;
  readonly errors: readonly TypedError[];
}

/**
 * The result shares parts with both. Throws {@link MergeError}, e.g. for duplicate items in the
 * intent.
 */
export function mergeTyped(type: SmdType, live: Json, intent: Json): Json {
  const { value, errors } = merge(type, live, intent);
  throwTypedErrors(errors, "failed to merge config: ");
  return value ?? null;
}

function merge(type: SmdType, left: Side, right: Side): Merged {
  if (type === deducedType) return { value: mergeDeduced(left, right), errors: [] };
  const leftIs = deduceAtom(type, left),
    rightIs = deduceAtom(type, right);
  if (right === undefined) return mergeAs(type, leftIs, left, right);
  if (left === undefined || leftIs === rightIs) return mergeAs(type, rightIs, left, right);
  const { errors } = mergeAs(type, leftIs, left, right);
  const merged = mergeAs(type, rightIs, left, right);
  return { value: merged.value, errors: [...errors, ...merged.errors] };
}

const keep = (left: Side, right: Side): Merged => ({
  value: right === undefined ? left : right,
  errors: [],
});

function mergeAs(type: SmdType, alternative: AtomKind, left: Side, right: Side): Merged {
  switch (settle(type, alternative)) {
    case "scalar": {
      const errors = [
        validateScalar(type.scalar!, left, "lhs: "),
        validateScalar(type.scalar!, right, "rhs: "),
      ] as const;
      return errors[0].length && errors[1].length
        ? { value: undefined, errors: errors.flat() }
        : keep(left, right);
    }
    case "map":
      return mergeMaps(type.map!, left, right);
    case "list":
      return mergeLists(type.list!, left, right);
  }
}

function mergeMaps(type: SmdMap, left: Side, right: Side): Merged {
  const l = isObject(left) ? left : {},
    r = isObject(right) ? right : {};
  const names = [...Object.keys(l), ...Object.keys(r).filter((name) => !Object.hasOwn(l, name))];
  if (type.relation === "atomic" || !names.length) return keep(left, right);
  const out: JsonObject = {};
  const errors: TypedError[] = [];
  for (const name of names) {
    const fieldType = (type.field(name)?.type ?? type.element)?.();
    if (!fieldType) continue;
    const merged = merge(
      fieldType,
      Object.hasOwn(l, name) ? l[name] : undefined,
      Object.hasOwn(r, name) ? r[name] : undefined,
    );
    if (merged.value !== undefined) setOwn(out, name, merged.value);
    errors.push(...below(formatPathElement(fieldElement(name)), merged.errors));
  }
  return { value: Object.keys(out).length ? out : undefined, errors };
}

interface Indexed {
  readonly elements: readonly PathElement[];
  /** Null for a duplicate item, which nothing merges into. */
  readonly items: ReadonlyMap<string, Json>;
  readonly errors: readonly TypedError[];
}

function index(type: SmdList, list: readonly Json[], duplicates: "allowed" | "refused"): Indexed {
  const elements: PathElement[] = [];
  const items = new Map<string, Json>();
  const errors: TypedError[] = [];
  forEachElement(type, list, errors, (element, item) => {
    const known = items.has(element.id);
    if (known && duplicates === "refused") {
      errors.push({ path: "", message: `duplicate entries for key ${formatPathElement(element)}` });
      return;
    }
    items.set(element.id, known ? null : item);
    elements.push(element);
  });
  return { elements, items, errors };
}

function mergeLists(type: SmdList, left: Side, right: Side): Merged {
  const l = Array.isArray(left) ? left : [],
    r = Array.isArray(right) ? right : [];
  if (type.relation === "atomic" || (!l.length && !r.length)) return keep(left, right);
  const live = index(type, l, "allowed"),
    intent = index(type, r, "refused");
  const errors = [...intent.errors, ...live.errors];
  if (errors.length) return { value: undefined, errors };
  const out = interleave(type, l, live, intent);
  return { value: out.length ? out : undefined, errors };
}

/**
 * Items of the intent keep its order, and live items around them theirs. Errors inside items are
 * dropped, as upstream does.
 */
function interleave(type: SmdList, list: readonly Json[], live: Indexed, intent: Indexed): Json[] {
  const out: Json[] = [];
  const push = (left: Side, right: Side): void => {
    const { value } = merge(type.element(), left, right);
    if (value !== undefined) out.push(value);
  };
  const both = ({ id }: PathElement): void => push(live.items.get(id), intent.items.get(id));
  const shared = intent.elements.filter(({ id }) => live.items.has(id));
  const done = new Set<string>();
  const left = live.elements,
    right = intent.elements;
  let next = 0;
  for (let i = 0, j = 0; i < left.length || j < right.length;) {
    const l = left[i],
      r = right[j];
    if (l && r) {
      if (l.id === r.id) {
        done.add(l.id);
        both(l);
        i++;
        j++;
        next++;
        continue;
      }
      const awaited = shared[next];
      if (intent.items.has(l.id) && awaited && awaited.id !== l.id) {
        i++;
        continue;
      }
    }
    if (l) {
      if (!intent.items.has(l.id)) {
        push(list[i], undefined);
        i++;
        continue;
      }
      if (done.has(l.id)) i++;
    }
    if (r) {
      done.add(r.id);
      both(r);
      j++;
      if (shared[next]?.id === r.id) next++;
    }
  }
  return out;
}
