// Network policies: who may talk to which pods.
// Upstream: k8s.io/kubernetes/pkg/registry/networking/networkpolicy/strategy.go,
// pkg/apis/networking/{v1/defaults.go,validation}.
import { isObject, type JsonObject } from "homeostat/api";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../apimachinery/errors/field-error.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
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
import {
  hasItems,
  isSet,
  itemsAt,
  setIfNil,
  textsAt,
  objectAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { bumpGeneration, finalizerErrors } from "../definition/default-strategy.ts";

const protocols = ["TCP", "UDP", "SCTP"];
const policyTypes = ["Ingress", "Egress"];
const directions = [
  ["ingress", "from"],
  ["egress", "to"],
] as const;

interface PolicyRules {
  readonly selectors: LabelSelectorRules;
  /** Networks of the old object, which stay as they are. */
  readonly kept: readonly string[];
}

export const networkPolicy: KindDefinition = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "NetworkPolicy",
  defaults(object) {
    const spec = objectAt(object, "spec");
    for (const [direction] of directions)
      for (const rule of itemsAt(spec, direction))
        for (const port of itemsAt(rule, "ports")) setIfNil(port, "protocol", "TCP");
    if (isObject(object["spec"]) && !hasItems(spec["policyTypes"]))
      spec["policyTypes"] = hasItems(spec["egress"]) ? ["Ingress", "Egress"] : ["Ingress"];
  },
  strategy: {
    prepareForCreate: (object) => void (metadataOf(object)["generation"] = 1),
    prepareForUpdate: (object, old) => bumpGeneration(object, old, ["spec"]),
    validateCreate: (object, context) =>
      warned(object, context, [
        ...finalizerErrors(object),
        ...validateSpec(objectAt(object, "spec"), {
          selectors: { invalidValues: "refused" },
          kept: [],
        }),
      ]),
    validateUpdate: (object, old, context) =>
      warned(object, context, [
        ...finalizerErrors(object),
        ...validateSpec(objectAt(object, "spec"), rulesFor(objectAt(old, "spec"))),
      ]),
  },
  cells: (object, nowMs) => [
    nameOf(object),
    formatSelector(objectAt(objectAt(object, "spec"), "podSelector")),
    ageOf(object, nowMs),
  ],
};

function rulesFor(old: JsonObject): PolicyRules {
  const wasInvalid = validateLabelSelector(objectAt(old, "podSelector"), "").length > 0;
  return {
    selectors: { invalidValues: wasInvalid ? "allowed" : "refused" },
    kept: blocksOf(old).flatMap(({ block }) => [
      stringAt(block, "cidr"),
      ...textsAt(block, "except"),
    ]),
  };
}

function blocksOf(
  spec: JsonObject,
): readonly { readonly block: JsonObject; readonly path: string }[] {
  return directions.flatMap(([direction, peers]) =>
    itemsAt(spec, direction).flatMap((rule, i) =>
      itemsAt(rule, peers).flatMap((peer, j) =>
        isObject(peer["ipBlock"])
          ? [{ block: peer["ipBlock"], path: `spec.${direction}[${i}].${peers}[${j}].ipBlock` }]
          : [],
      ),
    ),
  );
}

function warned(
  object: JsonObject,
  context: WriteContext,
  errors: readonly FieldError[],
): readonly FieldError[] {
  if (errors.length) return errors;
  for (const { block, path } of blocksOf(objectAt(object, "spec"))) {
    cidrWarnings(stringAt(block, "cidr"), `${path}.cidr`).forEach(context.warn);
    textsAt(block, "except").forEach((except, k) =>
      cidrWarnings(except, `${path}.except[${k}]`).forEach(context.warn),
    );
  }
  return errors;
}

function validateSpec(spec: JsonObject, rules: PolicyRules): FieldError[] {
  return [
    ...validateLabelSelector(objectAt(spec, "podSelector"), "spec.podSelector", rules.selectors),
    ...directions.flatMap(([direction, peers]) =>
      itemsAt(spec, direction).flatMap((rule, i) => [
        ...itemsAt(rule, "ports").flatMap((port, j) =>
          validatePort(port, `spec.${direction}[${i}].ports[${j}]`),
        ),
        ...itemsAt(rule, peers).flatMap((peer, j) =>
          validatePeer(peer, `spec.${direction}[${i}].${peers}[${j}]`, rules),
        ),
      ]),
    ),
    ...typeErrors(spec),
  ];
}

function typeErrors(spec: JsonObject): FieldError[] {
  const types = textsAt(spec, "policyTypes");
  if (types.length > policyTypes.length)
    return [invalid("spec.policyTypes", [...types], "may not specify more than two policyTypes")];
  return types.flatMap((type, i) =>
    policyTypes.includes(type) ? [] : [notSupported(`spec.policyTypes[${i}]`, type, policyTypes)],
  );
}

function validatePort(entry: JsonObject, path: string): FieldError[] {
  const protocol = stringAt(entry, "protocol");
  const errors = protocols.includes(protocol)
    ? []
    : [notSupported(`${path}.protocol`, protocol, protocols)];
  const { port, endPort } = entry;
  const end = (detail: string, shown = endPort): FieldError =>
    invalid(`${path}.endPort`, shown, detail);
  if (!isSet(port))
    return isSet(endPort)
      ? [...errors, end("may not be specified when `port` is not specified")]
      : errors;
  if (typeof port === "string") {
    if (isSet(endPort)) errors.push(end("may not be specified when `port` is non-numeric"));
    return [
      ...errors,
      ...portNameFaults(port).map((fault) => invalid(`${path}.port`, port, fault)),
    ];
  }
  errors.push(
    ...portNumberFaults(Number(port)).map((fault) => invalid(`${path}.port`, port, fault)),
  );
  if (!isSet(endPort)) return errors;
  if (Number(endPort) < Number(port))
    errors.push(end("must be greater than or equal to `port`", port));
  return [...errors, ...portNumberFaults(Number(endPort)).map((fault) => end(fault))];
}

function validatePeer(peer: JsonObject, path: string, rules: PolicyRules): FieldError[] {
  const { ipBlock } = peer;
  const selectors = ["podSelector", "namespaceSelector"].filter((field) => isObject(peer[field]));
  const errors = selectors.flatMap((field) =>
    validateLabelSelector(objectAt(peer, field), `${path}.${field}`, rules.selectors),
  );
  if (isObject(ipBlock)) errors.push(...validateBlock(ipBlock, `${path}.ipBlock`, rules.kept));
  if (isObject(ipBlock) && selectors.length)
    errors.push(forbidden(path, "may not specify both ipBlock and another peer"));
  else if (!isObject(ipBlock) && !selectors.length)
    errors.push(required(path, "must specify a peer"));
  return errors;
}

function validateBlock(block: JsonObject, path: string, kept: readonly string[]): FieldError[] {
  const cidr = stringAt(block, "cidr");
  if (!cidr) return [required(`${path}.cidr`, "")];
  const errors = legacyCidrErrors(cidr, `${path}.cidr`, kept);
  const outer = parseCidrSloppy(cidr);
  if (!outer) return errors;
  textsAt(block, "except").forEach((except, i) => {
    const inner = parseCidrSloppy(except);
    errors.push(...legacyCidrErrors(except, `${path}.except[${i}]`, kept));
    if (inner && !isStrictSubset(inner, outer))
      errors.push(invalid(`${path}.except[${i}]`, except, "must be a strict subset of `cidr`"));
  });
  return errors;
}
