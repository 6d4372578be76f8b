// All built-in resources in discovery order: groups as the kind data lists them, kinds as within
// their group.
import type { ServedResource } from "../apimachinery/rest/served-resource.ts";
import { builtinKinds } from "./builtin-kinds.ts";
import type { AnyKindDefinition } from "./definition/kind-definition.ts";
import {
  type BuiltinResourceOptions,
  createBuiltinResource,
} from "./definition/create-builtin-resource.ts";

/**
 * Serves every record; `more` are records that the caller made, such as the definitions of custom
 * resources.
 */
export function createBuiltinResources(
  materials: BuiltinResourceOptions,
  more: readonly AnyKindDefinition[] = [],
): readonly ServedResource[] {
  const records = [...builtinKinds, ...more];
  const order = materials.data.groups.flatMap(({ group, versions }) =>
    versions.flatMap((version) =>
      materials.data.kinds(group).filter((kind) => kind.version === version),
    ),
  );
  const rank = (record: AnyKindDefinition): number =>
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
