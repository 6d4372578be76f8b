// The in-process door as a Transport.
import { createInProcessTransport } from "@homeostat/apiserver";
import { transportSuite } from "./transport.suite.ts";

transportSuite("in-process", async (handler) => ({
  transport: createInProcessTransport(handler, { name: "tester", groups: [] }),
  close: () => Promise.resolve(),
}));
