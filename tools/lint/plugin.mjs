// The project's own lint rules, for what no published rule says. Each has a planted breach in test/architecture/lint.test.ts.
// Which folders they hold for stands in .oxlintrc.json.

const isNamed = (node, name) => node.type === "Identifier" && node.name === name;

/** The process's clock is read in one file; everybody else is given a Clock. `new Date(value)` and `Date.parse` are arithmetic. */
const noAmbientClock = {
  meta: { type: "problem" },
  create(context) {
    const report = (node) => context.report({ node, message: "reads the process's clock: take a Clock (homeostat/runtime) as a parameter" });
    return {
      NewExpression(node) {
        if (isNamed(node.callee, "Date") && node.arguments.length === 0) report(node);
      },
      CallExpression(node) {
        const { callee } = node;
        if (isNamed(callee, "Date")) report(node);
        if (callee.type === "MemberExpression" && isNamed(callee.object, "Date") && isNamed(callee.property, "now")) report(node);
      },
    };
  },
};

/** Two servers in one process must not meet in a module: state lives in what a create function returns. */
const noModuleState = {
  meta: { type: "problem" },
  create(context) {
    const check = (declaration) => {
      if (declaration?.type !== "VariableDeclaration" || declaration.kind === "const") return;
      context.report({ node: declaration, message: `a module-level \`${declaration.kind}\` is shared by everything in the process: keep state in what a create function returns` });
    };
    return {
      Program(node) {
        for (const statement of node.body) check(statement.type === "ExportNamedDeclaration" ? statement.declaration : statement);
      },
    };
  },
};

export default { meta: { name: "homeostat" }, rules: { "no-ambient-clock": noAmbientClock, "no-module-state": noModuleState } };
