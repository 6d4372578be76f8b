package main

import (
	"log"
	"reflect"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsopenapi "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/version"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	aggregatoropenapi "k8s.io/kube-aggregator/pkg/generated/openapi"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"
	kubernetesopenapi "k8s.io/kubernetes/pkg/generated/openapi"
)

// catalogue collects the structs that the served kinds reach.
type catalogue struct {
	scheme      *runtime.Scheme
	definitions map[string]common.OpenAPIDefinition
	types       map[string][]any
}

type groupFacts struct {
	name  string
	kinds []kindFacts
	types map[string]string
}

// Groups that no server serves, yet bodies are written in: admission reviews, and metadata-only views.
var bodyGroups = []schema.GroupVersion{admissionv1.SchemeGroupVersion, {Group: "meta.k8s.io", Version: "v1"}}

// Published types that are no kinds.
var publishedTypes = []reflect.Type{reflect.TypeFor[version.Info](), reflect.TypeFor[metav1.Patch]()}

// Kinds whose cells are of any type; the server builds Tables itself and nobody sends them.
var withoutType = map[string]bool{"Table": true}

func newCatalogue() *catalogue {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientscheme.AddToScheme(scheme))
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	utilruntime.Must(metav1.AddMetaToScheme(scheme))
	utilruntime.Must(apiextensionsv1.AddToScheme(scheme))
	utilruntime.Must(apiregistrationv1.AddToScheme(scheme))
	utilruntime.Must(admissionv1.AddToScheme(scheme))
	ref := func(path string) spec.Ref { return spec.MustCreateRef("#/definitions/" + path) }
	definitions := map[string]common.OpenAPIDefinition{}
	for _, get := range []func(common.ReferenceCallback) map[string]common.OpenAPIDefinition{
		kubernetesopenapi.GetOpenAPIDefinitions, apiextensionsopenapi.GetOpenAPIDefinitions, aggregatoropenapi.GetOpenAPIDefinitions,
	} {
		for name, definition := range get(ref) {
			definitions[name] = definition
		}
	}
	return &catalogue{scheme: scheme, definitions: definitions, types: map[string][]any{}}
}

// groups walks every kind that is registered for a served version and answers the groups in discovery's order.
func (c *catalogue) groups(served discovery) []groupFacts {
	groups := []groupFacts{}
	for _, group := range served.groups {
		facts := groupFacts{name: group.Group, kinds: []kindFacts{}, types: map[string]string{}}
		for _, v := range group.Versions {
			gv := schema.GroupVersion{Group: group.Group, Version: v}
			c.register(gv, facts.types)
			facts.kinds = append(facts.kinds, kindsOf(gv, served.resources[gv], c.modelOf)...)
		}
		groups = append(groups, facts)
	}
	for _, gv := range bodyGroups {
		facts := groupFacts{name: gv.Group, kinds: []kindFacts{}, types: map[string]string{}}
		c.register(gv, facts.types)
		groups = append(groups, facts)
	}
	for _, t := range publishedTypes {
		c.walk(t)
	}
	return groups
}

func (c *catalogue) register(gv schema.GroupVersion, types map[string]string) {
	for kind, t := range c.scheme.KnownTypes(gv) {
		if !withoutType[kind] {
			types[gv.Version+"/"+kind] = c.walk(t)
		}
	}
}

// modelOf answers "" for kinds that are in no registered type, such as the proxies' options.
func (c *catalogue) modelOf(gvk schema.GroupVersionKind) string {
	t, known := c.scheme.AllKnownTypes()[gvk]
	if !known {
		return ""
	}
	return c.walk(t)
}

// walk adds a struct and all that it refers to, and answers its model name.
func (c *catalogue) walk(t reflect.Type) string {
	model := modelName(t)
	if _, done := c.types[model]; done {
		return model
	}
	c.types[model] = nil // a type may refer to itself
	c.types[model] = c.structFacts(model, t)
	return model
}

// modelName is what upstream's types say of themselves; structs outside the published models are named in the same manner.
func modelName(t reflect.Type) string {
	if named, ok := reflect.Zero(t).Interface().(interface{ OpenAPIModelName() string }); ok {
		return named.OpenAPIModelName()
	}
	domain, rest, found := strings.Cut(t.PkgPath(), "/")
	if !found || t.Name() == "" {
		log.Fatalf("type %s has no model name", t)
	}
	labels := strings.Split(domain, ".")
	for i, j := 0, len(labels)-1; i < j; i, j = i+1, j-1 {
		labels[i], labels[j] = labels[j], labels[i]
	}
	return strings.Join(labels, ".") + "." + strings.ReplaceAll(rest, "/", ".") + "." + t.Name()
}
