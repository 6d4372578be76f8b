// Property names as CEL identifiers and back: `min-lanes` is written `min__dash__lanes`,
// `namespace` is `__namespace__`.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/escaping.go.

/** Words that CEL keeps for itself. */
export const reservedWords: ReadonlySet<string> = new Set([
  "true",
  "false",
  "null",
  "in",
  "as",
  "break",
  "const",
  "continue",
  "else",
  "for",
  "function",
  "if",
  "import",
  "let",
  "loop",
  "package",
  "namespace",
  "return",
  "var",
  "void",
  "while",
]);

const spelled: Readonly<Record<string, string>> = {
  __: "underscores",
  ".": "dot",
  "-": "dash",
  "/": "slash",
};
const meant: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(spelled).map(([text, word]) => [word, text]),
);

/** A name as an identifier, or undefined where it has none (digits first, other characters). */
export function escapeName(name: string): string | undefined {
  if (!/^[A-Za-z_./-][\w./-]*$/.test(name)) return undefined;
  return reservedWords.has(name)
    ? `__${name}__`
    : name.replace(/__|[-./]/g, (text) => `__${spelled[text]}__`);
}

/** The name that an identifier stands for, or undefined for an escape that does not exist. */
export function unescapeName(identifier: string): string | undefined {
  let valid = true;
  const name = identifier.replace(/__([^_]+)__/g, (whole, word: string) => {
    const text = Object.hasOwn(meant, word) ? meant[word]! : undefined;
    if (text !== undefined) return text;
    if (!reservedWords.has(word) || whole.length !== identifier.length) valid = false;
    return word;
  });
  return valid ? name : undefined;
}
