// Rules for names, keys and label parts: every breach as upstream's message, none when all is well.
// Upstream: k8s.io/apimachinery pkg/api/validate/content (dns.go, kube.go), pkg/util/validation/validation.go,
// pkg/api/validation/generic.go.

/** Messages of every breach of a rule. */
export type TextRule = (text: string) => readonly string[];

/** A rule for metadata.name; with `prefixOnly` the text is a generateName, which may end in a dash. */
export type NameRule = (name: string, prefixOnly: boolean) => readonly string[];

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain = `${label}(\\.${label})*`;
const label1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const keyPart = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const configKey = "[-._a-zA-Z0-9]+";

const labelPattern = new RegExp(`^${label}$`);
const subdomainPattern = new RegExp(`^${subdomain}$`);
const label1035Pattern = new RegExp(`^${label1035}$`);
const keyPartPattern = new RegExp(`^${keyPart}$`);
const configKeyPattern = new RegExp(`^${configKey}$`);

/** `example.com`. */
export const isDns1123Subdomain: TextRule = (text) => [
  ...tooLong(text, 253, "bytes"),
  ...mismatch(subdomainPattern, text, "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character", subdomain, "example.com"),
];

/** `my-name`. */
export const isDns1123Label: TextRule = (text) => [
  ...tooLong(text, 63, "bytes"),
  ...(!labelPattern.test(text) && subdomainPattern.test(text)
    ? ["must not contain dots"]
    : mismatch(labelPattern, text, "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character", label, "my-name", "123-abc")),
];

/** `my-name`, not starting with a digit. */
export const isDns1035Label: TextRule = (text) => [
  ...tooLong(text, 63, "characters"),
  ...mismatch(label1035Pattern, text, "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character", label1035, "my-name", "abc-123"),
];

/** `example.com/My.Name` or `MyName`: keys of labels, finalizers, condition types. */
export const isQualifiedName: TextRule = (text) => {
  const parts = text.split("/");
  const rule = regexText("must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character", keyPart, "MyName", "my.name", "123-abc");
  if (parts.length > 2) return [`a valid label key ${rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const name = parts.at(-1)!;
  return [
    ...(parts.length === 2 ? prefixFaults(parts[0]!) : []),
    ...(name ? tooLong(name, 63, "bytes").map((text) => `name part ${text}`) : ["name part must be non-empty"]),
    ...(keyPartPattern.test(name) ? [] : [`name part ${rule}`]),
  ];
};

/** Keys of ConfigMaps and Secrets. */
export const isConfigMapKey: TextRule = (text) => [
  ...tooLong(text, 253, "characters"),
  ...mismatch(configKeyPattern, text, "a valid config key must consist of alphanumeric characters, '-', '_' or '.'", configKey, "key.name", "KEY_NAME", "key-name"),
  ...(text === "." ? ["must not be '.'"] : text === ".." ? ["must not be '..'"] : text.startsWith("..") ? ["must not start with '..'"] : []),
];

/** metadata.name is a DNS subdomain: most kinds. */
export const nameIsDnsSubdomain: NameRule = (name, prefixOnly) => isDns1123Subdomain(prefixOnly ? maskTrailingDash(name) : name);
/** metadata.name is a DNS label: namespaces. */
export const nameIsDnsLabel: NameRule = (name, prefixOnly) => isDns1123Label(prefixOnly ? maskTrailingDash(name) : name);
/** metadata.name is a DNS label that starts with a letter. */
export const nameIsDns1035Label: NameRule = (name, prefixOnly) => isDns1035Label(prefixOnly ? maskTrailingDash(name) : name);
/** metadata.name must only be safe in a path: RBAC objects. */
export const nameIsPathSegment: NameRule = (name, prefixOnly) => [
  ...(!prefixOnly && (name === "." || name === "..") ? [`may not be '${name}'`] : []),
  ...["/", "%"].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`),
];

function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name;
}

function prefixFaults(prefix: string): readonly string[] {
  return prefix ? isDns1123Subdomain(prefix).map((text) => `prefix part ${text}`) : ["prefix part must be non-empty"];
}

function tooLong(text: string, max: number, unit: "bytes" | "characters"): readonly string[] {
  return Buffer.byteLength(text) > max ? [`must be no more than ${max} ${unit}`] : [];
}

function mismatch(pattern: RegExp, text: string, rule: string, source: string, ...examples: readonly string[]): readonly string[] {
  return pattern.test(text) ? [] : [regexText(rule, source, ...examples)];
}

function regexText(rule: string, source: string, ...examples: readonly string[]): string {
  return `${rule} (e.g. ${examples.map((example) => `'${example}'`).join(", or ")}, regex used for validation is '${source}')`;
}
