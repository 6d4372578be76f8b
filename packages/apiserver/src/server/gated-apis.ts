// APIs behind feature gates: which groups the options `featureGates` and `runtimeConfig` enable.
// Upstream: k8s.io/apiserver/pkg/server/resourceconfig/helpers.go,
// k8s.io/kubernetes/pkg/features/kube_features.go.
import type { OptionFault } from "../apimachinery/errors/server-error.ts";

/** As kube-apiserver's flags `--feature-gates` and `--runtime-config`. */
export interface GatedApis {
  /** E.g. `{ StorageVersionMigrator: true }`. */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** E.g. `{ "storagemigration.k8s.io/v1beta1": true }`. */
  readonly runtimeConfig?: Readonly<Record<string, boolean>>;
}

interface GatedApi {
  readonly gate: string;
  readonly group: string;
  /** The keys of `runtimeConfig` for it: group and version, and the resource. */
  readonly keys: readonly string[];
}

/** Every API that is off by default and that this server has. */
const gatedApis: readonly GatedApi[] = [
  {
    gate: "StorageVersionMigrator",
    group: "storagemigration.k8s.io",
    keys: [
      "storagemigration.k8s.io/v1beta1",
      "storagemigration.k8s.io/v1beta1/storageversionmigrations",
    ],
  },
];

/** Every group that is off by default. */
export const gatedGroups = (): ReadonlySet<string> => new Set(gatedApis.map(groupOf));

/** Groups whose feature gate and API are both enabled. */
export const enabledGroups = (options: GatedApis): ReadonlySet<string> =>
  new Set(gatedApis.filter((api) => hasGate(api, options) && isAsked(api, options)).map(groupOf));

/** APIs of which only one of the feature gate and the API is enabled, which has no effect. */
export const gatedApiWarnings = (options: GatedApis): readonly string[] =>
  gatedApis
    .filter((api) => isAsked(api, options) !== hasGate(api, options))
    .map((api) => `${api.keys[0]} is not served: ${missing(api, options)}`);

const missing = (api: GatedApi, options: GatedApis): string =>
  hasGate(api, options)
    ? "its feature gate is on, and runtimeConfig does not enable it"
    : `its feature gate ${api.gate} is off`;

const groupOf = ({ group }: GatedApi): string => group;
const hasGate = ({ gate }: GatedApi, { featureGates = {} }: GatedApis): boolean =>
  featureGates[gate] === true;
/** The key of a resource decides for it. */
const isAsked = ({ keys }: GatedApi, { runtimeConfig = {} }: GatedApis): boolean =>
  keys.map((key) => runtimeConfig[key]).findLast(isGiven) === true;
const isGiven = (value: boolean | undefined): boolean => value !== undefined;

/** Names that this server does not know. */
export function gatedApiFaults({ featureGates, runtimeConfig }: GatedApis): readonly OptionFault[] {
  const gates = gatedApis.map(({ gate }) => gate);
  const keys = gatedApis.flatMap((api) => api.keys);
  return [
    ...unknownNames("featureGates", featureGates, gates),
    ...unknownNames("runtimeConfig", runtimeConfig, keys),
  ];
}

const unknownNames = (
  option: keyof GatedApis,
  given: Readonly<Record<string, boolean>> = {},
  known: readonly string[],
): readonly OptionFault[] =>
  Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      option,
      problem: `${JSON.stringify(name)} cannot be changed here; expected any of ${known.join(", ")}`,
    }));
