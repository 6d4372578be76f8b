// Which definitions a conversion of this program names: their webhook may be registered later.
import type { ResourceDefinition } from "./define-resource.ts";

/** Facts about objects that live elsewhere; entries go with them. */
const converted = new WeakSet<ResourceDefinition>();

export function noteConverted(definition: ResourceDefinition | undefined): void {
  if (definition) converted.add(definition);
}

export const isConverted = (definition: ResourceDefinition): boolean => converted.has(definition);
