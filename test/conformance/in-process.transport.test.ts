// The in-process transport runs the transport suite.
import { createInProcessTransport } from "@homeostat/apiserver";
import { transportSuite } from "./transport.suite.ts";

transportSuite("in-process", async (handler) => ({
  transport: createInProcessTransport(handler, { name: "tester", groups: [] }),
  close: () => Promise.resolve(),
}));
