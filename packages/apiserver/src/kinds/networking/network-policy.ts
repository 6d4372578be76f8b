// Network policies: which traffic pods accept and send.
// Upstream: k8s.io/kubernetes/pkg/registry/networking/networkpolicy/strategy.go,
// pkg/apis/networking/{v1/defaults.go,validation}.
import type { Decoded, Json } from "homeostat/api";
import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyEgressRule,
  NetworkPolicyIngressRule,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from "homeostat/k8s/networking/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import {
  cidrWarnings,
  isStrictSubset,
  legacyCidrErrors,
  parseCidrSloppy,
} from "../validation/ip-addresses.ts";
import {
  formatSelector,
  type LabelSelectorRules,
  validateLabelSelector,
} from "../validation/label-selectors.ts";
import { portNameFaults, portNumberFaults } from "../validation/name-faults.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { deepGenerationStrategy } from "../definition/default-strategy.ts";
import { validateWholeObject } from "../validation/validate-object.ts";

const protocols = ["TCP", "UDP", "SCTP"];
const policyTypes = ["Ingress", "Egress"];
interface ValidationOptions {
  readonly selectors: LabelSelectorRules;
  /** CIDRs of the old object, which stay valid. */
  readonly kept: readonly string[];
}

export const networkPolicy: KindDefinition<Decoded<NetworkPolicy>> = {
  ...gvk("networking.k8s.io/v1", "NetworkPolicy"),
  defaults(object) {
    const { spec } = object;
    if (!spec) return;
    for (const { rule } of rulesOf(spec))
      for (const port of rule.ports ?? []) port.protocol ??= "TCP";
    if (!spec.policyTypes?.length)
      spec.policyTypes = spec.egress?.length ? ["Ingress", "Egress"] : ["Ingress"];
  },
  strategy: {
    ...deepGenerationStrategy("spec"),
    ...validateWholeObject({
      validate: ({ spec }, old) => validateSpec(spec ?? {}, optionsFor(old?.spec ?? {})),
    }),
    warningsOnCreate: blockWarnings,
    warningsOnUpdate: blockWarnings,
  },
  cells: (object, ages) => [
    nameOf(object),
    formatSelector(object.spec?.podSelector ?? {}),
    ageOf(object, ages),
  ],
};

/** A rule of either direction, with its peers and their paths. */
interface DirectedRule {
  readonly rule: Decoded<NetworkPolicyIngressRule> | Decoded<NetworkPolicyEgressRule>;
  readonly path: string;
  readonly peers: readonly { readonly peer: Decoded<NetworkPolicyPeer>; readonly path: string }[];
}

function rulesOf({ ingress, egress }: Decoded<NetworkPolicySpec>): readonly DirectedRule[] {
  const directed = (
    rule: DirectedRule["rule"],
    path: string,
    peers: readonly Decoded<NetworkPolicyPeer>[],
  ): DirectedRule => ({
    rule,
    path,
    peers: peers.map((peer, i) => ({
      peer,
      path: `${path}.${path.startsWith("spec.ingress") ? "from" : "to"}[${i}]`,
    })),
  });
  return [
    ...(ingress ?? []).map((rule, i) => directed(rule, `spec.ingress[${i}]`, rule.from ?? [])),
    ...(egress ?? []).map((rule, i) => directed(rule, `spec.egress[${i}]`, rule.to ?? [])),
  ];
}

const blocksOf = (
  spec: Decoded<NetworkPolicySpec>,
): readonly { readonly block: Decoded<IPBlock>; readonly path: string }[] =>
  rulesOf(spec).flatMap(({ peers }) =>
    peers.flatMap(({ peer, path }) =>
      peer.ipBlock ? [{ block: peer.ipBlock, path: `${path}.ipBlock` }] : [],
    ),
  );

function optionsFor(old: Decoded<NetworkPolicySpec>): ValidationOptions {
  const wasInvalid = validateLabelSelector(old.podSelector ?? {}, "").length > 0;
  return {
    selectors: { invalidValues: wasInvalid ? "allowed" : "refused" },
    kept: blocksOf(old).flatMap(({ block }) => [block.cidr ?? "", ...(block.except ?? [])]),
  };
}

