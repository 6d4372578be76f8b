// Semantic versions: `semver('1.2.3')`, comparison and parts.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/library/semverlib.go (version 1);
// github.com/blang/semver/v4.
import { unitEquality } from "../cost/equality-price.ts";
import { argumentPass } from "../cost/prices.ts";
import {
  type FunctionDeclaration,
  type Implementation,
  overload,
  pricedFunction,
} from "../functions/declarations.ts";
import { isParsed, LibraryType, type Parsed } from "../functions/library-type.ts";
import type { Library } from "../environment/environment.ts";
import { boolType, intType, stringType, structType } from "../types/type.ts";
import { normalInt } from "../values/int.ts";
import type { CelValue } from "../values/value.ts";
import {
  compareVersions,
  normalizeVersion,
  parseVersion,
  type SemanticVersion,
} from "./semantic-version.ts";

const semvers = new LibraryType<SemanticVersion>({
  type: structType("kubernetes.Semver"),
  equal: (a, b) => compareVersions(a, b) === 0,
  print: (version) => version.text,
});

type Argument = CelValue | undefined;

const parse = (text: Argument, normalize: Argument): Parsed<SemanticVersion> =>
  normalize === true ? normalizeVersion(text as string) : parseVersion(text as string);
const toSemver: Implementation = (text, normalize) => semvers.wrapParsed(parse(text, normalize));
const isSemver: Implementation = (text, normalize) => isParsed(parse(text, normalize));

const part = (name: "major" | "minor" | "patch"): FunctionDeclaration =>
  semvers.reader(name, `semver_${name}`, intType, (version) =>
    normalInt(BigInt.asIntN(64, version[name])),
  );

/** Semantic versions. */
export const semverLibrary: Library = {
  name: "kubernetes semvers",
  functions: [
    pricedFunction(argumentPass, {
      name: "semver",
      overloads: [
        overload("string_to_semver", [stringType], semvers.type, toSemver),
        overload("string_bool_to_semver", [stringType, boolType], semvers.type, toSemver),
      ],
    }),
    pricedFunction(argumentPass, {
      name: "isSemver",
      overloads: [
        overload("is_semver_string", [stringType], boolType, isSemver),
        overload("is_semver_string_bool", [stringType, boolType], boolType, isSemver),
      ],
    }),
    ...semvers.ordering("semver", compareVersions),
    part("major"),
    part("minor"),
    part("patch"),
  ],
  equality: [unitEquality(semvers.type)],
};
