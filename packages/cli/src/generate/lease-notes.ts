// What a user has to know of Leases that are elsewhere than the operator.
import type { OperatorModule } from "./load-operator.ts";

/** Empty for Leases in the namespace of the pods, where they are by default. */
export function leaseNotes({ options }: OperatorModule, namespace: string): readonly string[] {
  return (["election", "sharding"] as const).flatMap((option) => {
    const fixed = options[option]?.namespace;
    if (fixed === undefined || fixed === namespace) return [];
    return `options.${option}.namespace is ${fixed}, and the pods are in ${namespace}: the Role for the Leases is for ${fixed}, which has to exist; leave the option out, and they are where the pods are`;
  });
}
