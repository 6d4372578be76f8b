import { describeExpressions } from "../testing/expressions.suite.ts";
import { complaint } from "../testing/run-expression.ts";

describeExpressions("strings", complaint, [
  ["'abc'.charAt(3) + 'a😀c'.charAt(1)", "😀"],
  ["'abc'.charAt(4)", "error: index out of range: 4"],
  ["'héllo'.indexOf('l', 3)", "3"],
  ["'héllo'.indexOf('', 9)", "9"],
  ["'aba'.lastIndexOf('')", "3"],
  ["'aaa'.replace('', '-', 2)", "-a-aa"],
  ["'a,b,c'.split(',', 2)", "[a, b,c]"],
  ["'a,b'.split(',', 0)", "[]"],
  ["'hello'.substring(3, 1)", "error: invalid substring range. start: 3, end: 1"],
  ["'hello'.substring(1, 9)", "error: index out of range: 9"],
  ["'\\u00a0 hi \\n'.trim()", "hi"],
  ["['a', 'b'].join('-')", "a-b"],
  ["'HeÉ'.lowerAscii() + 'é'.upperAscii()", "heÉé"],
  ["strings.quote('a\"\\n')", '"a\\"\\n"'],
  ["'abc'.reverse()", "found no matching overload for 'reverse' applied to 'string.()'"],
]);

describeExpressions("format", complaint, [
  ["'%s has %d%%'.format(['x', 3])", "x has 3%"],
  ["'%.2f'.format([1234567.891])", "1,234,567.89"],
  ["'%.0f'.format([2.5])", "2"],
  ["'%.1f'.format([-0.25])", "-0.2"],
  ["'%e'.format([1234567.891])", "1.234568×10⁰⁶"],
  ["'%s'.format([[1.5, 'a', duration('90s')]])", '[1.500000, "a", duration("90s")]'],
  ["'%s'.format([{'b': 1, 'a': [true, null]}])", '{"a":[true, null], "b":1}'],
  ["'%x %X %b %o'.format([255, 'hi', -5, 8])", "ff 6869 -101 10"],
  [
    "'%d'.format([dyn('x')])",
    "error: error during formatting: decimal clause can only be used on integers, was given string",
  ],
  ["'%q'.format([5])", 'could not parse formatting clause: unrecognized formatting clause "q"'],
  ["'%d %d'.format([5])", "index 1 out of range"],
]);

describeExpressions("lists", complaint, [
  ["[3, 1, 2].sort()", "[1, 2, 3]"],
  ["[dyn(3), dyn('a')].sort()", "error: list elements must have the same type"],
  ["[3, 1, 2].sortBy(x, -x)", "[3, 2, 1]"],
  ["[1, 2, 3].slice(1, 5)", "error: cannot slice(1, 5), list is length 3"],
  ["[[1], [2, 3]].flatten()", "[1, 2, 3]"],
  ["dyn([1, 2]).flatten()", "[1, 2]"],
  ["dyn([[1], [2]]).flatten(2)", "[1, 2]"],
  ["dyn({}).flatten()", "error: no such overload: map(dyn, dyn).flatten()"],
  [
    "[].flatten(dyn('1'))",
    "error: internal error: interface conversion: ref.Val is types.String, not types.Int",
  ],
  ["lists.range(3).reverse()", "[2, 1, 0]"],
  ["[1, 2, 2].distinct()", "[1, 2]"],
  ["[1, 2].first().value() + [1, 2].last().value()", "3"],
  ["[1.5, 2.5].sum()", "4"],
  ["dyn([1.5, 2.5]).sum()", "4"],
  ["[].sum()", "0"],
  ["[].max()", "error: max called on empty list"],
  ["['a', 'c', 'b'].isSorted()", "false"],
  ["[1, 2, 1].lastIndexOf(1)", "2"],
  [
    "sets.equivalent([1, 1, 2], [2, 1]) && !sets.intersects([], [1]) && sets.contains([1, 2], [2])",
    "true",
  ],
]);

