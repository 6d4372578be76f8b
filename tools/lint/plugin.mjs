// The project's own lint rules. Each has a planted breach in test/architecture/lint.test.ts;
// .oxlintrc.json sets the folders they apply to.

const isNamed = (node, name) => node.type === "Identifier" && node.name === name;

/**
 * One file reads the process's clock; all other code receives a Clock. `new Date(value)` and
 * `Date.parse` are arithmetic.
 */
const noAmbientClock = {
  meta: { type: "problem" },
  create(context) {
    const report = (node) =>
      context.report({
        node,
        message: "reads the process's clock: take a Clock (homeostat/runtime) as a parameter",
      });
    return {
      NewExpression(node) {
        if (isNamed(node.callee, "Date") && node.arguments.length === 0) report(node);
      },
      CallExpression(node) {
        const { callee } = node;
        if (isNamed(callee, "Date")) report(node);
        if (
          callee.type === "MemberExpression" &&
          isNamed(callee.object, "Date") &&
          isNamed(callee.property, "now")
        )
          report(node);
      },
    };
  },
};

/**
 * `new Map()`: a collection that can only be meant to be filled later. A WeakMap is a view on
 * objects, and holds nothing.
 */
const isEmptyCollection = (node) =>
  node?.type === "NewExpression" &&
  (isNamed(node.callee, "Map") || isNamed(node.callee, "Set")) &&
  node.arguments.length === 0;

/** `const none: ReadonlySet<string> = …`: stays empty. */
const isReadonly = (id) =>
  id.typeAnnotation?.typeAnnotation?.typeName?.name?.startsWith("Readonly") === true;

/**
 * Two servers in one process must not meet in a module: state lives in what a create function
 * returns.
 */
const noModuleState = {
  meta: { type: "problem" },
  create(context) {
    const check = (declaration) => {
      if (declaration?.type !== "VariableDeclaration") return;
      for (const { id, init } of declaration.declarations) {
        if (isEmptyCollection(init) && !isReadonly(id))
          context.report({
            node: id,
            message:
              "an empty collection in a module fills up for everything in the process: keep it in what a create function returns",
          });
      }
      if (declaration.kind === "const") return;
      context.report({
        node: declaration,
        message: `a module-level \`${declaration.kind}\` is shared by everything in the process: keep state in what a create function returns`,
      });
    };
    return {
      Program(node) {
        for (const statement of node.body)
          check(statement.type === "ExportNamedDeclaration" ? statement.declaration : statement);
      },
    };
  },
};

const lineLimit = 100;
/** What the formatter keeps behind a literal: `, async () => {` of a test, closing brackets. */
const tailLength = 25;

/** A comment line of one word, such as an import path or a URL, has no place to break. */
const isUnbreakableComment = (line) => /^\s*(?:\/\/|\*|\/\*\*?)\s*(?:@\w+\s+)?\S+\s*$/.test(line);

/**
 * Lines end at 100 columns. Only a string, template or regular expression at the limit, which the
 * formatter does not break either, may make a line longer.
 */
const lineLength = {
  meta: { type: "layout" },
  create(context) {
    const crossing = new Set();
    const mark = ({ loc: { start, end } }) => {
      for (let line = start.line; line <= end.line; line++)
        if (line < end.line || end.column >= lineLimit - tailLength) crossing.add(line);
    };
    return {
      Literal(node) {
        if (typeof node.value === "string" || node.regex) mark(node);
      },
      TemplateLiteral: mark,
      "Program:exit"() {
        const lines = context.sourceCode.text.split("\n");
        for (const [i, text] of lines.entries()) {
          if ([...text].length <= lineLimit || crossing.has(i + 1) || isUnbreakableComment(text))
            continue;
          context.report({
            loc: { start: { line: i + 1, column: 0 }, end: { line: i + 1, column: text.length } },
            message: `the line has ${text.length} columns: break it at ${lineLimit}`,
          });
        }
      },
    };
  },
};

export default {
  meta: { name: "homeostat" },
  rules: {
    "line-length": lineLength,
    "no-ambient-clock": noAmbientClock,
    "no-module-state": noModuleState,
  },
};
