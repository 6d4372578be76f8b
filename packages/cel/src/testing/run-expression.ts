// Runs expressions in a Kubernetes environment without variables. Test-only.
import { kubernetesEnvironment } from "../kubernetes/kubernetes-environment.ts";
import { compileExpression } from "../program.ts";
import { showValue } from "../values/value.ts";

/**
 * The value's text; `error: …` for a failing evaluation, `program: …` for a failing plan, the
 * compiler's text otherwise.
 */
export function runExpression(text: string): string {
  const compiled = compileExpression(text, kubernetesEnvironment());
  if ("issues" in compiled) return compiled.issues;
  if ("failure" in compiled) return `program: ${compiled.failure}`;
  const result = compiled.program.evaluate({});
  return "error" in result ? `error: ${result.error.message}` : showValue(result.value);
}

/** The first line of the compile errors, without its position. */
export const complaint = (text: string): string =>
  runExpression(text)
    .split("\n")[0]!
    .replace(/^ERROR: <input>:-?\d+:\d+: /, "");
