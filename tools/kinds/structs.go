package main

import (
	"encoding/json"
	"log"
	"reflect"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// Types whose JSON or protobuf form is not that of their Go struct.
var specials = map[reflect.Type]string{
	reflect.TypeFor[metav1.Time]():                                  "Time",
	reflect.TypeFor[metav1.MicroTime]():                             "MicroTime",
	reflect.TypeFor[metav1.Duration]():                              "Duration",
	reflect.TypeFor[metav1.FieldsV1]():                              "FieldsV1",
	reflect.TypeFor[resource.Quantity]():                            "Quantity",
	reflect.TypeFor[intstr.IntOrString]():                           "IntOrString",
	reflect.TypeFor[runtime.RawExtension]():                         "RawExtension",
	reflect.TypeFor[apiextensionsv1.JSON]():                         "JSON",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrArray]():       "JSONSchemaPropsOrArray",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrBool]():        "JSONSchemaPropsOrBool",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrStringArray](): "JSONSchemaPropsOrStringArray",
}

var primitives = map[reflect.Kind]string{
	reflect.String: "string", reflect.Bool: "bool", reflect.Int32: "int32", reflect.Int64: "int64", reflect.Float64: "float64",
}

// structFacts is the line of one type: model, Go name, other facts, fields.
func (c *catalogue) structFacts(model string, t reflect.Type) []any {
	if t.Kind() != reflect.Struct {
		log.Fatalf("type %s is no struct", t)
	}
	definition, published := c.definitions[model]
	fields := [][]any{}
	seen := map[string]bool{}
	for i := range t.NumField() {
		if field := c.fieldFacts(t, t.Field(i), definition.Schema, seen); field != nil {
			fields = append(fields, field)
		}
	}
	checkWire(t, fields)
	extras := map[string]any{}
	if published {
		for name := range definition.Schema.Properties {
			if !seen[name] {
				log.Fatalf("%s: published property %s is no field", model, name)
			}
		}
		extras = typeExtras(definition.Schema)
	}
	return []any{model, t.String(), extras, fields}
}

// fieldFacts is the line of one field, nil for a field that JSON leaves out. seen collects the JSON names.
func (c *catalogue) fieldFacts(owner reflect.Type, field reflect.StructField, published spec.Schema, seen map[string]bool) []any {
	tag := field.Tag.Get("json")
	if tag == "-" || !field.IsExported() {
		return nil
	}
	name, options, _ := strings.Cut(tag, ",")
	inline := field.Anonymous && name == ""
	if name == "" && !inline {
		log.Fatalf("%s.%s: no JSON name", owner, field.Name)
	}
	number := protobufNumber(owner, field)
	ref := c.reference(field.Type)
	if inline {
		for _, member := range jsonNames(field.Type) {
			seen[member] = true
		}
		return []any{"", field.Name, field.Type.String(), number, ref, "i"}
	}
	seen[name] = true
	schema, hasSchema := published.Properties[name]
	extras, zeroDefault := map[string]any{}, false
	if hasSchema {
		extras, zeroDefault = fieldExtras(schema, ref)
	}
	flags := flagsOf(map[string]bool{
		"o": hasOption(options, "omitempty"), "z": hasOption(options, "omitzero"), "p": field.Type.Kind() == reflect.Pointer,
		"r": slices.Contains(published.Required, name), "d": zeroDefault, "u": hasSchema && schema.Description == "",
	})
	line := []any{name, field.Name, field.Type.String(), number, ref, flags}
	if len(extras) > 0 {
		line = append(line, extras)
	}
	return line
}

func flagsOf(set map[string]bool) string {
	flags := ""
	for _, flag := range []string{"o", "z", "p", "r", "d", "u"} {
		if set[flag] {
			flags += flag
		}
	}
	return flags
}

func hasOption(options, wanted string) bool {
	return slices.Contains(strings.Split(options, ","), wanted)
}

