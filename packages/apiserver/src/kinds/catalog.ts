// All resources that are served now: the built-in ones, and the custom ones of established
// definitions.
// Upstream's counterpart: the API installer of k8s.io/apiserver and the custom resource handler of
// apiextensions.
import type { ResourceCatalog } from "../apimachinery/rest/resource-catalog.ts";
import type { ServedResource } from "../apimachinery/rest/served-resource.ts";

/** A catalog whose custom resources can be replaced. */
export interface MutableCatalog extends ResourceCatalog {
  /**
   * Replaces the resources of one definition. An empty list removes them; the same list changes
   * nothing.
   */
  serve(definition: string, resources: readonly ServedResource[]): void;
}

/** A catalog with these built-in resources, in discovery order. */
export function createCatalog(builtins: readonly ServedResource[]): MutableCatalog {
  const custom = new Map<string, readonly ServedResource[]>();
  const keyOf = (group: string, version: string, resource: string): string =>
    `${group}/${version}/${resource}`;
  const index = (resources: readonly ServedResource[]): Map<string, ServedResource> =>
    new Map(resources.map((each) => [keyOf(each.group, each.version, each.resource), each]));
  let all = builtins;
  let byKey = index(builtins);
  let epoch = 0;
  return {
    find: (group, version, resource) => byKey.get(keyOf(group, version, resource)),
    all: () => all,
    get epoch() {
      return epoch;
    },
    serve(definition, resources) {
      if (custom.get(definition) === resources || (!resources.length && !custom.has(definition)))
        return;
      if (resources.length) custom.set(definition, resources);
      else custom.delete(definition);
      all = [...builtins, ...[...custom.values()].flat()];
      byKey = index(all);
      epoch++;
    },
  };
}