describeExpressions("regular expressions", complaint, [
  ["'abc 123 def 456'.findAll('[0-9]+', 1)", "[123]"],
  ["'abc'.findAll('b*')", "[, b, ]"],
  ["'abc'.find('x')", ""],
  ["'abc'.find('[')", "program: error parsing regexp: missing closing ]: `[`"],
  ["'ABC'.matches('(?i)^a')", "true"],
]);

describeExpressions("urls", complaint, [
  ["url('https://user:pw@example.com:80/a%20b?x=1#f').getHost()", "example.com:80"],
  ["url('https://[::1]:80/').getHostname() + url('https://[::1]:80/').getPort()", "::180"],
  ["url('https://example.com/a b/cé').getEscapedPath()", "/a%20b/c%C3%A9"],
  ["url('https://example.com/?x=1&x=2&y=').getQuery()['x']", "[1, 2]"],
  [
    "url('abc')",
    'error: URL parse error during conversion from string: parse "abc": invalid URI for request',
  ],
  [
    "url('http://a:b/')",
    'error: URL parse error during conversion from string: parse "http://a:b/": invalid port ":b" after host',
  ],
  ["isURL('/path') && !isURL('../a')", "true"],
]);

describeExpressions("quantities", complaint, [
  ["quantity('1Gi') == quantity('1024Mi')", "true"],
  ["quantity('1.5Gi').asInteger()", "error: cannot convert value to integer"],
  ["quantity('1e3').asInteger()", "1000"],
  ["quantity('500m').asApproximateFloat()", "0.5"],
  ["quantity('5').sub(7).asInteger()", "-2"],
  ["quantity('2') == quantity('1').add(1)", "error: no such overload"],
  [
    "quantity('10Xi')",
    "error: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
  ["sign(quantity('-5'))", "-1"],
]);

describeExpressions("addresses", complaint, [
  ["string(ip('2001:DB8::0001'))", "2001:db8::1"],
  ["ip.isCanonical('2001:DB8::1')", "false"],
  ["ip('::ffff:1.2.3.4')", 'error: IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed'],
  [
    "ip('01.2.3.4')",
    'error: IP Address "01.2.3.4" parse error during conversion from string: ParseAddr("01.2.3.4"): IPv4 field has octet with leading zero',
  ],
  [
    "ip('1::2::3')",
    'error: IP Address "1::2::3" parse error during conversion from string: ParseAddr("1::2::3"): multiple :: in address (at ":3")',
  ],
  [
    "ip('169.254.1.1').isLinkLocalUnicast() && ip('::1').isLoopback() && ip('8.8.8.8').isGlobalUnicast()",
    "true",
  ],
  ["string(cidr('10.1.2.3/8').masked())", "10.0.0.0/8"],
  [
    "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && !cidr('10.0.0.0/8').containsIP(ip('11.0.0.1'))",
    "true",
  ],
  ["cidr('10.0.0.0/8').containsIP('x')", "error: no such overload"],
  [
    "cidr('10.0.0.0/08')",
    'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0/08"): bad bits after slash: "08"',
  ],
]);

describeExpressions("formats", complaint, [
  ["format.dns1123Label().validate('a').hasValue()", "false"],
  ["format.dns1123Label().validate('a.b').value()", "[must not contain dots]"],
  ["format.dns1035LabelPrefix().validate('a-').hasValue()", "false"],
  ["format.named('nope').hasValue()", "false"],
  ["format.uuid().validate('abc').value()", "[does not match the UUID format]"],
]);

describeExpressions("semantic versions", complaint, [
  ["semver('1.2.3-alpha.1').compareTo(semver('1.2.3-alpha.beta'))", "-1"],
  ["semver('v1.02', true).minor()", "2"],
  ["semver('1.2')", "error: No Major.Minor.Patch elements found"],
  ["semver('01.2.3')", 'error: Major number must not contain leading zeroes "01"'],
  ["semver('1.0.0+a') == semver('1.0.0+b')", "true"],
]);
