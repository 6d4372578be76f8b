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
import { LibraryType } from "../functions/library-type.ts";
import type { Library } from "../environment/environment.ts";
import { listType, optionalType, stringType, structType } from "../types/type.ts";
import { ValueList } from "../values/list.ts";
import { none, Optional } from "../values/optional.ts";
import type { CelValue } from "../values/value.ts";
import { dateSeconds } from "../values/timestamp.ts";
import { parseGoUrl } from "../go/url.ts";
import {
  labelRule,
  labelValueRule,
  type NameRule,
  qualifiedNameRule,
  rfc1035LabelRule,
  subdomainRule,
} from "./name-rules.ts";

interface NamedFormat {
  readonly name: string;
  readonly rule: NameRule;
  /** Validation is charged as a pattern of this length. */
  readonly maxPatternSize: number;
}

const namedFormats = new LibraryType<NamedFormat>({
  type: structType("kubernetes.NamedFormat"),
  equal: (a, b) => a.name === b.name,
  print: (format) => format.name,
});

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
const isUuid = (text: string): boolean => uuidPattern.test(text);
const isBase64 = (text: string): boolean => base64Pattern.test(text);

/** By name in expressions: how the format prints, its rule, and the length of its pattern. */
const definitions: readonly (readonly [string, string, NameRule, number])[] = [
  ["dns1123Label", "DNS1123Label", labelRule, 30],
  ["dns1123Subdomain", "DNS1123Subdomain", subdomainRule, 60],
  ["dns1035Label", "DNS1035Label", rfc1035LabelRule, 30],
  ["qualifiedName", "QualifiedName", qualifiedNameRule, 60],
  ["dns1123LabelPrefix", "DNS1123LabelPrefix", prefix(labelRule), 30],
  ["dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", prefix(subdomainRule), 60],
  ["dns1035LabelPrefix", "DNS1035LabelPrefix", prefix(rfc1035LabelRule), 30],
  ["labelValue", "LabelValue", labelValueRule, 40],
  ["uri", "URI", uriRule, 1103],
  ["uuid", "uuid", matching(isUuid, "does not match the UUID format"), 70],
  ["byte", "byte", matching(isBase64, "invalid base64"), 84],
  ["date", "date", matching(isDate, "invalid date"), 71],
  ["datetime", "datetime", matching(isDateTime, "invalid datetime"), 71],
];
const formats: ReadonlyMap<string, CelValue> = new Map(
  definitions.map(([key, name, rule, maxPatternSize]) => [
    key,
    namedFormats.wrap({ name, rule, maxPatternSize }),
  ]),
);

const validate: Implementation = (format, text) => {
  const faults = namedFormats.unwrap(format).rule(text as string);
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
    Math.ceil((namedFormats.find(args[0])?.maxPatternSize ?? 0) * patternFactor),
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

/** Named formats. */
export const formatLibrary: Library = {
  name: "kubernetes formats",
  functions: [
    ...Array.from(formats, ([name, format]) => ({
      name: `format.${name}`,
      overloads: [overload(`format.${name}`, [], namedFormats.type, () => format)],
    })),
    {
      name: "format.named",
      overloads: [overload("format-named", [stringType], optionalType(namedFormats.type), named)],
    },
    pricedFunction(validatePrice, {
      name: "validate",
      overloads: [
        member(
          "format-validate",
          [namedFormats.type, stringType],
          optionalType(listType(stringType)),
          validate,
        ),
      ],
    }),
  ],
  equality: [
    { type: namedFormats.type, estimate: () => passEstimate({ min: 1, max: longestFormatName }) },
  ],
};
