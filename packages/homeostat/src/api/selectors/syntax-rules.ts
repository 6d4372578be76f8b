// The syntax of label keys, label values and DNS names, with the API server's messages. Each rule
// returns the messages of all faults, none for a valid value; the caller adds the field path.
// Upstream: k8s.io/apimachinery/pkg/api/validate/content (kube.go, dns.go, path.go, errors.go).

/** A syntax rule: returns one message per fault. */
export type SyntaxRule = (value: string) => readonly string[];

const labelKeyFormat = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const labelValueFormat = `(${labelKeyFormat})?`;
const dnsLabelFormat = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const dnsSubdomainFormat = `${dnsLabelFormat}(\\.${dnsLabelFormat})*`;
const dns1035LabelFormat = "[a-z]([-a-z0-9]*[a-z0-9])?";

const labelKey = whole(labelKeyFormat);
const labelValue = whole(labelValueFormat);
const dnsLabel = whole(dnsLabelFormat);
const dnsSubdomain = whole(dnsSubdomainFormat);
const dns1035Label = whole(dns1035LabelFormat);

const mustBeSubdomain = formatRegexFault(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  dnsSubdomainFormat,
  "example.com",
);
const mustBeDnsLabel = formatRegexFault(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  dnsLabelFormat,
  "my-name",
  "123-abc",
);
const mustBeName =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const mustBeLabelName = formatRegexFault(
  mustBeName,
  labelKeyFormat,
  "MyName",
  "my.name",
  "123-abc",
);
const mustBeLabelValue = formatRegexFault(
  `a valid label must be an empty string or ${mustBeName.slice("must ".length)}`,
  labelValueFormat,
  "MyValue",
  "my_value",
  "12345",
);

/** Faults of a label key, also called a qualified name: `name` or `example.com/name`. */
export const labelKeyFaults: SyntaxRule = (key) => {
  const parts = key.split("/");
  if (parts.length > 2)
    return [
      `a valid label key ${mustBeLabelName} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  const faults: string[] = [];
  const name = parts.at(-1)!;
  if (parts.length === 2)
    faults.push(
      ...(parts[0]
        ? faultsOf(parts[0], { maxBytes: 253, pattern: dnsSubdomain, message: mustBeSubdomain })
        : ["must be non-empty"]
      ).map((fault) => `prefix part ${fault}`),
    );
  if (!name) faults.push("name part must be non-empty");
  else if (byteLength(name) > 63) faults.push(`name part ${formatLengthFault(63)}`);
  if (!labelKey.test(name)) faults.push(`name part ${mustBeLabelName}`);
  return faults;
};

/** Faults of a label value. */
export const labelValueFaults: SyntaxRule = (value) =>
  faultsOf(value, { maxBytes: 63, pattern: labelValue, message: mustBeLabelValue });

/** Faults of a lower-case RFC 1123 label, e.g. a namespace's name. */
export const dnsLabelFaults: SyntaxRule = (value) =>
  faultsOf(value, {
    maxBytes: 63,
    pattern: dnsLabel,
    message: dnsSubdomain.test(value) ? "must not contain dots" : mustBeDnsLabel,
    unit: "characters",
  });

/** Faults of a lower-case RFC 1123 subdomain: most objects' names. */
export const dnsSubdomainFaults: SyntaxRule = (value) =>
  faultsOf(value, {
    maxBytes: 253,
    pattern: dnsSubdomain,
    message: mustBeSubdomain,
    unit: "characters",
  });

/** Faults of an RFC 1035 label: letters first. */
export const dns1035LabelFaults: SyntaxRule = (value) =>
  faultsOf(value, {
    maxBytes: 63,
    pattern: dns1035Label,
    message: formatRegexFault(
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
      dns1035LabelFormat,
      "my-name",
      "abc-123",
    ),
    unit: "characters",
  });

/** Faults of a name that becomes a path segment. */
export const pathSegmentFaults: SyntaxRule = (name) =>
  name === "." || name === ".." ? [`may not be '${name}'`] : pathSegmentPrefixFaults(name);

/** Faults of a prefix that a path segment will start with. */
export const pathSegmentPrefixFaults: SyntaxRule = (prefix) =>
  ["/", "%"].filter((part) => prefix.includes(part)).map((part) => `may not contain '${part}'`);

/** `must … (e.g. 'a',  or 'b', regex used for validation is '…')`. */
export function formatRegexFault(
  message: string,
  regex: string,
  ...examples: readonly string[]
): string {
  if (!examples.length) return `${message} (regex used for validation is '${regex}')`;
  return `${message} (e.g. ${examples.map((example) => `'${example}', `).join(" or ")}regex used for validation is '${regex}')`;
}

/**
 * `must be no more than 63 bytes`. Upstream counts bytes either way, yet says "characters" for
 * names.
 */
export function formatLengthFault(
  maxBytes: number,
  unit: "bytes" | "characters" = "bytes",
): string {
  return `must be no more than ${maxBytes} ${unit}`;
}

interface Syntax {
  readonly maxBytes: number;
  readonly pattern: RegExp;
  readonly message: string;
  /** Default `bytes`. */
  readonly unit?: "bytes" | "characters";
}

function faultsOf(value: string, { maxBytes, pattern, message, unit }: Syntax): readonly string[] {
  const faults: string[] = [];
  if (byteLength(value) > maxBytes) faults.push(formatLengthFault(maxBytes, unit));
  if (!pattern.test(value)) faults.push(message);
  return faults;
}

function byteLength(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

function whole(format: string): RegExp {
  return new RegExp(`^(?:${format})$`);
}
