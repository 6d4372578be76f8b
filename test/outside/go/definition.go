package main

import (
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func widgetDefinition() *apiextensions.CustomResourceDefinition {
	text := apiextensions.JSONSchemaProps{Type: "string"}
	spec := apiextensions.JSONSchemaProps{
		Type:     "object",
		Required: []string{"size"},
		Properties: map[string]apiextensions.JSONSchemaProps{
			"size":   {Type: "integer", Format: "int32", Minimum: ptr.To(1.0)},
			"colour": {Type: "string", Enum: []apiextensions.JSON{{Raw: []byte(`"red"`)}, {Raw: []byte(`"green"`)}}, Default: &apiextensions.JSON{Raw: []byte(`"green"`)}},
			"data":   {Type: "object", AdditionalProperties: &apiextensions.JSONSchemaPropsOrBool{Allows: true, Schema: &text}},
		},
		XValidations: apiextensions.ValidationRules{{Rule: "self.size <= 10 || self.colour == 'red'", Message: "large widgets are red"}},
	}
	status := apiextensions.JSONSchemaProps{
		Type: "object",
		Properties: map[string]apiextensions.JSONSchemaProps{
			"observedGeneration": {Type: "integer", Format: "int64"},
			"size":               {Type: "integer", Format: "int32"},
			"selector":           text,
			"conditions": {
				Type: "array", XListType: ptr.To("map"), XListMapKeys: []string{"type"},
				Items: &apiextensions.JSONSchemaPropsOrArray{Schema: &apiextensions.JSONSchemaProps{
					Type: "object", Required: []string{"type", "status", "lastTransitionTime", "reason", "message"},
					Properties: map[string]apiextensions.JSONSchemaProps{
						"type": text, "status": text, "reason": text, "message": text,
						"lastTransitionTime": {Type: "string", Format: "date-time"},
						"observedGeneration": {Type: "integer", Format: "int64"},
					},
				}},
			},
		},
	}
	return &apiextensions.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets." + groupVersion.Group},
		Spec: apiextensions.CustomResourceDefinitionSpec{
			Group: groupVersion.Group,
			Scope: apiextensions.NamespaceScoped,
			Names: apiextensions.CustomResourceDefinitionNames{Plural: "widgets", Singular: "widget", Kind: "Widget", ListKind: "WidgetList", ShortNames: []string{"wd"}},
			Versions: []apiextensions.CustomResourceDefinitionVersion{{
				Name: groupVersion.Version, Served: true, Storage: true,
				Subresources: &apiextensions.CustomResourceSubresources{
					Status: &apiextensions.CustomResourceSubresourceStatus{},
					Scale:  &apiextensions.CustomResourceSubresourceScale{SpecReplicasPath: ".spec.size", StatusReplicasPath: ".status.size", LabelSelectorPath: ptr.To(".status.selector")},
				},
				SelectableFields: []apiextensions.SelectableField{{JSONPath: ".spec.colour"}},
				Schema: &apiextensions.CustomResourceValidation{OpenAPIV3Schema: &apiextensions.JSONSchemaProps{
					Type: "object", Properties: map[string]apiextensions.JSONSchemaProps{"spec": spec, "status": status},
				}},
			}},
		},
	}
}
