// ServiceCIDRs: ranges from which services get their cluster IPs.
// Upstream: k8s.io/kubernetes/pkg/registry/networking/servicecidr/strategy.go,
// pkg/apis/networking/validation/validation.go.
import type { Decoded } from "homeostat/api";
import type { ServiceCIDR } from "homeostat/k8s/networking/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { cidrErrors, parseCidrSloppy } from "../validation/ip-addresses.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { statusResetStrategy, statusOnlyStrategy } from "../definition/default-strategy.ts";
import { finalizerErrors } from "../validation/validate-object.ts";

export const serviceCidr: KindDefinition<Decoded<ServiceCIDR>> = {
  ...gvk("networking.k8s.io/v1", "ServiceCIDR"),
  strategy: {
    ...statusResetStrategy,
    validateCreate: (object) => [...finalizerErrors(object), ...validateCidrs(cidrsOf(object))],
    validateUpdate: (object, old) => [
      ...finalizerErrors(object),
      ...changeErrors(object, cidrsOf(old)),
    ],
  },
  subresources: {
    status: {
      ...statusOnlyStrategy,
      validateUpdate: () => [],
    },
  },
  cells: (object, ages) => [nameOf(object), cidrsOf(object).join(","), ageOf(object, ages)],
};

const path = "spec.cidrs";
const cidrsOf = (object: Decoded<ServiceCIDR>): readonly string[] => object.spec?.cidrs ?? [];
const isIpv6 = (cidr: string): boolean => parseCidrSloppy(cidr)?.address.bytes.length === 16;

function validateCidrs(cidrs: readonly string[]): FieldError[] {
  if (!cidrs.length) return [fieldError.required(path, "at least one CIDR required")];
  if (cidrs.length > 2)
    return [
      {
        type: "FieldValueInvalid",
        field: path,
        body: `Invalid value: ${JSON.stringify({ CIDRs: cidrs })}: may only hold up to 2 values`,
      },
    ];
  const errors = eachItem(cidrs, path, cidrErrors);
  if (
    cidrs.length === 2 &&
    parseCidrSloppy(cidrs[0]!) &&
    parseCidrSloppy(cidrs[1]!) &&
    isIpv6(cidrs[0]!) === isIpv6(cidrs[1]!)
  ) {
    errors.push(
      fieldError.invalid(
        path,
        [...cidrs],
        "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64",
      ),
    );
  }
  return errors;
}

/** The only change allowed adds a CIDR of the second family. */
function changeErrors(object: Decoded<ServiceCIDR>, old: readonly string[]): FieldError[] {
  const cidrs = cidrsOf(object);
  const frozen = (i: number): FieldError[] =>
    errorIf(cidrs[i] !== old[i], () =>
      fieldError.invalid(`${path}[${i}]`, cidrs[i], "field is immutable"),
    );
  if (cidrs.length === old.length) return old.flatMap((_, i) => frozen(i));
  if (old.length === 1 && cidrs.length === 2) return [...frozen(0), ...validateCidrs(cidrs)];
  return [fieldError.invalid(path, object.spec?.cidrs, "field is immutable")];
}
