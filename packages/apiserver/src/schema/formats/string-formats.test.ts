import assert from "node:assert/strict";
import { test } from "node:test";
import { findStringFormat } from "./string-formats.ts";

// What the real server said of each text.
const verdicts: Readonly<
  Record<string, { readonly yes: readonly string[]; readonly no: readonly string[] }>
> = {
  date: { yes: ["2024-02-29", "0000-01-01"], no: ["2023-02-29", "2024-1-1", "2024-01-01T", ""] },
  "date-time": {
    yes: ["2024-01-01t10:00:00z", "2024-01-01T10:00:00x123Z", "2024-01-01T10:00:00Zt"],
    no: ["2024-01-01 10:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T10:00:00"],
  },
  duration: {
    yes: ["1h", "about 3 days", ".5s", "-1h", "0", "1 microx", "1µs", "9999999999999h"],
    no: ["5", "1 fortnight", "99999999999999999999h", ""],
  },
  email: {
    yes: ["a@b", "Ann <a@b.c>", '"a b"@c', "a@[1.2.3.4]", "a@b (c)", "g: a@b;", "ä@ö"],
    no: ["a b@c", "a..b@c", "a@b.", "g: a@b, c@d;", "g:;", '""@b', "=?foo?q?x?= <a@b>", "Ann a@b"],
  },
  hostname: {
    yes: ["a", "a.com", "ö.de", "localhost", "☃.net"],
    no: ["a_b.com", "-a.com", "a.c", "a..com", "a.com.", "a.b1"],
  },
  ipv4: { yes: ["1.2.3.4", "001.002.003.0004", "::1.2.3.4"], no: ["1.2.3", "256.1.1.1", "::1"] },
  ipv6: {
    yes: ["::", "1::", "::ffff:1.2.3.4", "1:2:3:4:5:6:7::"],
    no: ["1::2::3", "::ffff:01.2.3.4", "fe80::1%eth0", "00001::", ":1"],
  },
  cidr: {
    yes: ["10.0.0.0/8", "010.0.0.0/08", "00001::/8"],
    no: ["10.0.0.1/33", "10.0.0.0", "10.0.0.0/"],
  },
  mac: {
    yes: ["01:23:45:67:89:ab", "0123.4567.89ab", "01:23:45:67:89:ab:cd:ef"],
    no: ["01:23:45-67:89:ab", "0:1:2:3:4:5"],
  },
  uri: {
    yes: [
      "http://a.b/c?d#e",
      "/x",
      "a:b",
      "http://[::1]:80",
      "ftp://a:b:80",
      "*",
      "//a",
      "http://[fe80::1%25eth0]/",
    ],
    no: [
      "x",
      "http://a b",
      "http://a/%zz",
      "http://a:b:80",
      "http://[1.2.3.4]",
      "http://a#b",
      "?x",
      "http://[fe80::1%25]/",
    ],
  },
  uuid4: {
    yes: ["123e4567-e89b-42d3-a456-426614174000", "123E4567e89b42d3a456426614174000"],
    no: ["123e4567-e89b-42d3-c456-426614174000"],
  },
  isbn: { yes: ["080442957X", "978 0 321 75104 1"], no: ["123"] },
  creditcard: {
    yes: ["4111 1111 1111 1111", "a4b111-1111x1111 1111"],
    no: ["4111111111111112", ""],
  },
  ssn: { yes: ["111-22-3333"], no: ["111223333"] },
  rgbcolor: { yes: ["rgb( 255 , 0 ,9 )"], no: ["rgb(256,0,0)", "RGB(1,2,3)", "rgb(01,2,3)"] },
  byte: { yes: ["YQ=="], no: ["", "YQ", "Y_=="] },
  "k8s-short-name": { yes: ["abc", "1"], no: ["Abc", "-a", "a.b", "a".repeat(64)] },
  "k8s-long-name": { yes: ["a.b", `${"a".repeat(64)}.b`], no: ["a..b", "A.b"] },
};

for (const [name, { yes, no }] of Object.entries(verdicts)) {
  test(name, () => {
    const check = findStringFormat(name)!;
    assert.deepEqual(
      yes.filter((text) => !check(text)),
      [],
    );
    assert.deepEqual(
      no.filter((text) => check(text)),
      [],
    );
  });
}

test("dashes in a name do not matter, unknown names have no check", () => {
  assert.equal(findStringFormat("datetime"), findStringFormat("date-time"));
  assert.equal(findStringFormat("semver"), undefined);
});
