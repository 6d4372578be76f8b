#!/usr/bin/env node
// npm create homeostat: passes all arguments to `homeostat init`.
import { fileURLToPath } from "node:url";

const command = import.meta.resolve("@homeostat/cli/bin/homeostat.js");
// The command reads process.argv, also when it restarts itself on another Node.
process.argv.splice(1, 1, fileURLToPath(command), "init");
await import(command);
