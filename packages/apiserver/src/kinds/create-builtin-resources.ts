// All built-in resources in discovery order: groups as the kind data lists them, kinds as within
// their group.
import type { ServedResource } from "../registry/served-resource.ts";
import { builtinKinds } from "./builtin-kinds.ts";
import type { BuiltinKind } from "./object/builtin-kind.ts";
import { type BuiltinMaterials, createBuiltinResource } from "./object/create-builtin-resource.ts";

/**
 * Serves every record; `more` are records that the caller made, such as the definitions of custom
 * resources.
 */
export function createBuiltinResources(
  materials: BuiltinMaterials,
  more: readonly BuiltinKind[] = [],
): readonly ServedResource[] {
  const records = [...builtinKinds, ...more];
  const order = materials.data.groups.flatMap(({ group, versions }) =>
    versions.flatMap((version) =>
      materials.data.kinds(group).filter((kind) => kind.version === version),
    ),
  );
  const rank = (record: BuiltinKind): number =>
    order.findIndex(
      (facts) =>
        facts.group === record.group &&
        facts.version === record.version &&
        facts.kind === record.kind,
    );
  return records
    .toSorted((a, b) => rank(a) - rank(b))
    .map((record) => createBuiltinResource(record, materials));
}
