// Results are those of cel-go v0.26 in the environment of Kubernetes 1.36.
import { describeExpressions } from "../testing/expressions.suite.ts";
import { complaint, runExpression } from "../testing/run-expression.ts";

describeExpressions("messages of protobuf become values", runExpression, [
  ["google.protobuf.Int64Value{value: 1}", "1"],
  [".google.protobuf.Int64Value{value: 1}", "1"],
  ["google.protobuf.Int32Value{}", "0"],
  ["google.protobuf.StringValue{value: 'a'} + 'b'", "ab"],
  ["google.protobuf.FloatValue{value: 1.1} == 1.1", "false"],
  ["google.protobuf.UInt32Value{value: 1u} == 1u", "true"],
  ["google.protobuf.Int64Value{?value: optional.none()}", "0"],
  ["google.protobuf.BoolValue{} == null", "false"],
  ["google.protobuf.BytesValue{value: dyn([1u])} == b'\\001'", "true"],
  ["google.protobuf.Value{}", "null"],
  ["google.protobuf.Value{number_value: 1.0, string_value: 'a'}", "a"],
  ["google.protobuf.Value{null_value: google.protobuf.NullValue.NULL_VALUE}", "null"],
  [".google.protobuf.NullValue.NULL_VALUE + 1", "1"],
  ["google.protobuf.Struct{fields: {'a': 1}}.a == 1.0", "true"],
  ["google.protobuf.ListValue{values: [9007199254740993]}[0]", "9007199254740993"],
  ["type(google.protobuf.ListValue{values: [9007199254740993]}[0])", "string"],
  ["google.protobuf.ListValue{values: [google.protobuf.Empty{}]}", "[{}]"],
  ["google.protobuf.Duration{seconds: 5, nanos: 7} == duration('5.000000007s')", "true"],
  ["google.protobuf.Duration{seconds: 9223372036854775807} > duration('2562047h')", "true"],
  ["google.protobuf.Timestamp{seconds: 5, nanos: -1} < timestamp(5)", "true"],
  ["google.protobuf.Empty{} == google.protobuf.Empty{}", "true"],
  ["optional.ofNonZeroValue(google.protobuf.Empty{}).hasValue()", "false"],
  ["type(google.protobuf.Empty{}) == google.protobuf.Empty", "true"],
]);

describeExpressions("fields of messages", runExpression, [
  [
    "google.protobuf.Int32Value{value: 2147483648}",
    "error: field type conversion error for google.protobuf.Int32Value.value value type: integer overflow",
  ],
  [
    "google.protobuf.UInt32Value{value: 4294967296u}",
    "error: field type conversion error for google.protobuf.UInt32Value.value value type: unsigned integer overflow",
  ],
  [
    "google.protobuf.BoolValue{value: dyn(quantity('1'))}",
    "error: field type conversion error for google.protobuf.BoolValue.value value type: type conversion error from 'Quantity' to 'bool'",
  ],
  [
    "google.protobuf.Int64Value{value: dyn('a')}",
    "error: field type conversion error for google.protobuf.Int64Value.value value type: unsupported native conversion from string to 'int64'",
  ],
  [
    "google.protobuf.ListValue{values: [{1: 1}]}",
    "error: field type conversion error for google.protobuf.ListValue.values value type: unsupported type conversion from 'int' to string",
  ],
  [
    "google.protobuf.Struct{fields: dyn([1])}",
    "error: unsupported field type for google.protobuf.Struct.fields: list(dyn)",
  ],
  ["dyn(google.protobuf.Empty{}).foo", "error: no such field 'foo'"],
  ["google.protobuf.Any{}", "error: unsupported conversion to ref.Val: (*dynamicpb.Message)"],
  [
    "google.protobuf.Int64Value",
    "program: reference to undefined type: google.protobuf.Int64Value",
  ],
]);

describeExpressions("types of messages", complaint, [
  [
    "google.protobuf.Int64Value{value: 1} + 'a'",
    "found no matching overload for '_+_' applied to '(wrapper(int), string)'",
  ],
  [
    "google.protobuf.Int64Value{value: 1}.value",
    "type 'wrapper(int)' does not support field selection",
  ],
  [
    "google.protobuf.Int32Value{value: 'a'}",
    "expected type of field 'value' is 'int' but provided type is 'string'",
  ],
  ["google.protobuf.Int64Value{foo: 1}", "undefined field 'foo'"],
  ["[google.protobuf.Int64Value{}, null]", "expected type 'wrapper(int)' but found 'null'"],
  [
    "google.protobuf.FieldMask{}",
    "undeclared reference to 'google.protobuf.FieldMask' (in container '')",
  ],
]);
