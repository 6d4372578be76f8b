// The environment's proxy, by Go's rules.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { proxyFromEnvironment } from "./proxy-from-environment.ts";

const server = "https://api.example.com:6443";
const proxy = "http://proxy:3128";

describe("the environment's proxy", () => {
  for (const [what, to, env, expected] of [
    ["is that of the server's scheme", server, { HTTPS_PROXY: proxy, HTTP_PROXY: "x" }, proxy],
    ["is HTTP_PROXY without TLS", "http://api.example.com", { HTTP_PROXY: proxy }, proxy],
    ["is not HTTPS_PROXY without TLS", "http://api.example.com", { HTTPS_PROXY: proxy }, undefined],
    ["may be in lower case", server, { https_proxy: proxy }, proxy],
    [
      "is the upper-case one of two",
      server,
      { https_proxy: "http://b", HTTPS_PROXY: proxy },
      proxy,
    ],
    ["may lack its scheme", server, { HTTPS_PROXY: "proxy:3128" }, proxy],
    [
      "is not a CGI request's header",
      "http://a.b",
      { HTTP_PROXY: proxy, REQUEST_METHOD: "GET" },
      undefined,
    ],
    ["is not for localhost", "https://localhost:6443", { HTTPS_PROXY: proxy }, undefined],
    ["is not for 127.0.0.0/8", "https://127.8.0.1:6443", { HTTPS_PROXY: proxy }, undefined],
    ["is not for the end of 127.0.0.0/8", "https://127.255.0.1", { HTTPS_PROXY: proxy }, undefined],
    [
      "is not for port 80 where that is excepted",
      "http://a.b",
      { HTTP_PROXY: proxy, NO_PROXY: "a.b:80" },
      undefined,
    ],
    ["is not for ::1", "https://[::1]:6443", { HTTPS_PROXY: proxy }, undefined],
    ["is absent", server, {}, undefined],
    ["counts as absent when it is empty", server, { HTTPS_PROXY: "" }, undefined],
  ] as const)
    it(what, () => assert.equal(proxyFromEnvironment(to, env), expected));

  for (const [exceptions, to, isUsed] of [
    ["*", server, false],
    ["example.com", server, false],
    [".example.com", server, false],
    ["*.example.com", server, false],
    ["API.example.com", server, false],
    ["other.com, api.example.com", server, false],
    ["api.example.com:6443", server, false],
    ["api.example.com:443", server, true],
    ["ple.com", server, true],
    [".api.example.com", server, true],
    ["10.0.0.0/8", "https://10.1.2.3", false],
    ["10.0.0.0/8", "https://11.1.2.3", true],
    ["10.1.2.3", "https://10.1.2.3", false],
    ["10.1.2.3:443", "https://10.1.2.3", false],
    ["10.1.2.3:6443", "https://10.1.2.3", true],
    ["fd00::/8", "https://[fd00::7]", false],
    ["[fd00::7]:443", "https://[fd00::7]", false],
    ["2.3", "https://10.1.2.3", true],
    ["10.0.0.0/99", "https://10.1.2.3", true],
    ["10.1.2.3/32", "https://10.1.2.3", false],
    ["10.1.2.3/33", "https://10.1.2.3", true],
    ["fd00::7/128", "https://[fd00::7]", false],
    ["fd00::7/129", "https://[fd00::7]", true],
    [",:80,", server, true],
  ] as const)
    it(`is ${isUsed ? "used" : "not used"} for ${to} with NO_PROXY ${exceptions}`, () =>
      assert.equal(
        proxyFromEnvironment(to, { HTTPS_PROXY: proxy, NO_PROXY: exceptions }) !== undefined,
        isUsed,
      ));
});
