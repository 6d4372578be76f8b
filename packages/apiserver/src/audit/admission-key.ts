// The keys of annotations: a qualified name with a prefix, e.g.
// `pod-security.kubernetes.io/enforce-policy`.
// Upstream: k8s.io/apiserver/pkg/admission/attributes.go (checkKeyFormat).
import { dnsSubdomainFaults } from "homeostat/api";

const namePart = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** Whether an annotation may have this key. */
export function isAdmissionKey(key: string): boolean {
  const [prefix, name, ...more] = key.split("/");
  return (
    more.length === 0 &&
    name !== undefined &&
    namePart.test(name) &&
    dnsSubdomainFaults(prefix!).length === 0
  );
}
