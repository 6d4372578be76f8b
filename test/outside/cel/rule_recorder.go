// Put into apiextensions-apiserver's package cel while upstream's tests run: writes down what each schema's rules compile
// to, and what they say of each object. The originals are renamed (cel-tables.ts).
package cel

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"sync"

	recorder "github.com/google/cel-go/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

type ruleLine struct {
	Type         string `json:"type"`
	Schema       any    `json:"schema"`
	Rule         any    `json:"rule"`
	Root         bool   `json:"root"`
	Error        string `json:"error,omitempty"`
	MessageError string `json:"messageError,omitempty"`
	Cost         string `json:"cost"`
	MessageCost  string `json:"messageCost"`
	Cardinality  string `json:"cardinality"`
	UsesOldSelf  bool   `json:"usesOldSelf"`
}

func Compile(s *schema.Structural, declType *apiservercel.DeclType, perCallLimit uint64, base *environment.EnvSet, loader EnvLoader) ([]CompilationResult, error) {
	results, err := compileUnrecorded(s, declType, perCallLimit, base, loader)
	if err != nil || len(results) == 0 {
		return results, err
	}
	limits.Store(&s.XValidations[0], perCallLimit)
	_, root := declType.Fields["metadata"]
	for i, result := range results {
		line := ruleLine{Type: "rule", Schema: s.ToKubeOpenAPI(), Rule: s.XValidations[i], Root: root, UsesOldSelf: result.UsesOldSelf}
		if result.Error != nil {
			line.Error = result.Error.Detail
		}
		if result.MessageExpressionError != nil {
			line.MessageError = result.MessageExpressionError.Detail
		}
		line.Cost = strconv.FormatUint(result.MaxCost, 10)
		line.MessageCost = strconv.FormatUint(result.MessageExpressionMaxCost, 10)
		line.Cardinality = strconv.FormatUint(result.MaxCardinality, 10)
		recorder.Record(line)
	}
	return results, err
}

// The cost limit under which rules were compiled, by the first rule of a node.
var limits sync.Map

// Whether a server could be asked this: with its own limit for one call, and old values that JSON can tell from none.
func (s *Validator) isServers(oldObj any) bool {
	if len(s.uncompiledRules) > 0 {
		if limit, known := limits.Load(&s.uncompiledRules[0]); known && limit != uint64(celconfig.PerCallLimit) {
			return false
		}
	}
	old := reflect.ValueOf(oldObj)
	return old.Kind() != reflect.Slice && old.Kind() != reflect.Map || !old.IsNil()
}

type objectLine struct {
	Type      string          `json:"type"`
	Schema    any             `json:"schema"`
	Root      bool            `json:"root"`
	Object    json.RawMessage `json:"object"`
	Old       json.RawMessage `json:"old,omitempty"`
	Path      string          `json:"path"`
	Ratchet   bool            `json:"ratchet"`
	Budget    string          `json:"budget"`
	Remaining string          `json:"remaining"`
	Errors    []string        `json:"errors"`
}

func (s *Validator) Validate(ctx context.Context, path *field.Path, sts *schema.Structural, obj, oldObj interface{}, budget int64, opts ...Option) (field.ErrorList, int64) {
	errs, remaining := s.validateUnrecorded(ctx, path, sts, obj, oldObj, budget, opts...)
	if s == nil || ctx.Err() != nil || !s.isServers(oldObj) {
		return errs, remaining
	}
	opt := options{}
	for _, o := range opts {
		o(&opt)
	}
	line := objectLine{Type: "object", Schema: schemaOf(s.Schema), Root: s.isResourceRoot, Object: textOf(obj), Path: fmt.Sprint(path), Ratchet: opt.currentCorrelation != nil}
	line.Budget = strconv.FormatInt(budget, 10)
	line.Remaining = strconv.FormatInt(remaining, 10)
	if oldObj != nil {
		line.Old = textOf(oldObj)
	}
	for _, err := range errs {
		line.Errors = append(line.Errors, err.Error())
	}
	recorder.Record(line)
	return errs, remaining
}

// The published form of a schema, and the rules below its allOf, which that form leaves out.
func schemaOf(s *schema.Structural) *spec.Schema {
	out := s.ToKubeOpenAPI()
	addNested(s, out)
	return out
}

func addNested(s *schema.Structural, out *spec.Schema) {
	if s.Items != nil {
		addNested(s.Items, out.Items.Schema)
	}
	for name, property := range s.Properties {
		child := out.Properties[name]
		addNested(&property, &child)
		out.Properties[name] = child
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
		addNested(s.AdditionalProperties.Structural, out.AdditionalProperties.Schema)
	}
	if s.ValueValidation != nil {
		for i := range s.ValueValidation.AllOf {
			out.AllOf[i] = *schemaOfNested(&s.ValueValidation.AllOf[i])
		}
	}
}

func schemaOfNested(nested *schema.NestedValueValidation) *spec.Schema {
	return schemaOf(nestedToStructural(nested))
}

// JSON in which a float stays one: 10 is an integer, 10.0 is not.
func textOf(value any) json.RawMessage {
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Invalid:
		return json.RawMessage("null")
	case reflect.Float32, reflect.Float64:
		if math.IsInf(v.Float(), 0) || math.IsNaN(v.Float()) {
			return json.RawMessage("null")
		}
		text := strconv.FormatFloat(v.Float(), 'g', -1, 64)
		if !strings.ContainsAny(text, ".e") {
			text += ".0"
		}
		return json.RawMessage(text)
	case reflect.Map:
		parts := []string{}
		for _, key := range v.MapKeys() {
			name, _ := json.Marshal(key.String())
			parts = append(parts, string(name)+":"+string(textOf(v.MapIndex(key).Interface())))
		}
		sort.Strings(parts)
		return json.RawMessage("{" + strings.Join(parts, ",") + "}")
	case reflect.Slice:
		parts := []string{}
		for i := range v.Len() {
			parts = append(parts, string(textOf(v.Index(i).Interface())))
		}
		return json.RawMessage("[" + strings.Join(parts, ",") + "]")
	default:
		text, err := json.Marshal(value)
		if err != nil {
			return json.RawMessage("null")
		}
		return text
	}
}
