// The kinds that a controller works with.
import type { Kind } from "../api/kind.ts";
import type { ControllerDefinition } from "./define-controller.ts";

/** The controller's own kind and what it owns, refers to, watches and indexes. */
export function declaredKinds({
  kind,
  owns,
  refs,
  watches,
  indexes,
}: ControllerDefinition): readonly Kind[] {
  const named = [...Object.values(refs), ...Object.values(watches), ...Object.values(indexes)];
  return [...new Set([kind, ...owns, ...named.map(({ target }) => target)])];
}
