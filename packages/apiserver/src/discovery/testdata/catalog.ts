// A catalog of built-in and custom resources, for the tests of discovery.
import type { ResourceCatalog } from "../../apimachinery/rest/resource-catalog.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { Subresource } from "../../apimachinery/rest/subresource.ts";
import { customTraits } from "../../kinds/custom/custom-traits.ts";
import { builtinTraits } from "../../kinds/definition/builtin-traits.ts";

const verbs = ["get", "list"];
const subresource = (
  group: string,
  version: string,
  kind: string,
  of = ["get", "patch", "update"],
): Subresource => ({
  at: "store",
  kind: { group, version, kind },
  verbs: of,
  strategy: undefined as never,
});

/** Discovery reads the names of a resource and nothing else. */
function resource(
  group: string,
  version: string,
  kind: string,
  more: Partial<ServedResource> = {},
): ServedResource {
  const singular = kind.toLowerCase();
  return {
    group,
    version,
    kind,
    resource: `${singular}s`,
    singular,
    listKind: `${kind}List`,
    namespaced: true,
    shortNames: [],
    categories: [],
    verbs,
    ...builtinTraits,
    storageVersionHash: "",
    subresources: new Map<string, Subresource>(),
    ...more,
  } as unknown as ServedResource;
}

const custom = (version: string, more: Partial<ServedResource> = {}): ServedResource =>
  resource("zoo.example.com", version, "Ape", { ...customTraits, ...more });
const status = new Map([
  ["status", subresource("zoo.example.com", "v2", "Ape")],
  ["scale", subresource("autoscaling", "v1", "Scale")],
]);
/** Groups, versions and resources that are not in the order of discovery. */
export const catalog: ResourceCatalog = {
  epoch: 1,
  find: () => undefined,
  all: () => [
    custom("v1alpha1"),
    resource("", "v1", "Pod", {
      shortNames: ["po"],
      categories: ["all"],
      storageVersionHash: "abc=",
      subresources: new Map([
        ["eviction", subresource("policy", "v1", "Eviction", ["create"])],
        ["status", subresource("", "v1", "Pod")],
      ]),
    }),
    resource("", "v1", "Binding", { verbs: ["create"] }),
    resource("apps", "v1", "Thing", { namespaced: false }),
    resource("apps", "v2", "Thing", { namespaced: false }),
    custom("v2", { subresources: status }),
    custom("v10beta1"),
    resource("arc.example.com", "v1", "Bee", customTraits),
  ],
};
