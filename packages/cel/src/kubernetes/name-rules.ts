// The syntax of names, labels and label keys, with the messages that a Kubernetes API server gives.
// homeostat/api has the same rules for clients; test/conformance/name-rules.test.ts compares them.
// Upstream: k8s.io/apimachinery/pkg/api/validate/content (kube.go, dns.go, errors.go).

/** Checks a text and returns one message for each breach. */
export type NameRule = (text: string) => readonly string[];

interface Syntax {
  readonly format: string;
  readonly maxBytes: number;
  /** Upstream counts bytes and calls them characters in messages about names. */
  readonly unit: "bytes" | "characters";
  /** What the text must be, e.g. `a DNS-1035 label must consist of …`. */
  readonly demand: string;
  readonly examples: readonly string[];
}

const labelFormat = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomainFormat = `${labelFormat}(\\.${labelFormat})*`;
const wordFormat = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const wordDemand =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

const subdomain: Syntax = {
  format: subdomainFormat,
  maxBytes: 253,
  unit: "characters",
  demand:
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  examples: ["example.com"],
};

/** A syntax of at most 63 bytes. */
const short = (
  unit: Syntax["unit"],
  format: string,
  demand: string,
  examples: readonly string[],
): Syntax => ({ format, maxBytes: 63, unit, demand, examples });

const label = short(
  "characters",
  labelFormat,
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  ["my-name", "123-abc"],
);
const oldLabel = short(
  "characters",
  "[a-z]([-a-z0-9]*[a-z0-9])?",
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  ["my-name", "abc-123"],
);
const keyName = short("bytes", wordFormat, wordDemand, ["MyName", "my.name", "123-abc"]);
const value = short(
  "bytes",
  `(${wordFormat})?`,
  `a valid label must be an empty string or ${wordDemand.slice("must ".length)}`,
  ["MyValue", "my_value", "12345"],
);

const subdomainPattern = whole(subdomain);

/** RFC 1123 subdomain: names of most objects. */
export const subdomainRule: NameRule = rule(subdomain);
/** RFC 1035 label. */
export const rfc1035LabelRule: NameRule = rule(oldLabel);
/** Value of a label. */
export const labelValueRule: NameRule = rule(value);

/** RFC 1123 label. The message for subdomains says that dots are the fault. */
export const labelRule: NameRule = rule(label, (text) =>
  subdomainPattern.test(text) ? "must not contain dots" : explain(label),
);

const keyNameRule = rule(keyName);
const keyPrefixRule = rule({ ...subdomain, unit: "bytes" });

/** Key of a label, also called a qualified name: `name` or `example.com/name`. */
export const qualifiedNameRule: NameRule = (key) => {
  const parts = key.split("/");
  const name = parts.pop()!;
  const [prefix] = parts;
  if (parts.length > 1)
    return [
      `a valid label key ${explain(keyName)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  const prefixFaults = prefix === "" ? ["must be non-empty"] : keyPrefixRule(prefix ?? "example");
  const nameFaults = name === "" ? ["must be non-empty", explain(keyName)] : keyNameRule(name);
  return [
    ...prefixFaults.map((fault) => `prefix part ${fault}`),
    ...nameFaults.map((fault) => `name part ${fault}`),
  ];
};

function rule(syntax: Syntax, mismatch: NameRuleMessage = () => explain(syntax)): NameRule {
  const pattern = whole(syntax);
  const tooLong = `must be no more than ${syntax.maxBytes} ${syntax.unit}`;
  return (text) => [
    ...(Buffer.byteLength(text) > syntax.maxBytes ? [tooLong] : []),
    ...(pattern.test(text) ? [] : [mismatch(text)]),
  ];
}

type NameRuleMessage = (text: string) => string;

/** `must … (e.g. 'a',  or 'b', regex used for validation is '…')`. */
function explain({ demand, examples, format }: Syntax): string {
  const quoted = examples.map((example) => `'${example}', `).join(" or ");
  return `${demand} (e.g. ${quoted}regex used for validation is '${format}')`;
}

function whole({ format }: Syntax): RegExp {
  return new RegExp(`^(?:${format})$`);
}
