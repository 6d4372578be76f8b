// Semantic versions: `semver('1.2.3')`, comparison and parts.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/library/semverlib.go (version 1);
// github.com/blang/semver/v4.
import { unitEquality } from "../cost/equality-price.ts";
import { argumentPass } from "../cost/prices.ts";
import {
  type FunctionDeclaration,
  type Implementation,
  member,
  overload,
  pricedFunction,
} from "../functions/declarations.ts";
import type { Library } from "../environment/environment.ts";
import { boolType, intType, stringType, structType } from "../types/type.ts";
import { CelError, noSuchOverload } from "../values/cel-error.ts";
import { normalInt } from "../values/int.ts";
import { CelObject, type CelValue } from "../values/value.ts";
import {
  compareVersions,
  normalizeVersion,
  parseVersion,
  type SemanticVersion,
} from "./semantic-version.ts";

const semverType = structType("kubernetes.Semver");

class Semver extends CelObject {
  readonly type = semverType;
  readonly version: SemanticVersion;

  constructor(version: SemanticVersion) {
    super();
    this.version = version;
  }

  equals(other: CelValue): boolean {
    if (!(other instanceof Semver)) throw noSuchOverload();
    return compareVersions(this.version, other.version) === 0;
  }

  toString(): string {
    return this.version.text;
  }
}

const read = (
  text: CelValue | undefined,
  normalize: CelValue | undefined,
): SemanticVersion | { readonly error: string } =>
  normalize === true ? normalizeVersion(text as string) : parseVersion(text as string);

const toSemver: Implementation = (text, normalize) => {
  const version = read(text, normalize);
  if ("error" in version) throw new CelError(version.error);
  return new Semver(version);
};

const isSemver: Implementation = (text, normalize) => !("error" in read(text, normalize));
const compare = (a: CelValue | undefined, b: CelValue | undefined): number =>
  compareVersions((a as Semver).version, (b as Semver).version);
const pair = [semverType, semverType];
const part = (name: "major" | "minor" | "patch"): FunctionDeclaration => ({
  name,
  overloads: [
    member(`semver_${name}`, [semverType], intType, (value) =>
      normalInt(BigInt.asIntN(64, (value as Semver).version[name])),
    ),
  ],
});

/** Semantic versions. */
export const semverLibrary: Library = {
  name: "kubernetes semvers",
  functions: [
    pricedFunction(argumentPass, {
      name: "semver",
      overloads: [
        overload("string_to_semver", [stringType], semverType, toSemver),
        overload("string_bool_to_semver", [stringType, boolType], semverType, toSemver),
      ],
    }),
    pricedFunction(argumentPass, {
      name: "isSemver",
      overloads: [
        overload("is_semver_string", [stringType], boolType, isSemver),
        overload("is_semver_string_bool", [stringType, boolType], boolType, isSemver),
      ],
    }),
    {
      name: "isGreaterThan",
      overloads: [member("semver_is_greater_than", pair, boolType, (a, b) => compare(a, b) > 0)],
    },
    {
      name: "isLessThan",
      overloads: [member("semver_is_less_than", pair, boolType, (a, b) => compare(a, b) < 0)],
    },
    { name: "compareTo", overloads: [member("semver_compare_to", pair, intType, compare)] },
    part("major"),
    part("minor"),
    part("patch"),
  ],
  equality: [unitEquality(semverType)],
};
