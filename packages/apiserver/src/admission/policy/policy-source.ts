// The policies that are bound, with their bindings, as they are stored now. Worked out again by the
// first request after a change of a policy or binding; without bindings nothing is compiled.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/policy/generic/policy_source.go.
import { type Decoded, isObject, type JsonObject, parseApiVersion } from "homeostat/api";
import type { ParamKind } from "homeostat/k8s/admissionregistration/v1";
import { metaString } from "../../apimachinery/meta/read-meta.ts";
import type { ResourceCatalog } from "../../apimachinery/rest/resource-catalog.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { StoredObjects } from "../../registry/revisions/stored-objects.ts";
import { type MatchSelectors, parseSelectors } from "../matching/selectors.ts";
import { resourceOfKind } from "../matching/stated-kind.ts";
import type { BindingSpec, PolicyResources, PolicySpec } from "./policy-kinds.ts";

/** A binding of a policy. */
export interface BoundPolicy {
  readonly name: string;
  readonly spec: BindingSpec;
  /** Of `matchResources`. */
  readonly selectors: MatchSelectors;
}

/** A policy with its bindings. */
export interface PolicyHook<Evaluator> {
  readonly name: string;
  readonly spec: PolicySpec;
  /** Of `matchConstraints`. */
  readonly selectors: MatchSelectors;
  readonly bindings: readonly BoundPolicy[];
  readonly evaluator: Evaluator;
  /** Why the policy cannot be evaluated. */
  readonly fault?: string;
  /** The kind of the parameters. */
  readonly params?: ServedResource;
}

/** Bound policies, by name. */
export interface PolicySource<Evaluator> {
  hooks(): readonly PolicyHook<Evaluator>[];
  stop(): void;
}

export interface PolicySourceOptions<Evaluator> {
  readonly objects: StoredObjects;
  readonly catalog: ResourceCatalog;
  readonly resources: PolicyResources;
  /** Called once for each state of a policy. */
  readonly compile: (policy: JsonObject) => Evaluator;
}

/** Follows the policies until stopped. */
export function followPolicies<Evaluator>({
  objects,
  catalog,
  resources: { policies, bindings },
  compile,
}: PolicySourceOptions<Evaluator>): PolicySource<Evaluator> {
  let current: readonly PolicyHook<Evaluator>[] | undefined;
  let epoch = 0;
  const compiled = new WeakMap<JsonObject, Evaluator>();
  const evaluatorOf = (policy: JsonObject): Evaluator => {
    const known = compiled.get(policy) ?? compile(policy);
    compiled.set(policy, known);
    return known;
  };
  const stops = [policies, bindings].map((kind) =>
    objects.watch(kind, () => (current = undefined)),
  );
  const collect = (): readonly PolicyHook<Evaluator>[] => {
    const bound = Map.groupBy(objects.list(bindings), (binding) => specOf(binding).policyName);
    if (!bound.size) return [];
    return objects.list(policies).flatMap((policy) => {
      const own = bound.get(metaString(policy, "name"));
      return own ? [hookOf(policy, own, evaluatorOf(policy), catalog)] : [];
    });
  };
  return {
    hooks() {
      // Kinds of parameters come and go with definitions.
      if (!current || (current.length && epoch !== catalog.epoch)) current = collect();
      epoch = catalog.epoch;
      return current;
    },
    stop() {
      for (const stop of stops) stop();
    },
  };
}

const specOf = ({ spec }: JsonObject): PolicySpec & BindingSpec => (isObject(spec) ? spec : {});

function hookOf<Evaluator>(
  policy: JsonObject,
  bindings: readonly JsonObject[],
  evaluator: Evaluator,
  catalog: ResourceCatalog,
): PolicyHook<Evaluator> {
  const spec: PolicySpec = specOf(policy);
  return {
    name: metaString(policy, "name"),
    spec,
    selectors: parseSelectors(spec.matchConstraints ?? {}),
    bindings: bindings.map((binding) => ({
      name: metaString(binding, "name"),
      spec: specOf(binding),
      selectors: parseSelectors(specOf(binding).matchResources ?? {}),
    })),
    evaluator,
    ...(spec.paramKind ? findParams(spec.paramKind, catalog) : {}),
  };
}

function findParams(
  { apiVersion, kind }: Decoded<ParamKind>,
  catalog: ResourceCatalog,
): { readonly params: ServedResource } | { readonly fault: string } {
  const { group = "", version = "" } = parseApiVersion(apiVersion ?? "") ?? {};
  const params = resourceOfKind(catalog, { group, version, kind: kind ?? "" });
  if (params) return { params };
  const named = `${group}/${version}, Kind=${kind ?? ""}`;
  return { fault: `failed to find resource referenced by paramKind: '${named}'` };
}
