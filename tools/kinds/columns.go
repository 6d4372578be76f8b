package main

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// columnLines are one line per listable resource and before them one with the descriptions, which many share:
// a column is [name, type, format, priority, index of its description].
func columnLines(served discovery) [][]any {
	resources := make([]schema.GroupVersionResource, 0, len(served.columns))
	for resource := range served.columns {
		resources = append(resources, resource)
	}
	slices.SortFunc(resources, func(a, b schema.GroupVersionResource) int {
		return strings.Compare(columnKey(a), columnKey(b))
	})
	descriptions, lines := []string{}, [][]any{}
	for _, resource := range resources {
		columns := [][]any{}
		for _, column := range served.columns[resource] {
			index := slices.Index(descriptions, column.Description)
			if index < 0 {
				index = len(descriptions)
				descriptions = append(descriptions, column.Description)
			}
			columns = append(columns, []any{column.Name, column.Type, column.Format, column.Priority, index})
		}
		lines = append(lines, []any{columnKey(resource), columns})
	}
	return slices.Insert(lines, 0, []any{"columns", descriptions})
}

func columnKey(resource schema.GroupVersionResource) string {
	return "columns:" + resource.Group + "/" + resource.Version + "/" + resource.Resource
}
