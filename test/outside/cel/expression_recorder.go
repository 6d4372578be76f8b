// Put into cel-go's package cel while upstream's tests run: writes down each expression that is compiled or evaluated
// without variables, with what came of it. The originals are renamed (cel-tables.ts).
package cel

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

var recording sync.Mutex
var texts sync.Map

// Record appends one line of JSON to the file that the environment names.
func Record(line any) {
	path := os.Getenv("CEL_RECORD")
	if path == "" {
		return
	}
	bytes, err := json.Marshal(line)
	if err != nil {
		return
	}
	recording.Lock()
	defer recording.Unlock()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	_, _ = file.Write(append(bytes, '\n'))
}

type expressionLine struct {
	Type   string  `json:"type"`
	Text   string  `json:"text"`
	Issues string  `json:"issues,omitempty"`
	Value  string  `json:"value,omitempty"`
	Error  string  `json:"error,omitempty"`
	Cost   *uint64 `json:"cost,omitempty"`
}

func (e *Env) CompileSource(src Source) (*Ast, *Issues) {
	ast, issues := e.compileUnrecorded(src)
	if issues.Err() != nil {
		Record(expressionLine{Type: "expression", Text: src.Content(), Issues: issues.String()})
	}
	return ast, issues
}

func (e *Env) Program(ast *Ast, opts ...ProgramOption) (Program, error) {
	program, err := e.programUnrecorded(ast, opts...)
	if err == nil && ast.IsChecked() && ast.Source() != nil {
		texts.Store(program, ast.Source().Content())
	}
	return program, err
}

func (p *prog) Eval(input any) (out ref.Val, det *EvalDetails, err error) {
	out, det, err = p.evalUnrecorded(input)
	text, known := texts.Load(Program(p))
	if !known || !isEmpty(input) {
		return
	}
	line := expressionLine{Type: "expression", Text: text.(string)}
	if err != nil {
		line.Error = err.Error()
	} else {
		line.Value = show(out)
	}
	if det != nil {
		line.Cost = det.ActualCost()
	}
	Record(line)
	return
}

func isEmpty(input any) bool {
	switch vars := input.(type) {
	case nil:
		return true
	case map[string]any:
		return len(vars) == 0
	default:
		return input == any(NoVars())
	}
}

func show(value ref.Val) string {
	switch v := value.(type) {
	case types.Null:
		return "null"
	case types.Bool, types.Int:
		return fmt.Sprint(v.Value())
	case types.Uint:
		return fmt.Sprint(v.Value()) + "u"
	case types.Double:
		return strconv.FormatFloat(float64(v), 'e', -1, 64)
	case types.String:
		text, _ := json.Marshal(string(v))
		return string(text)
	case types.Bytes:
		return "b" + hex.EncodeToString(v)
	case types.Duration:
		return fmt.Sprintf("duration(%d)", v.Duration.Nanoseconds())
	case types.Timestamp:
		return "timestamp(" + v.Time.UTC().Format(time.RFC3339Nano) + ")"
	case *types.Optional:
		if !v.HasValue() {
			return "none"
		}
		return "optional(" + show(v.GetValue()) + ")"
	case ref.Type:
		return "type(" + v.TypeName() + ")"
	case traits.Mapper:
		parts := []string{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			parts = append(parts, show(key)+": "+show(v.Get(key)))
		}
		sort.Strings(parts)
		return "{" + strings.Join(parts, ", ") + "}"
	case traits.Lister:
		parts := []string{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			parts = append(parts, show(it.Next()))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	default:
		return "object(" + value.Type().TypeName() + ")"
	}
}
