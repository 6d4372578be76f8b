#!/usr/bin/env node
// npm create homeostat: hands every argument to `homeostat init`. Knows nothing else.
import { fileURLToPath } from "node:url";

const command = import.meta.resolve("@homeostat/cli/bin/homeostat.js");
// As if that command had been started itself: it may start again on another Node, with these very arguments.
process.argv.splice(1, 1, fileURLToPath(command), "init");
await import(command);
