/**
 * The homeostat command as a function.
 * @module @homeostat/cli
 */
export { main } from "./main.ts";
