// String formats of schemas, as lenient as upstream's Go functions. Names are compared without
// dashes: `date-time` and `datetime` are the same format.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/validation/formats.go;
// k8s.io/kube-openapi/pkg/validation/strfmt and pkg/internal/third_party/govalidator.
import { isGoEmail } from "./email.ts";
import { isCidr, isIpv4, isIpv6, isMac } from "./network.ts";
import { isDate, isDateTime, isDuration } from "./time.ts";
import { isRequestUri } from "./uri.ts";

/** Whether a string has the format. */
export type StringFormat = (text: string) => boolean;

const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
const isHexColor = /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/;
const rgbPart = "(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])";
const space = "[\\t\\n\\f\\r ]*";
const isRgbColor = new RegExp(
  `^rgb\\(${space}${rgbPart}${space},${space}${rgbPart}${space},${space}${rgbPart}${space}\\)$`,
);
const isSsn = /^\d{3}[- ]?\d{2}[- ]?\d{4}$/;
const cardNumber =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;
const hostChar = "a-zA-Z0-9\\p{S}\\p{L}";
const hostname = new RegExp(
  `^(?:[${hostChar}](?:-?[${hostChar}]{0,62})?|(?:[${hostChar}](?:[${hostChar}\\-]{0,61}[${hostChar}])?\\.)+[a-zA-Z\\p{L}]{2,63})$`,
  "u",
);
const shortName = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;

const uuid = (third: string, fourth: string): StringFormat => {
  const pattern = new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${third}-?${fourth}-?[0-9a-f]{12}$`, "i");
  return (text) => pattern.test(text);
};

const formats: ReadonlyMap<string, StringFormat> = new Map<string, StringFormat>([
  ["bsonobjectid", (text) => /^[0-9a-fA-F]{24}$/.test(text)],
  ["uri", isRequestUri],
  ["email", isGoEmail],
  ["hostname", isHostname],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
  ["cidr", isCidr],
  ["mac", isMac],
  ["uuid", uuid("[0-9a-f]{4}", "[0-9a-f]{4}")],
  ["uuid3", uuid("3[0-9a-f]{3}", "[0-9a-f]{4}")],
  ["uuid4", uuid("4[0-9a-f]{3}", "[89ab][0-9a-f]{3}")],
  ["uuid5", uuid("5[0-9a-f]{3}", "[89ab][0-9a-f]{3}")],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["creditcard", isCreditCard],
  ["ssn", (text) => text.length === 11 && isSsn.test(text)],
  ["hexcolor", (text) => isHexColor.test(text)],
  ["rgbcolor", (text) => isRgbColor.test(text)],
  ["byte", (text) => isBase64.test(text)],
  ["password", () => true],
  ["date", isDate],
  ["duration", isDuration],
  ["datetime", isDateTime],
  ["k8sshortname", (text) => text.length <= 63 && shortName.test(text)],
  [
    "k8slongname",
    (text) => text.length <= 253 && text.split(".").every((label) => shortName.test(label)),
  ],
]);

/** The check for a format's name, dashes ignored; undefined for formats that are not enforced. */
export function findStringFormat(name: string): StringFormat | undefined {
  return formats.get(name.replaceAll("-", ""));
}

/** Whether a number type knows the format. */
export function isNumberFormat(type: string, format: string): boolean {
  if (type === "integer") return format === "int32" || format === "int64";
  return type === "number" && (format === "float" || format === "double");
}

function isHostname(text: string): boolean {
  return (
    hostname.test(text) &&
    Buffer.byteLength(text) <= 255 &&
    text.split(".").every((label) => Buffer.byteLength(label) <= 63)
  );
}

function isIsbn10(text: string): boolean {
  const digits = withoutSeparators(text);
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 10; i++) sum += (i + 1) * (digits[i] === "X" ? 10 : Number(digits[i]));
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = withoutSeparators(text);
  if (!/^[0-9]{13}$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 12; i++) sum += (i % 2 ? 3 : 1) * Number(digits[i]);
  return Number(digits[12]) === (10 - (sum % 10)) % 10;
}

const withoutSeparators = (text: string): string => text.replace(/[\t\n\f\r -]+/g, "");

/** Ignores all characters between the digits; the last digit is Luhn's check digit. */
function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, "");
  if (!cardNumber.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const doubled = Number(digits[digits.length - 1 - i]) * (i % 2 ? 2 : 1);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
