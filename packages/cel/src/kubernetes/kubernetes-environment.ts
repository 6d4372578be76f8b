// The environment of a Kubernetes API server: its libraries, and the version that brought each. One
// line registers a library.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/environment/base.go.
import { createEnvironment, type Environment, type Library } from "../environment/environment.ts";
import { authorizerLibrary, authorizerSelectorLibrary } from "./authorizer.ts";
import { formatLibrary } from "./formats.ts";
import { listExtensions } from "../ext/lists.ts";
import { listLibrary } from "./lists.ts";
import { literalChecks } from "../ext/literal-checks.ts";
import { networkLibrary } from "./network.ts";
import { optionalLibrary } from "../ext/optionals.ts";
import { quantityLibrary } from "./quantities.ts";
import { regexLibrary } from "./regex.ts";
import { semverLibrary } from "./semvers.ts";
import { setLibrary } from "../ext/sets.ts";
import { standardLibrary } from "../stdlib/standard.ts";
import { stringLibrary } from "../ext/strings.ts";
import { twoVariableLoops } from "../ext/two-variable-loops.ts";
import { urlLibrary } from "./urls.ts";

/** A library and the minor version (1.N) that introduced it; 0 for the first. */
interface Registration {
  readonly since: number;
  readonly library: Library;
}

const registrations: readonly Registration[] = [
  { since: 0, library: standardLibrary },
  { since: 0, library: urlLibrary },
  { since: 0, library: regexLibrary },
  { since: 0, library: listLibrary },
  { since: 27, library: authorizerLibrary },
  { since: 28, library: optionalLibrary },
  { since: 28, library: quantityLibrary },
  { since: 29, library: literalChecks },
  { since: 29, library: stringLibrary },
  { since: 29, library: setLibrary },
  { since: 30, library: networkLibrary },
  { since: 31, library: formatLibrary },
  { since: 31, library: authorizerSelectorLibrary },
  { since: 32, library: twoVariableLoops },
  { since: 33, library: semverLibrary },
  { since: 34, library: listExtensions },
];

/**
 * The minor version whose libraries new expressions may use: one below this server's, so that the
 * previous release can still read them.
 */
export const compatibilityMinor = 35;
/** Stored expressions may use every library. */
export const storedMinor = Infinity;

const newest = Math.max(...registrations.map((registration) => registration.since));
const everything = createEnvironment(registrations.map((registration) => registration.library));

/** The environment of Kubernetes 1.N, without variables. The newest one is shared. */
export function kubernetesEnvironment(minor: number = compatibilityMinor): Environment {
  return minor >= newest
    ? everything
    : createEnvironment(
        registrations
          .filter((registration) => registration.since <= minor)
          .map((registration) => registration.library),
      );
}
