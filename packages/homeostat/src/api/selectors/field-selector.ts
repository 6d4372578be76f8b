// Field selectors as text, e.g. `metadata.name=web,status.phase!=Failed`: parsing with the API
// server's messages, matching and formatting. Kinds define which fields exist.
// Upstream: k8s.io/apimachinery/pkg/fields/selector.go.
import { compareBytewise } from "../encode-json.ts";
import { SelectorSyntaxError } from "./selector-syntax-error.ts";
import { checkArgument } from "../../util/call-options.ts";

/** One requirement on one field. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** All requirements must match; an empty selector matches everything. */
export type FieldSelector = readonly FieldRequirement[];

/**
 * Parses a selector; skips empty terms, and those without field and value.
 * @throws SelectorSyntaxError
 */
export function parseFieldSelector(selector: string): FieldSelector {
  return splitTerms(selector)
    .toSorted(compareBytewise)
    .filter((term) => term !== "")
    .map((term) => parseTerm(term, selector))
    .filter(({ field, value }) => field !== "" || value !== "");
}

/** True when every requirement matches; `valueOf` returns "" for a missing field. */
export function matchesFields(
  selector: FieldSelector,
  valueOf: (field: string) => string,
): boolean {
  for (const { field, operator, value } of selector)
    if ((valueOf(field) === value) !== (operator === "=")) return false;
  return true;
}

/** The value that the selector requires a field to equal, if any. */
export function exactField(selector: FieldSelector, field: string): string | undefined {
  return selector.find((requirement) => requirement.field === field && requirement.operator === "=")
    ?.value;
}

/** Formats a selector so that it parses to the same value. */
export function formatFieldSelector(selector: FieldSelector): string {
  return selector
    .map(({ field, operator, value }) => `${field}${operator}${value.replace(/[\\,=]/g, "\\$&")}`)
    .join(",");
}

/** Splits at commas without a backslash before them. */
function splitTerms(selector: string): string[] {
  checkArgument("parseFieldSelector(…)", ["its argument", selector], "a string");
  if (!selector) return [];
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < selector.length; i++) {
    if (selector[i] === "\\") i++;
    else if (selector[i] === ",") {
      terms.push(selector.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(selector.slice(start));
  return terms;
}

function parseTerm(term: string, selector: string): FieldRequirement {
  const match = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
  if (!match)
    throw new SelectorSyntaxError(`invalid selector: '${selector}'; can't understand '${term}'`);
  return { field: match[1]!, operator: match[2] === "!=" ? "!=" : "=", value: unescape(match[3]!) };
}

function unescape(text: string): string {
  let out = "";
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (c === "," || c === "=")
      throw new SelectorSyntaxError(
        `invalid field selector: unescaped character in value: ${c.codePointAt(0)}`,
      );
    if (c !== "\\") {
      out += c;
      continue;
    }
    const escaped = text[++i];
    if (escaped === undefined)
      throw new SelectorSyntaxError("invalid field selector: invalid escape sequence: \\");
    if (escaped !== "\\" && escaped !== "," && escaped !== "=")
      throw new SelectorSyntaxError(
        `invalid field selector: invalid escape sequence: \\${String.fromCodePoint(text.codePointAt(i)!)}`,
      );
    out += escaped;
  }
  return out;
}
