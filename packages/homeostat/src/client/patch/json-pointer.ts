// JSON pointers from functions that name a field, so that the compiler checks them. Pure.
// Upstream: RFC 6901.
import { argumentError } from "../../util/argument-error.ts";

const stepsOf = new WeakMap<object, readonly string[]>();

/**
 * The pointer, e.g. `/metadata/labels/example.com~1team` for `(o) =>
 * o.metadata.labels["example.com/team"]`, or for the pointer itself.
 *
 * @throws ERR_ARGUMENT
 */
export function toPointer(call: string, path: unknown): string {
  if (typeof path === "string" && /^(?:\/(?:[^~]|~[01])*)?$/.test(path)) return path;
  if (typeof path !== "function") throw argumentError(call, path, expected);
  const place: unknown = path(recorder([]));
  const steps = typeof place === "object" && place !== null ? stepsOf.get(place) : undefined;
  if (!steps) throw argumentError(call, place, expected);
  return steps.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

const expected =
  'a function that names a field, such as (object) => object.spec.replicas, or a pointer such as "/spec/replicas"';

/** Remembers which fields were read. */
function recorder(steps: readonly string[]): object {
  const place = new Proxy(
    {},
    {
      get: (_, name) => (typeof name === "string" ? recorder([...steps, name]) : undefined),
    },
  );
  stepsOf.set(place, steps);
  return place;
}
