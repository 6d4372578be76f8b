// Formats JSON values as block YAML in the layout of go.yaml.in/yaml/v3, for values of any type in
// binary OpenAPI documents. Texts that are not one printable line are quoted as in JSON, which is
// YAML too.
import { isObject, type Json } from "homeostat/api";

const plain = /^[A-Za-z_][\w.,/+-]*(?: [\w.,/+-]+)*$/;
/** Texts that would read back as another type without double quotes. */
const other = /^(?:|~|null|true|false|y|n|yes|no|on|off|[-+.]?\d.*)$/i;
const printable = /^[ -~]*$/;

/** Formats a value, with a final newline. */
export const toBlockYaml = (value: Json): string => `${block(value, "").trimStart()}\n`;

/** Scalars follow on the same line; collections begin on the next one. */
function block(value: Json, indent: string): string {
  if (Array.isArray(value))
    return value.length
      ? value.map((each) => `\n${indent}- ${block(each, `${indent}  `).trimStart()}`).join("")
      : " []";
  if (!isObject(value)) return ` ${scalar(value)}`;
  const members = Object.entries(value).map(
    ([name, member]) => `\n${indent}${scalar(name)}:${block(member, nextStop(indent))}`,
  );
  return members.length ? members.join("") : " {}";
}

/** Members of members stand at the next multiple of four. */
const nextStop = (indent: string): string => " ".repeat(indent.length + 4 - (indent.length % 4));

function scalar(value: Json): string {
  if (typeof value !== "string" || other.test(value) || !printable.test(value))
    return JSON.stringify(value);
  return plain.test(value) ? value : `'${value.replaceAll("'", "''")}'`;
}
