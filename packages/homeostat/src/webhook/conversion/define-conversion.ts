// Two versions of a kind, and how an object of one becomes the other. Versions stay two resources
// of their own, each with its schema; pairs chain, so that every version needs one neighbour only.
// Upstream: sigs.k8s.io/controller-runtime/pkg/conversion (Convertible, Hub).
import { parseApiVersion } from "../../api/gvk.ts";
import type { JsonObject } from "../../api/json.ts";
import { noteConverted } from "../../api/resource/converted-versions.ts";
import { definitionOfKind } from "../../api/resource/definition-of-kind.ts";
import type { Kind, ObjectOf } from "../../api/kind.ts";
import { isKind } from "../../api/check-kind.ts";
import { describeValue } from "../../util/describe-error.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import { describeMissing, isOptions, unknownOptions } from "../../util/option-faults.ts";

/** What may change of the metadata; the server refuses everything else. */
interface ConvertedMetadata {
  /** Default: those of the object. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What a conversion returns: an object without what all versions have in common. */
export type Converted<From, To> = Omit<To, "apiVersion" | "kind" | "metadata" | "status"> & {
  readonly metadata?: ConvertedMetadata;
} & ConvertedStatus<From, To>;

/** A status that both versions have alike is kept when it is left out. */
type ConvertedStatus<From, To> = From extends { readonly status: infer S }
  ? To extends { readonly status: infer T }
    ? [S] extends [T]
      ? { readonly status?: T }
      : { readonly status: T }
    : unknown
  : unknown;

/** Both directions. Pure and synchronous; objects are read-only. */
export interface ConversionOptions<Older extends Kind, Newer extends Kind> {
  /** Turns an object of the first version into the second. */
  up(object: ObjectOf<Older>): Converted<ObjectOf<Older>, ObjectOf<Newer>>;
  /** Turns an object of the second version into the first. */
  down(object: ObjectOf<Newer>): Converted<ObjectOf<Newer>, ObjectOf<Older>>;
}

/** One direction of a conversion. */
export interface ConversionStep {
  readonly from: Kind;
  readonly to: Kind;
  readonly convert: (object: JsonObject) => unknown;
}

/** A conversion, as `defineConversion` returns it. */
export interface Conversion {
  readonly type: "conversion";
  readonly group: string;
  readonly kind: string;
  /** Plural. */
  readonly resource: string;
  readonly steps: readonly [up: ConversionStep, down: ConversionStep];
}

/**
 * Defines how objects change between two versions of a kind.
 * @throws ERR_CONVERSION_DEFINITION with every problem
 */
export function defineConversion<Older extends Kind, Newer extends Kind>(
  older: Older,
  newer: Newer,
  options: ConversionOptions<Older, Newer>,
): Conversion {
  check(older, newer, options);
  for (const version of [older, newer]) noteConverted(definitionOfKind(version));
  const { group } = parseApiVersion(older.apiVersion)!;
  const { up, down } = options as unknown as Record<"up" | "down", ConversionStep["convert"]>;
  return Object.freeze({
    type: "conversion",
    group,
    kind: older.kind,
    resource: older.resource,
    steps: [
      { from: older, to: newer, convert: up },
      { from: newer, to: older, convert: down },
    ],
  } as const);
}

function check(older: unknown, newer: unknown, options: unknown): void {
  const given = isOptions(options) ? options : {};
  const problems = [
    ...kindFaults(older, newer),
    ...(isOptions(options) ? [] : [`its options are ${describeMissing(options)}`]),
    ...unknownOptions(given, ["up", "down"]),
    ...["up", "down"].flatMap((name) =>
      typeof given[name] === "function"
        ? []
        : [`${name} is ${describeValue(given[name])}, expected a function`],
    ),
  ];
  if (problems.length === 0) return;
  throw new HomeostatError(
    "ERR_CONVERSION_DEFINITION",
    `defining a conversion${isKind(older) ? ` of ${older.kind}` : ""}: ${problems.join("; ")}`,
    { hint: "defineConversion(OrderV1, OrderV2, { up: (order) => …, down: (order) => … })" },
  );
}

function kindFaults(older: unknown, newer: unknown): string[] {
  const missing = [older, newer].filter((one) => !isKind(one));
  if (!isKind(older) || !isKind(newer))
    return missing.map((one) => `a version is ${describeMissing(one)}, expected a kind`);
  const [a, b] = [parseApiVersion(older.apiVersion), parseApiVersion(newer.apiVersion)];
  return [
    ...(older.kind === newer.kind && a?.group === b?.group && older.resource === newer.resource
      ? []
      : [`${nameOf(older)} and ${nameOf(newer)} are not versions of one kind`]),
    ...(older.apiVersion === newer.apiVersion ? [`both versions are ${older.apiVersion}`] : []),
  ];
}

const nameOf = ({ kind, apiVersion, resource }: Kind): string =>
  `${kind} of ${apiVersion} (${resource})`;