function blockWarnings({ spec }: Decoded<NetworkPolicy>): readonly string[] {
  return blocksOf(spec ?? {}).flatMap(({ block, path }) => [
    ...cidrWarnings(block.cidr ?? "", `${path}.cidr`),
    ...eachItem(block.except, `${path}.except`, cidrWarnings),
  ]);
}

function validateSpec(spec: Decoded<NetworkPolicySpec>, options: ValidationOptions): FieldError[] {
  return [
    ...validateLabelSelector(spec.podSelector ?? {}, "spec.podSelector", options.selectors),
    ...rulesOf(spec).flatMap(({ rule, path, peers }) => [
      ...eachItem(rule.ports, `${path}.ports`, validatePort),
      ...peers.flatMap(({ peer, path: peerPath }) => validatePeer(peer, peerPath, options)),
    ]),
    ...typeErrors(spec),
  ];
}

function typeErrors(spec: Decoded<NetworkPolicySpec>): FieldError[] {
  const types = spec.policyTypes ?? [];
  if (types.length > policyTypes.length)
    return [
      fieldError.invalid(
        "spec.policyTypes",
        [...types],
        "may not specify more than two policyTypes",
      ),
    ];
  return eachItem(types, "spec.policyTypes", (type, at) =>
    errorIf(!policyTypes.includes(type), () => fieldError.notSupported(at, type, policyTypes)),
  );
}

function validatePort(entry: Decoded<NetworkPolicyPort>, path: string): FieldError[] {
  const protocol = entry.protocol ?? "";
  const errors = errorIf(!protocols.includes(protocol), () =>
    fieldError.notSupported(`${path}.protocol`, protocol, protocols),
  );
  const { port, endPort } = entry;
  const end = (detail: string, shown: Json | undefined = endPort): FieldError =>
    fieldError.invalid(`${path}.endPort`, shown, detail);
  if (!isSet(port))
    return isSet(endPort)
      ? [...errors, end("may not be specified when `port` is not specified")]
      : errors;
  if (typeof port === "string") {
    if (isSet(endPort)) errors.push(end("may not be specified when `port` is non-numeric"));
    return [
      ...errors,
      ...portNameFaults(port).map((fault) => fieldError.invalid(`${path}.port`, port, fault)),
    ];
  }
  errors.push(
    ...portNumberFaults(port).map((fault) => fieldError.invalid(`${path}.port`, port, fault)),
  );
  if (!isSet(endPort)) return errors;
  if (endPort < port) errors.push(end("must be greater than or equal to `port`", port));
  return [...errors, ...portNumberFaults(endPort).map((fault) => end(fault))];
}

function validatePeer(
  peer: Decoded<NetworkPolicyPeer>,
  path: string,
  options: ValidationOptions,
): FieldError[] {
  const { ipBlock } = peer;
  const selectors = (["podSelector", "namespaceSelector"] as const).filter((field) =>
    isSet(peer[field]),
  );
  const errors = selectors.flatMap((field) =>
    validateLabelSelector(peer[field] ?? {}, `${path}.${field}`, options.selectors),
  );
  if (ipBlock) errors.push(...validateBlock(ipBlock, `${path}.ipBlock`, options.kept));
  if (ipBlock && selectors.length)
    errors.push(fieldError.forbidden(path, "may not specify both ipBlock and another peer"));
  else if (!ipBlock && !selectors.length)
    errors.push(fieldError.required(path, "must specify a peer"));
  return errors;
}

function validateBlock(
  block: Decoded<IPBlock>,
  path: string,
  kept: readonly string[],
): FieldError[] {
  const cidr = block.cidr ?? "";
  if (!cidr) return [fieldError.required(`${path}.cidr`, "")];
  const errors = legacyCidrErrors(cidr, `${path}.cidr`, kept);
  const outer = parseCidrSloppy(cidr);
  if (!outer) return errors;
  (block.except ?? []).forEach((except, i) => {
    const inner = parseCidrSloppy(except);
    errors.push(...legacyCidrErrors(except, `${path}.except[${i}]`, kept));
    if (inner && !isStrictSubset(inner, outer))
      errors.push(
        fieldError.invalid(`${path}.except[${i}]`, except, "must be a strict subset of `cidr`"),
      );
  });
  return errors;
}
