// The descriptions that OpenAPI documents carry when they are asked for. They have their own file:
// they are twice as large as all other data about the kinds.

/** A model, its text, and those of its fields. */
export type ModelDescription = readonly [
  model: string,
  text: string,
  fields: Readonly<Record<string, string>>,
];

/** Texts by what they describe; undefined where there is none. */
export interface Descriptions {
  modelOf(model: string): ModelDescription | undefined;
  /** `key` is e.g. `limit in query`, `where` a subresource such as `pods/log`, or `patch`. */
  parameter(key: string, where: string): string | undefined;
  /** Of a path that is no resource. */
  path(path: string): string | undefined;
}

type Texts = Readonly<Record<string, string>>;

/** Opens the text of a file: a head, the parameters, the paths, and a line for each model. */
export function openDescriptions(text: string): Descriptions {
  const [, parameterLine, pathLine, ...lines] = text.trimEnd().split("\n");
  const parameters = textsOf(parameterLine!);
  const paths = textsOf(pathLine!);
  const models = new Map(
    lines.map((line) => {
      const model = JSON.parse(line) as ModelDescription;
      return [model[0], model] as const;
    }),
  );
  return {
    modelOf: (model) => models.get(model),
    parameter: (key, where) => own(parameters, `${key} of ${where}`) ?? own(parameters, key),
    path: (path) => own(paths, path),
  };
}

const textsOf = (line: string): Texts => (JSON.parse(line) as readonly [string, Texts])[1];

const own = (texts: Texts, key: string): string | undefined =>
  Object.hasOwn(texts, key) ? texts[key] : undefined;