// jsonNames are the JSON members of an embedded struct, its own embedded structs included.
func jsonNames(t reflect.Type) []string {
	names := []string{}
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && name == "" {
			names = append(names, jsonNames(field.Type)...)
		} else if name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// protobufNumber reads the tag's number only: the wire types in upstream's tags are partly wrong (wire.go checks ours).
func protobufNumber(owner reflect.Type, field reflect.StructField) int {
	tag := field.Tag.Get("protobuf")
	if tag == "" || tag == "-" {
		return 0
	}
	parts := strings.Split(tag, ",")
	number, err := strconv.Atoi(parts[1])
	if err != nil {
		log.Fatalf("%s.%s: protobuf tag %q", owner, field.Name, tag)
	}
	return number
}

// reference is the text of a TypeRef; structs met on the way are added to the catalogue.
func (c *catalogue) reference(t reflect.Type) string {
	if special, ok := specials[t]; ok {
		return "@" + special
	}
	if primitive, ok := primitives[t.Kind()]; ok {
		return primitive
	}
	switch t.Kind() {
	case reflect.Pointer:
		return c.reference(t.Elem())
	case reflect.Struct:
		return c.walk(t)
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			log.Fatalf("map %s: keys are no strings", t)
		}
		return "map:" + c.reference(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		if _, message := reflect.New(t).Interface().(interface{ Marshal() ([]byte, error) }); message {
			return "[w]" + c.reference(t.Elem())
		}
		return "[]" + c.reference(t.Elem())
	}
	log.Fatalf("type %s has no reference form", t)
	return ""
}

// asMap is a schema's JSON, so that keywords are named as they are published.
func asMap(schema spec.Schema) map[string]any {
	text, err := json.Marshal(schema)
	if err != nil {
		log.Fatal(err)
	}
	keywords := map[string]any{}
	if err := json.Unmarshal(text, &keywords); err != nil {
		log.Fatal(err)
	}
	return keywords
}

// take removes a keyword and puts it under our name.
func take(from map[string]any, keyword string, into map[string]any, name string) {
	if value, ok := from[keyword]; ok {
		into[name] = value
		delete(from, keyword)
	}
}

func typeExtras(schema spec.Schema) map[string]any {
	keywords, extras := asMap(schema), map[string]any{}
	take(keywords, "x-kubernetes-map-type", extras, "structType")
	for _, implied := range []string{"description", "type", "properties", "required"} {
		delete(keywords, implied)
	}
	if len(keywords) > 0 {
		extras["schema"] = keywords
	}
	return extras
}

// fieldExtras says what the published schema of a field adds to its Go type, and whether its default is the zero value.
func fieldExtras(schema spec.Schema, ref string) (map[string]any, bool) {
	keywords, extras := asMap(schema), map[string]any{}
	take(keywords, "x-kubernetes-list-type", extras, "listType")
	take(keywords, "x-kubernetes-list-map-keys", extras, "listMapKeys")
	take(keywords, "x-kubernetes-map-type", extras, "mapType")
	take(keywords, "x-kubernetes-patch-merge-key", extras, "patchMergeKey")
	take(keywords, "enum", extras, "enum")
	take(keywords, "default", extras, "default")
	if strategies, ok := keywords["x-kubernetes-patch-strategy"].(string); ok {
		extras["patchStrategy"] = strings.Split(strategies, ",")
		delete(keywords, "x-kubernetes-patch-strategy")
	}
	zero := isZero(extras["default"])
	if zero {
		delete(extras, "default")
	}
	dropImplied(keywords, ref)
	if len(keywords) > 0 {
		extras["schema"] = keywords
	}
	return extras, zero
}

func isZero(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) == 0
	case string:
		return v == ""
	case bool:
		return !v
	case float64:
		return v == 0
	}
	return false
}

// Formats that follow from the reference.
var formats = map[string]string{"int32": "int32", "int64": "int64", "float64": "double", "bytes": "byte"}

// dropImplied removes what follows from the reference: type, format, $ref, and the same of items and values.
func dropImplied(keywords map[string]any, ref string) {
	for _, implied := range []string{"description", "type", "$ref"} {
		delete(keywords, implied)
	}
	if format, ok := formats[ref]; ok && keywords["format"] == format {
		delete(keywords, "format")
	}
	for keyword, element := range map[string]string{"items": elementOf(ref, "[]", "[w]"), "additionalProperties": elementOf(ref, "map:")} {
		nested, ok := keywords[keyword].(map[string]any)
		if !ok || element == "" {
			continue
		}
		dropImplied(nested, element)
		if isZero(nested["default"]) {
			delete(nested, "default")
		}
		if len(nested) == 0 {
			delete(keywords, keyword)
		}
	}
}

func elementOf(ref string, prefixes ...string) string {
	for _, prefix := range prefixes {
		if element, ok := strings.CutPrefix(ref, prefix); ok {
			return element
		}
	}
	return ""
}
