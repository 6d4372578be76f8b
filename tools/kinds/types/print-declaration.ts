// Prints single declarations: documentation, an interface, a closed set of strings. Pure; the
// formatter lays out the text.

/** One printed field. */
export interface Field {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
}

export function printDocs(text: string, link: string): string {
  const see = ` * @see ${link}`;
  return `\n/**\n * ${text}\n${see.length > 100 ? ` * @see\n * ${link}` : see}\n */`;
}

/** An interface; `head` is its name with what it extends. */
export function printInterface(docs: string, head: string, fields: readonly Field[]): string {
  if (fields.length > 0)
    return [docs, `export interface ${head} {`, ...printFields(fields), "}"].join("\n");
  if (head.includes(" ")) return `${docs}\nexport interface ${head} {}`;
  return `${docs}\nexport type ${head} = Readonly<Record<string, never>>;`;
}

/** The lines between an interface's braces. */
export function printFields(fields: readonly Field[]): readonly string[] {
  return fields.map(
    (field) => `  readonly ${printKey(field.name)}${field.required ? "" : "?"}: ${field.type};`,
  );
}

export function printEnum(name: string, values: readonly string[]): string {
  const union = values.map((value) => JSON.stringify(value)).join(" | ");
  return `\n/** The values of ${name} that Kubernetes publishes. */\nexport type ${name} = ${union};`;
}

const printKey = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
