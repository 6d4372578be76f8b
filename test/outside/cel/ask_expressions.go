// Puts expressions to the CEL environment of a Kubernetes server; the recorder in cel-go writes down what it says. The only
// argument is a file with a JSON list of texts.
package main

import (
	"encoding/json"
	"os"

	"github.com/google/cel-go/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

func main() {
	bytes, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var texts []string
	if err := json.Unmarshal(bytes, &texts); err != nil {
		panic(err)
	}
	env := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).StoredExpressionsEnv()
	for _, text := range texts {
		ast, issues := env.Compile(text)
		if issues.Err() != nil {
			continue
		}
		program, err := env.Program(ast)
		if err != nil {
			cel.Record(map[string]string{"type": "expression", "text": text, "error": err.Error()})
			continue
		}
		_, _, _ = program.Eval(cel.NoVars())
	}
}
