// Several errors as one message.
// Upstream: k8s.io/apimachinery/pkg/util/errors/errors.go (NewAggregate),
// pkg/util/validation/field/errors.go (ToAggregate).
import type { FieldError } from "./field-error.ts";

/** One message as it is, several as `[a, b]`, each text once. */
export function aggregate(messages: readonly string[]): string {
  const texts = [...new Set(messages)];
  return texts.length === 1 ? texts[0]! : `[${texts.join(", ")}]`;
}

/** `limits[0].qps: Invalid value: 0: must be positive`. */
export const formatFieldError = ({ field, body }: FieldError): string => `${field}: ${body}`;
