package main

import (
	"encoding/json"
	"log"
	"reflect"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// layouts collects the members of structs by the name that reflection has for the struct.
type layouts struct {
	lines    map[string][]any
	packages map[string]string
	// rest are structs that no field of the API is for.
	rest []reflect.Type
}

// Types that print as they are in the API.
var specials = map[reflect.Type]string{
	reflect.TypeFor[metav1.Time]():          "@Time",
	reflect.TypeFor[metav1.MicroTime]():     "@Time",
	reflect.TypeFor[metav1.Duration]():      "@Duration",
	reflect.TypeFor[metav1.FieldsV1]():      "@Raw",
	reflect.TypeFor[resource.Quantity]():    "@Quantity",
	reflect.TypeFor[intstr.IntOrString]():   "@IntOrString",
	reflect.TypeFor[runtime.RawExtension](): "@Raw",
	reflect.TypeFor[runtime.Object]():       "@Raw",
}

var primitives = map[reflect.Kind]string{
	reflect.String: "string", reflect.Bool: "bool", reflect.Int: "int", reflect.Int32: "int", reflect.Int64: "int",
	reflect.Uint8: "int", reflect.Uint32: "int", reflect.Float64: "float", reflect.Interface: "@JSON",
}

// In the API one of two forms, inside a struct that has a member for each.
var choices = map[reflect.Type]bool{
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrArray]():       true,
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrBool]():        true,
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrStringArray](): true,
}

// add walks an internal struct and the versioned one that it is converted from, and answers its name.
func (l *layouts) add(internal, versioned reflect.Type) string {
	name := internal.String()
	if known, done := l.packages[name]; done {
		if known != internal.PkgPath() {
			log.Fatalf("%s is a name in %s and in %s", name, known, internal.PkgPath())
		}
		return name
	}
	l.packages[name] = internal.PkgPath()
	l.lines[name] = l.members(internal, versioned)
	return name
}

// addRest adds what nothing has added beside a struct of the API; such members keep their zero values.
func (l *layouts) addRest() {
	for len(l.rest) > 0 {
		t := l.rest[0]
		l.rest = l.rest[1:]
		l.add(t, t)
	}
}

// Members of internal structs that are elsewhere in the API, or nowhere. The first are filled in by
// packages/apiserver/src/kinds/printers/print-internal.ts.
var displaced = map[string]bool{
	"core.PodSecurityContext.HostNetwork": true, "core.PodSecurityContext.HostPID": true, "core.PodSecurityContext.HostIPC": true,
	"core.PodSecurityContext.ShareProcessNamespace": true, "core.PodSecurityContext.HostUsers": true,
	"apps.DaemonSetSpec.TemplateGeneration": true, "apps.DeploymentSpec.RollbackTo": true,
	"apiextensions.CustomResourceDefinitionSpec.Version": true, "apiextensions.CustomResourceDefinitionSpec.Validation": true,
	"apiextensions.CustomResourceDefinitionSpec.Subresources": true, "apiextensions.CustomResourceDefinitionSpec.AdditionalPrinterColumns": true,
	"apiextensions.CustomResourceDefinitionSpec.SelectableFields": true, "apiextensions.CustomResourceConversion.WebhookClientConfig": true,
	"apiextensions.CustomResourceConversion.ConversionReviewVersions": true,
}

// members are what encoding/json writes, in its order; an embedded struct has no name.
func (l *layouts) members(internal, versioned reflect.Type) []any {
	members := []any{}
	for i := range internal.NumField() {
		field := internal.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" || !field.IsExported() {
			continue
		}
		counterpart, found := fieldOf(versioned, field.Name)
		if field.Anonymous && name == "" {
			if field.Type.Name() == "TypeMeta" {
				continue
			}
			if !found {
				counterpart.Type = versioned
			}
			// what is spread into the internal struct may be a member of its own in the API, as metadata is
			embedded := []any{"", l.add(field.Type, bare(counterpart.Type))}
			if name := jsonName(counterpart); name != "" {
				embedded = append(embedded, name)
			}
			members = append(members, embedded)
			continue
		}
		member := l.member(internal, field, counterpart, found)
		if name != "" {
			member[0] = name
		}
		if flags := flagsOf(options); flags != "" {
			for len(member) < 3 {
				member = append(member, "")
			}
			member = append(member, flags)
		}
		members = append(members, member)
	}
	return members
}

// member is [printed name, type, name in the API where it is not the printed one with a small first letter].
func (l *layouts) member(owner reflect.Type, field, counterpart reflect.StructField, found bool) []any {
	if !found {
		if !displaced[owner.String()+"."+field.Name] {
			log.Fatalf("%s.%s is in no API type", owner, field.Name)
		}
		return []any{field.Name, l.reference(owner, field.Type, nil)}
	}
	ref := l.reference(owner, field.Type, counterpart.Type)
	name := jsonName(counterpart)
	if counterpart.Anonymous && name == "" {
		name = "." // its members are the owner's in the API
	}
	printed, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	if printed == "" {
		printed = strings.ToLower(field.Name[:1]) + field.Name[1:]
	}
	if name == "" || name == printed {
		return []any{field.Name, ref}
	}
	return []any{field.Name, ref, name}
}

func (l *layouts) reference(owner, t, versioned reflect.Type) string {
	if special, ok := specials[t]; ok {
		return special
	}
	if t.Kind() == reflect.Pointer {
		return "*" + l.reference(owner, t.Elem(), versioned)
	}
	if versioned != nil {
		versioned = bare(versioned)
	}
	if t.Implements(reflect.TypeFor[json.Marshaler]()) || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()) {
		log.Fatalf("%s: %s prints by a method of its own", owner, t)
	}
	switch t.Kind() {
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + l.reference(owner, t.Elem(), elementOf(versioned, t.Elem()))
	case reflect.Map:
		return "map:" + l.reference(owner, t.Elem(), elementOf(versioned, t.Elem()))
	case reflect.Struct:
		if versioned == nil {
			l.rest = append(l.rest, t)
			return t.String()
		}
		name := l.add(t, versioned)
		if choices[versioned] {
			return "|" + name
		}
		return name
	}
	primitive, ok := primitives[t.Kind()]
	if !ok {
		log.Fatalf("%s: no form for %s", owner, t)
	}
	return primitive
}

func elementOf(t, otherwise reflect.Type) reflect.Type {
	if t == nil {
		return nil
	}
	if t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		return t.Elem()
	}
	return otherwise
}

func bare(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// fieldOf finds a field whatever the case of its letters, in embedded structs as well.
func fieldOf(t reflect.Type, name string) (reflect.StructField, bool) {
	if t = bare(t); t.Kind() != reflect.Struct {
		return reflect.StructField{}, false
	}
	return t.FieldByNameFunc(func(other string) bool { return strings.EqualFold(other, name) })
}

func jsonName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}

func flagsOf(options string) string {
	flags := ""
	for _, option := range []string{"omitempty", "omitzero"} {
		if slices.Contains(strings.Split(options, ","), option) {
			flags += option[4:5]
		}
	}
	return flags
}
