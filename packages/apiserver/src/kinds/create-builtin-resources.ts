// All built-in resources in discovery order: the order of groups and kinds in the kind data.
import type { GroupVersionKind } from "homeostat/api";
import type { ServedResource } from "../apimachinery/rest/served-resource.ts";
import { builtinKinds } from "./builtin-kinds.ts";
import type { AnyKindDefinition } from "./definition/kind-definition.ts";
import { createBuiltinResource } from "./definition/create-builtin-resource.ts";
import { createInternalPrinter } from "./printers/print-internal.ts";
import type { BuiltinResourceOptions } from "./definition/builtin-resource-options.ts";

/**
 * Every built-in resource; `more` are definitions that the caller created, such as that of
 * CustomResourceDefinition.
 */
export function createBuiltinResources(
  options: BuiltinResourceOptions,
  more: readonly AnyKindDefinition[] = [],
): readonly ServedResource[] {
  const ranks = new Map<string, number>();
  for (const { group, versions } of options.data.groups)
    for (const version of versions)
      for (const served of options.data.kinds(group))
        if (served.version === version) ranks.set(nameOf(served), ranks.size);
  const rank = (definition: AnyKindDefinition): number => ranks.get(nameOf(definition)) ?? -1;
  // A kind behind a feature gate that is off has no rank, but the data have it.
  const isOff = (definition: AnyKindDefinition): boolean =>
    rank(definition) < 0 &&
    options.data.kind(definition.group, definition.version, definition.kind) !== undefined;
  const definitions = [...builtinKinds, ...more].filter((definition) => !isOff(definition));
  const print = createInternalPrinter(
    () => options.data.layout(),
    Object.assign({}, ...definitions.map(({ conversions }) => conversions)),
  );
  return definitions
    .toSorted((a, b) => rank(a) - rank(b))
    .map((definition) => createBuiltinResource(definition, options, print));
}

const nameOf = ({ group, version, kind }: GroupVersionKind): string =>
  `${group}/${version} ${kind}`;
