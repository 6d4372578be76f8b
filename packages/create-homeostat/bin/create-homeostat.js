#!/usr/bin/env node
// npm create homeostat: hands every argument to `homeostat init`. Knows nothing else.
process.argv.splice(2, 0, "init");
await import("@homeostat/cli/bin/homeostat.js");
