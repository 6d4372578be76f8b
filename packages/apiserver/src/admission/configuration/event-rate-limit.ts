// The configuration of EventRateLimit. Pure.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/eventratelimit/{config.go,apis}.
import { readMembers } from "../go-members.ts";
import { assertNoFieldErrors, assertConfigurationKind } from "./decode-configuration.ts";
import { type FieldError, invalid, notSupported } from "../../apimachinery/errors/field-error.ts";
import type { PluginConfiguration } from "./plugin-configuration.ts";

const kind = {
  group: "eventratelimit.admission.k8s.io",
  versions: ["v1alpha1"],
  kind: "Configuration",
} as const;

const types = ["Server", "Namespace", "User", "SourceAndObject"] as const;

export type LimitType = (typeof types)[number];

/** A bucket of `burst` events that fills by `qps` a second. */
export interface EventLimit {
  readonly type: LimitType;
  readonly qps: number;
  readonly burst: number;
  /** 0: upstream's default. */
  readonly cacheSize: number;
}

/** Throws an Error with upstream's message. Without configuration there is no limit: an error. */
export function parseEventRateLimit(given: PluginConfiguration | undefined): readonly EventLimit[] {
  if (given) assertConfigurationKind(given, kind);
  const listed = given
    ? readMembers(given.value, "Configuration").objects("limits", "v1alpha1.Limit")
    : [];
  const limits = listed.map((item) => {
    const read = readMembers(item, "Limit.limits");
    return {
      type: read.text("type", "v1alpha1.LimitType") ?? "",
      qps: read.integer("qps") ?? 0,
      burst: read.integer("burst") ?? 0,
      cacheSize: read.integer("cacheSize") ?? 0,
    };
  });
  const none = limits.length ? [] : [invalid("limits", null, "must not be empty")];
  assertNoFieldErrors([...none, ...limits.flatMap(limitErrors)]);
  return limits as readonly EventLimit[];
}

type GivenLimit = Omit<EventLimit, "type"> & { readonly type: string };

function limitErrors(
  { type, qps, burst, cacheSize }: GivenLimit,
  at: number,
): readonly FieldError[] {
  const path = `limits[${at}]`;
  const positive = "must be positive";
  return [
    ...(types.some((known) => known === type) ? [] : [notSupported(`${path}.type`, type, types)]),
    ...(burst > 0 ? [] : [invalid(`${path}.burst`, burst, positive)]),
    ...(qps > 0 ? [] : [invalid(`${path}.qps`, qps, positive)]),
    ...(type === "Server" || cacheSize >= 0
      ? []
      : [invalid(`${path}.cacheSize`, cacheSize, "must not be negative")]),
  ];
}
