package main

import (
	"context"
	"encoding/json"
	"log"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// groupVersions is one served group, preferred version first.
type groupVersions struct {
	Group    string   `json:"group"`
	Versions []string `json:"versions"`
	// FeatureGate is set for a group that is not served by default.
	FeatureGate string `json:"featureGate,omitempty"`
}

// featureGates are those of the groups that the server serves only when it is asked to.
var featureGates = map[string]string{"storagemigration.k8s.io": "StorageVersionMigrator"}

// discovery is what a running server serves, read from the unaggregated documents:
// the aggregated ones lack storageVersionHash.
type discovery struct {
	version   string
	groups    []groupVersions
	resources map[schema.GroupVersion][]metav1.APIResource
	columns   map[schema.GroupVersionResource][]metav1.TableColumnDefinition
}

func unversioned(config *rest.Config) *rest.Config {
	config.NegotiatedSerializer = scheme.Codecs
	return config
}

func served(ctx context.Context, client *rest.RESTClient) discovery {
	var running version.Info
	get(ctx, client, "/version", asJSON, &running)
	var list metav1.APIGroupList
	get(ctx, client, "/apis", asJSON, &list)
	found := discovery{version: running.GitVersion, resources: map[schema.GroupVersion][]metav1.APIResource{},
		columns: map[schema.GroupVersionResource][]metav1.TableColumnDefinition{}}
	found.groups = append(found.groups, groupVersions{Group: "", Versions: []string{"v1"}})
	for _, group := range list.Groups {
		versions := []string{}
		for _, each := range group.Versions {
			versions = append(versions, each.Version)
		}
		if versions[0] != group.PreferredVersion.Version {
			log.Fatalf("group %s: preferred version %s is not the first of %v", group.Name, group.PreferredVersion.Version, versions)
		}
		found.groups = append(found.groups, groupVersions{Group: group.Name, Versions: versions, FeatureGate: featureGates[group.Name]})
	}
	for _, group := range found.groups {
		for _, v := range group.Versions {
			path := "/apis/" + group.Group + "/" + v
			if group.Group == "" {
				path = "/api/" + v
			}
			var resources metav1.APIResourceList
			get(ctx, client, path, asJSON, &resources)
			gv := schema.GroupVersion{Group: group.Group, Version: v}
			found.resources[gv] = resources.APIResources
			for _, resource := range resources.APIResources {
				if slices.Contains(resource.Verbs, "list") {
					var table metav1.Table
					get(ctx, client, path+"/"+resource.Name, asTable, &table)
					found.columns[gv.WithResource(resource.Name)] = table.ColumnDefinitions
				}
			}
		}
	}
	return found
}

const (
	asJSON  = "application/json"
	asTable = "application/json;as=Table;v=v1;g=meta.k8s.io"
)

func get(ctx context.Context, client *rest.RESTClient, path, accept string, into any) {
	body, err := client.Get().AbsPath(path).SetHeader("Accept", accept).DoRaw(ctx)
	if err == nil {
		err = json.Unmarshal(body, into)
	}
	if err != nil {
		log.Fatalf("get %s: %v", path, err)
	}
}

// kindFacts is one served resource as the data file has it.
type kindFacts struct {
	Group              string             `json:"group"`
	Version            string             `json:"version"`
	Kind               string             `json:"kind"`
	Resource           string             `json:"resource"`
	Singular           string             `json:"singular"`
	Namespaced         bool               `json:"namespaced"`
	ShortNames         []string           `json:"shortNames"`
	Categories         []string           `json:"categories"`
	Verbs              []string           `json:"verbs"`
	StorageVersionHash string             `json:"storageVersionHash,omitempty"`
	Type               string             `json:"type"`
	Subresources       []subresourceFacts `json:"subresources"`
}

type subresourceFacts struct {
	Name       string   `json:"name"`
	Group      string   `json:"group"`
	Version    string   `json:"version"`
	Kind       string   `json:"kind"`
	Namespaced bool     `json:"namespaced"`
	Verbs      []string `json:"verbs"`
	Type       string   `json:"type,omitempty"`
}

// kindsOf folds subresources into their resources. model answers the model name of a kind, "" when no type is registered.
func kindsOf(gv schema.GroupVersion, resources []metav1.APIResource, model func(schema.GroupVersionKind) string) []kindFacts {
	kinds := []kindFacts{}
	for _, resource := range resources {
		if strings.Contains(resource.Name, "/") {
			continue
		}
		gvk := gv.WithKind(resource.Kind)
		fact := kindFacts{
			Group: gv.Group, Version: gv.Version, Kind: resource.Kind, Resource: resource.Name, Singular: resource.SingularName,
			Namespaced: resource.Namespaced, ShortNames: list(resource.ShortNames), Categories: list(resource.Categories),
			Verbs: list(resource.Verbs), StorageVersionHash: resource.StorageVersionHash, Type: model(gvk), Subresources: []subresourceFacts{},
		}
		if fact.Type == "" {
			log.Fatalf("served kind %s has no registered type", gvk)
		}
		for _, sub := range resources {
			if name, ok := strings.CutPrefix(sub.Name, resource.Name+"/"); ok {
				fact.Subresources = append(fact.Subresources, subresourceOf(gv, name, sub, model))
			}
		}
		kinds = append(kinds, fact)
	}
	return kinds
}

func subresourceOf(gv schema.GroupVersion, name string, sub metav1.APIResource, model func(schema.GroupVersionKind) string) subresourceFacts {
	body := gv
	if sub.Version != "" {
		body = schema.GroupVersion{Group: sub.Group, Version: sub.Version}
	}
	return subresourceFacts{
		Name: name, Group: body.Group, Version: body.Version, Kind: sub.Kind, Namespaced: sub.Namespaced,
		Verbs: list(sub.Verbs), Type: model(body.WithKind(sub.Kind)),
	}
}

func list(items []string) []string {
	return append([]string{}, slices.Clone(items)...)
}
