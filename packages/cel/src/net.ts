/**
 * IP addresses and CIDRs as Go parses and prints them, without the expression engine.
 * @module @homeostat/cel/net
 */
export {
  formatAddress,
  type GoAddress,
  type GoPrefix,
  isMapped,
  maskAddress,
  parseAddress,
  parsePrefix,
  prefixContains,
} from "./go/address.ts";
