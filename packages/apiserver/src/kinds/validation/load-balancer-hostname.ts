// The host name of a load balancer in the status of a Service or an Ingress.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidateLoadBalancerStatus),
// pkg/apis/networking/validation/validation.go (ValidateIngressLoadBalancerStatus).
import { dnsSubdomainFaults } from "homeostat/api";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { parseIpSloppy } from "./ip-addresses.ts";

/** A subdomain that is not an IP address. */
export function loadBalancerHostnameErrors(hostname: string, path: string): FieldError[] {
  return [
    ...dnsSubdomainFaults(hostname).map((fault) => fieldError.invalid(path, hostname, fault)),
    ...errorIf(parseIpSloppy(hostname), () =>
      fieldError.invalid(path, hostname, "must be a DNS name, not an IP address"),
    ),
  ];
}
