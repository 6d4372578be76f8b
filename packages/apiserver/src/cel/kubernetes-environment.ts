// The environment of a Kubernetes API server: which libraries exist, and since which version. One line registers a library.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/environment/base.go.
import { createEnvironment, type Environment, type Library } from "./environment.ts";
import { literalChecks } from "./libraries/literal-checks.ts";
import { optionalLibrary } from "./libraries/optionals.ts";
import { standardLibrary } from "./libraries/standard.ts";
import { twoVariableLoops } from "./libraries/two-variable-loops.ts";

/** A library and the minor version (1.N) that brought it; 0 for what was always there. */
interface Registration {
  readonly since: number;
  readonly library: Library;
}

const registrations: readonly Registration[] = [
  { since: 0, library: standardLibrary },
  { since: 28, library: optionalLibrary },
  { since: 29, library: literalChecks },
  { since: 32, library: twoVariableLoops },
];

/** New expressions may use what the oldest server that could still read them has: one minor below this server's. */
export const compatibilityMinor = 35;
/** Expressions that are stored already may use everything there is. */
export const storedMinor = Infinity;

const environments = new Map<number, Environment>();

/** The environment of Kubernetes 1.N, without variables. Made on first use and shared. */
export function kubernetesEnvironment(minor: number = compatibilityMinor): Environment {
  let environment = environments.get(minor);
  if (!environment) {
    environment = createEnvironment(registrations.filter((registration) => registration.since <= minor).map((registration) => registration.library));
    environments.set(minor, environment);
  }
  return environment;
}
