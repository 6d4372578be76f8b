// Named formats: `format.dns1123Label().validate(x)` returns an optional list of errors.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/library/format.go, pkg/cel/format.go;
// k8s.io/apimachinery pkg/api/validation.
import { actualSize } from "../cost/actual-size.ts";
import { scaleEstimate } from "../cost/estimate.ts";
import { patternFactor, type Price, sizeOf, traversal } from "../cost/price.ts";
import { passEstimate } from "../cost/prices.ts";
import {
  type Implementation,
  member,
  overload,
  pricedFunction,
} from "../functions/declarations.ts";
import type { Library } from "../environment/environment.ts";
import { listType, optionalType, stringType, structType } from "../types/type.ts";
import { noSuchOverload } from "../values/cel-error.ts";
import { ValueList } from "../values/list.ts";
import { none, Optional } from "../values/optional.ts";
import { dateSeconds } from "../values/timestamp.ts";
import { CelObject, type CelValue } from "../values/value.ts";
import { parseGoUrl } from "../go/url.ts";
import {
  labelRule,
  labelValueRule,
  type NameRule,
  qualifiedNameRule,
  rfc1035LabelRule,
  subdomainRule,
} from "./name-rules.ts";

const formatType = structType("kubernetes.NamedFormat");

class NamedFormat extends CelObject {
  readonly type = formatType;
  readonly name: string;
  readonly rule: NameRule;
  /** Validation is charged as a pattern of this length. */
  readonly maxPatternSize: number;

  constructor(name: string, rule: NameRule, maxPatternSize: number) {
    super();
    this.name = name;
    this.rule = rule;
    this.maxPatternSize = maxPatternSize;
  }

  equals(other: CelValue): boolean {
    if (!(other instanceof NamedFormat)) throw noSuchOverload();
    return other.name === this.name;
  }

  toString(): string {
    return this.name;
  }
}

/** The rule for prefixes of generated names, whose last dash may stay. */
const prefix =
  (rule: NameRule): NameRule =>
  (text) =>
    rule(text.endsWith("-") ? `${text.slice(0, -1)}a` : text);
const matching =
  (test: (text: string) => boolean, complaint: string): NameRule =>
  (text) =>
    test(text) ? [] : [complaint];

function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  return (
    match !== null &&
    dateSeconds(Number(match[1]), Number(match[2]), Number(match[3])) !== undefined
  );
}

function isDateTime(text: string): boolean {
  const [day, clock] = text.toLowerCase().split("t");
  const match =
    clock === undefined
      ? null
      : /^([0-9]{2}):([0-9]{2}):([0-9]{2})([^\n][0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/.exec(clock);
  return (
    match !== null && isDate(day!) && match[1]! <= "23" && match[2]! <= "59" && match[3]! <= "59"
  );
}

const uriRule: NameRule = (text) => {
  const url = parseGoUrl(text);
  return "error" in url ? [url.error] : [];
};

const uuidPattern = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const base64Pattern =
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
const dateTimePatternSize = 71;
const uuidPatternSize = 70;

const formats: ReadonlyMap<string, NamedFormat> = new Map([
  ["dns1123Label", new NamedFormat("DNS1123Label", labelRule, 30)],
  ["dns1123Subdomain", new NamedFormat("DNS1123Subdomain", subdomainRule, 60)],
  ["dns1035Label", new NamedFormat("DNS1035Label", rfc1035LabelRule, 30)],
  ["qualifiedName", new NamedFormat("QualifiedName", qualifiedNameRule, 60)],
  ["dns1123LabelPrefix", new NamedFormat("DNS1123LabelPrefix", prefix(labelRule), 30)],
  ["dns1123SubdomainPrefix", new NamedFormat("DNS1123SubdomainPrefix", prefix(subdomainRule), 60)],
  ["dns1035LabelPrefix", new NamedFormat("DNS1035LabelPrefix", prefix(rfc1035LabelRule), 30)],
  ["labelValue", new NamedFormat("LabelValue", labelValueRule, 40)],
  ["uri", new NamedFormat("URI", uriRule, 1103)],
  [
    "uuid",
    new NamedFormat(
      "uuid",
      matching((text) => uuidPattern.test(text), "does not match the UUID format"),
      uuidPatternSize,
    ),
  ],
  [
    "byte",
    new NamedFormat(
      "byte",
      matching((text) => base64Pattern.test(text), "invalid base64"),
      84,
    ),
  ],
  ["date", new NamedFormat("date", matching(isDate, "invalid date"), dateTimePatternSize)],
  [
    "datetime",
    new NamedFormat("datetime", matching(isDateTime, "invalid datetime"), dateTimePatternSize),
  ],
]);

const validate: Implementation = (format, text) => {
  const faults = (format as NamedFormat).rule(text as string);
  return faults.length === 0 ? none : new Optional(new ValueList([...faults]));
};

const named: Implementation = (name) => {
  const format = formats.get(name as string);
  return format ? new Optional(format) : none;
};

/** Longest pattern behind a named format, as estimates assume. */
const longestPattern = 128;
/** Longest name of a format, as estimates assume. */
const longestFormatName = 64;

/** The price of a pattern of the format's length. */
const validatePrice: Price = {
  actual: (args) =>
    Math.ceil((1 + actualSize(args[1]!)) * traversal) *
    Math.ceil(patternSizeOf(args[0]!) * patternFactor),
  estimate: (site) =>
    site.args[0]
      ? {
          cost: scaleEstimate(
            passEstimate(sizeOf(site.args[0], site)),
            longestPattern * patternFactor,
          ),
        }
      : undefined,
};

const patternSizeOf = (format: CelValue): number =>
  format instanceof NamedFormat ? format.maxPatternSize : 0;

/** Named formats. */
export const formatLibrary: Library = {
  name: "kubernetes formats",
  functions: [
    ...Array.from(formats, ([name, format]) => ({
      name: `format.${name}`,
      overloads: [overload(`format.${name}`, [], formatType, () => format)],
    })),
    {
      name: "format.named",
      overloads: [overload("format-named", [stringType], optionalType(formatType), named)],
    },
    pricedFunction(validatePrice, {
      name: "validate",
      overloads: [
        member(
          "format-validate",
          [formatType, stringType],
          optionalType(listType(stringType)),
          validate,
        ),
      ],
    }),
  ],
  equality: [
    { type: formatType, estimate: () => passEstimate({ min: 1, max: longestFormatName }) },
  ],
};
