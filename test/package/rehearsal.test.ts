// What a user meets: the packages are built, packed and installed in an empty folder; every public
// subpath is imported from compiled JavaScript, the command runs, and a program compiles against
// the packed declarations. Needs npm's cache or a registry for the dependencies; says so and skips
// where there is neither.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { installInto, listOf, must, type Packed, run } from "./run-command.ts";
import { servePackages } from "./serve-packages.ts";
import { startsOnServer } from "./start-project.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folders = ["cel", "homeostat", "apiserver", "testing", "cli", "create-homeostat"];
const compiler = join(root, "node_modules/typescript/bin/tsc");
/** Subpaths without a value. */
const typesOnly = ["homeostat/k8s/admission/v1", "homeostat/k8s/meta/v1"];
/**
 * Installed beside the packages and not in the workspace: it brings a TypeScript of its own and 60
 * packages.
 */
const attw = "@arethetypeswrong/cli@0.18.5";

const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8")) as {
    readonly name: string;
    readonly version: string;
    readonly exports?: Readonly<Record<string, unknown>>;
    readonly bin?: Readonly<Record<string, string>>;
  };

describe("the packages as a user meets them", () => {
  const place = mkdtempSync(join(tmpdir(), "homeostat-package-"));
  const home = join(place, "user");
  let packed: readonly Packed[] = [];
  let missing: string | undefined;

  before(() => {
    for (const folder of folders)
      rmSync(join(root, "packages", folder, "dist"), { recursive: true, force: true });
    must(run(root, process.execPath, "tools/run.mjs", "tools/build/main.ts"));
    const { stdout } = spawnSync(
      "npm",
      [
        "pack",
        "--json",
        "--ignore-scripts",
        "--pack-destination",
        place,
        ...folders.map((folder) => `--workspace=packages/${folder}`),
      ],
      {
        cwd: root,
        encoding: "utf8",
        shell: process.platform === "win32",
      },
    );
    packed = listOf(JSON.parse(stdout) as readonly Packed[] | Readonly<Record<string, Packed>>);
    missing = install();
  });
  after(() => rmSync(place, { recursive: true, force: true }));

  /** Undefined when all is installed, else why it could not be. */
  function install(): string | undefined {
    must(run(place, process.execPath, "-e", `require("fs").mkdirSync(${JSON.stringify(home)})`));
    const versions = (
      JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
        readonly devDependencies: Readonly<Record<string, string>>;
      }
    ).devDependencies;
    writeFileSync(
      join(home, "package.json"),
      JSON.stringify({ name: "user", private: true, type: "module" }),
    );
    return installInto(home, [
      ...packed.map(({ filename }) => join(place, filename)),
      "zod@4.6.7",
      `@types/node@${versions["@types/node"]}`,
    ]);
  }

  const installed = (name: string, check: (t: TestContext) => void | Promise<void>): void => {
    test(name, (t) => (missing === undefined ? check(t) : t.skip(missing)));
  };

  test("each tarball holds licence, notice and its output, and neither tests nor sources", () => {
    assert.deepEqual(
      packed.map(({ name }) => name).sort(),
      folders.map((folder) => manifestOf(folder).name).sort(),
    );
    for (const { name, files } of packed) {
      const paths = files.map(({ path }) => path);
      assert.deepEqual(
        ["LICENSE", "NOTICE", "package.json"].filter((file) => !paths.includes(file)),
        [],
        name,
      );
      assert.deepEqual(
        paths.filter(
          (path) =>
            !/^(?:LICENSE|NOTICE|README\.md|package\.json|(?:bin|dist|data|templates)\/.*)$/.test(
              path,
            ) ||
            (!path.startsWith("templates/") && /\.(test|suite)\.|tsbuildinfo/.test(path)),
        ),
        [],
        name,
      );
    }
    assert.ok(
      packed
        .find(({ name }) => name === "@homeostat/apiserver")
        ?.files.some(({ path }) => path === "data/v1.36.jsonl"),
    );
  });

  installed("every public subpath is there, from compiled JavaScript", () => {
    const specifiers = folders.flatMap((folder) => {
      const { name, exports = {} } = manifestOf(folder);
      return Object.keys(exports)
        .filter((subpath) => !/\.(json|js)$/.test(subpath))
        .map((subpath) => name + subpath.slice(1));
    });
    const program = `for (const specifier of ${JSON.stringify(specifiers)}) {
      const names = Object.keys(await import(specifier));
      if (names.length === 0 && !${JSON.stringify(typesOnly)}.includes(specifier)) throw new Error(specifier + " exports nothing");
      if (!import.meta.resolve(specifier).endsWith(".js")) throw new Error(specifier + " is not compiled");
      console.log(specifier, names.length);
    }`;
    const output = must(run(home, process.execPath, "--input-type=module", "--eval", program));
    assert.equal(output.trim().split("\n").length, specifiers.length, output);
  });

  installed("the packed server starts, and answers from its packed data", () => {
    const program = `
      import { startApiServer } from "@homeostat/apiserver";
      const server = await startApiServer({ protocol: "http" });
      const response = await fetch(server.url + "/api/v1/namespaces/default", { headers: { authorization: "Bearer " + server.token } });
      const { kind, metadata, message } = await response.json();
      console.log(response.status, kind, metadata?.name ?? message);
      await server.close();`;
    assert.equal(
      must(run(home, process.execPath, "--input-type=module", "--eval", program)),
      "200 Namespace default\n",
    );
  });

  installed("a start of the packed command loads a few files, and none that can wait", () => {
    const seen = JSON.parse(
      must(run(home, process.execPath, "--input-type=module", "--eval", listLoads)),
    ) as readonly string[];
    assert.ok(seen.length < 25, `${seen.length} files: ${seen.join(" ")}`);
    assert.deepEqual(
      seen.filter((file) => !startsWith.some((name) => file.startsWith(name))),
      [],
    );
  });

  installed("closed subpaths are closed", () => {
    const ran = run(
      home,
      process.execPath,
      "--input-type=module",
      "--eval",
      'await import("homeostat/dist/queue/workqueue.js")',
    );
    assert.match(ran.output, /ERR_PACKAGE_PATH_NOT_EXPORTED/);
  });

  installed("the command prints its version", () => {
    const output = must(run(home, "npx", "--no-install", "homeostat", "version"));
    assert.match(output, new RegExp(`\\b${manifestOf("cli").version.replaceAll(".", "\\.")}\\b`));
  });

  installed("npm create homeostat makes a project that compiles, and whose test passes", () => {
    must(
      run(
        home,
        process.execPath,
        "node_modules/create-homeostat/bin/create-homeostat.js",
        "greeter",
      ),
    );
    must(run(join(home, "greeter"), process.execPath, compiler, "--pretty", "false", "-p", "."));
    const tested = must(
      run(
        join(home, "greeter"),
        process.execPath,
        "--test",
        "--test-reporter=tap",
        "src/greetings.test.ts",
      ),
    );
    assert.match(tested, /^# pass 2$/m);
    for (const flags of [[], ["--check"]])
      must(
        run(
          join(home, "greeter"),
          process.execPath,
          join(home, "node_modules/@homeostat/cli/bin/homeostat.js"),
          "generate",
          ...flags,
        ),
      );
    const again = run(
      home,
      process.execPath,
      "node_modules/create-homeostat/bin/create-homeostat.js",
      "greeter",
    );
    assert.deepEqual(
      [again.status, again.output.trim()],
      [1, "homeostat: init greeter: the folder is not empty; choose a new or empty folder"],
    );
  });

  const made = async (project: string, vendored: boolean, ...flags: string[]): Promise<void> => {
    // npm packs no file of these names.
    for (const file of [".dockerignore", ".gitignore", ".npmrc"])
      assert.ok(existsSync(join(project, file)), file);
    assert.equal(existsSync(join(project, "vendor")), vendored);
    assert.match(readFileSync(join(project, ".npmrc"), "utf8"), /^engine-strict=true$/m);
    const why = installInto(project, flags);
    assert.equal(why, undefined, why);
    assert.match(must(run(project, "npm", "test")), /pass 2/);
    must(run(project, "npm", "run", "check"));
    must(run(project, "npm", "run", "generate"));
    must(run(project, "npm", "run", "generate", "--", "--check"));
    const manifests = readFileSync(join(project, "manifests/operator.yaml"), "utf8");
    for (const part of ["replicas: 2", "livenessProbe:", "readinessProbe:", "- leases"])
      assert.ok(manifests.includes(part), part);
    await startsOnServer(project);
  };

  for (const [from, command] of [
    ["tarballs", join(home, "node_modules/create-homeostat/bin/create-homeostat.js")],
    ["a checkout", join(root, "packages/create-homeostat/bin/create-homeostat.js")],
  ] as const)
    installed(
      `a project made from ${from} installs, tests and starts in a place of its own`,
      () => {
        const project = join(place, from.replace(/\W/g, "-"));
        must(run(place, process.execPath, command, project));
        return made(project, true);
      },
    );

  installed("a project says in one line which Node it needs", () => {
    const project = join(home, "greeter");
    const versions = `Object.defineProperty(process, "versions", { value: { node: "20.1.0" } })`;
    const old = ["--import", `data:text/javascript,${encodeURIComponent(versions)}`];
    const { scripts } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
    for (const name of ["start", "dev", "test"]) {
      const [command, ...args] = scripts[name].split(" ");
      assert.equal(command, "node");
      const ran = run(
        project,
        process.execPath,
        ...old,
        ...args.filter((one: string) => one !== "&&"),
      );
      const line = /^greeter needs Node 24\.15 or newer, found \S+: https:\/\/nodejs\.org\n$/;
      assert.deepEqual([ran.status, line.test(ran.output)], [1, true], ran.output);
    }
  });

  installed("a project made from a registry installs, tests and starts", async (t) => {
    const registry = await servePackages(place);
    t.after(() => registry.close());
    const from = `--registry=${registry.url}`;
    const project = join(place, "from-registry");
    must(run(place, "npm", "create", "--yes", from, "homeostat", project));
    await made(project, false, from);
    const manifest = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
    assert.equal(manifest.dependencies.homeostat, manifestOf("homeostat").version);
  });

  for (const [module, moduleResolution] of [
    ["nodenext", "nodenext"],
    ["esnext", "bundler"],
  ]) {
    installed(`a program compiles against the packed declarations (${moduleResolution})`, () => {
      copyFileSync(join(root, "test/package/testdata/consumer.ts"), join(home, "consumer.ts"));
      const options = {
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
        noEmit: true,
        target: "es2024",
        module,
        moduleResolution,
        types: ["node"],
        lib: ["es2024", "esnext.disposable"],
      };
      writeFileSync(
        join(home, "tsconfig.json"),
        JSON.stringify({ compilerOptions: options, files: ["consumer.ts"] }),
      );
      must(run(home, process.execPath, compiler, "--pretty", "false", "-p", "."));
    });
  }

  installed("Are the types wrong? No", (t) => {
    const tools = join(place, "attw");
    mkdirSync(tools);
    writeFileSync(join(tools, "package.json"), JSON.stringify({ name: "attw", private: true }));
    const why = installInto(tools, [attw]);
    if (why !== undefined) return t.skip(why);
    for (const { name, filename } of packed.filter((each) => each.name !== "create-homeostat")) {
      const command = join(tools, "node_modules/@arethetypeswrong/cli/dist/index.js");
      const file = join(place, filename);
      const options = ["--profile", "esm-only", "--exclude-entrypoints", "bin/homeostat.js"];
      const ran = run(tools, process.execPath, command, file, ...options);
      assert.equal(ran.status, 0, `${name}\n${ran.output}`);
    }
  });
});

/** Runs `homeostat server` until it is ready; prints the files below node_modules that it loads. */
const listLoads = `
  import { registerHooks } from "node:module";
  const seen = [];
  registerHooks({ load(url, context, next) {
    const file = /node_modules\\/(.*)/.exec(url)?.[1];
    if (file) seen.push(file);
    return next(url, context);
  } });
  const write = process.stdout.write;
  process.stdout.write = (text) => {
    write.call(process.stdout, JSON.stringify(seen));
    process.exit(0);
  };
  process.argv.splice(1, 2, "homeostat", "server", "--kubeconfig", "kubeconfig");
  await import(import.meta.resolve("@homeostat/cli/bin/homeostat.js"));`;
/** What a start needs. Every other file of the packages loads with its first use. */
const startsWith = [
  "@homeostat/cel/dist/net.js",
  "@homeostat/cel/dist/chunks/net.js",
  "@homeostat/apiserver/dist/index.js",
  ...["facade", "server", "port", "controllers", "rolldown-runtime"].map(
    (name) => `@homeostat/apiserver/dist/chunks/${name}.js`,
  ),
  "@homeostat/cli/",
  "homeostat/",
];
