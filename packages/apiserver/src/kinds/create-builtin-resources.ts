// All built-in resources in discovery order: the order of groups and kinds in the kind data.
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
  const order = options.data.groups.flatMap(({ group, versions }) =>
    versions.flatMap((version) =>
      options.data.kinds(group).filter((kind) => kind.version === version),
    ),
  );
  const rank = (definition: AnyKindDefinition): number =>
    order.findIndex(
      (served) =>
        served.group === definition.group &&
        served.version === definition.version &&
        served.kind === definition.kind,
    );
  // A kind behind a feature gate that is off has no rank.
  const definitions = [...builtinKinds, ...more].filter((definition) => rank(definition) >= 0);
  const print = createInternalPrinter(
    () => options.data.layout(),
    Object.assign({}, ...definitions.map(({ conversions }) => conversions)),
  );
  return definitions
    .toSorted((a, b) => rank(a) - rank(b))
    .map((definition) => createBuiltinResource(definition, options, print));
}
