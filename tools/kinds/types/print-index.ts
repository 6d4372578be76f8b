// Prints one module's index.ts: the kinds' values by name, and all types. Pure.
import type { TypeModule } from "./type-modules.ts";

/** A module's index.ts, not yet formatted. `head` is its first line. */
export function printIndex(head: string, module: TypeModule): string {
  const kinds = module.types.filter(({ role }) => role.is === "kind");
  const values = kinds.map(({ facts }) => facts.goStruct);
  return [
    head,
    "",
    ...(values.length === 0 ? [] : [`export { ${values.join(", ")} } from "./models.ts";`]),
    'export type * from "./models.ts";',
    ...(module.path === "meta/v1" ? ['export type * from "../../wire-types.ts";'] : []),
    "",
  ].join("\n");
}
