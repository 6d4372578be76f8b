// Package fill sets the fields of API structs to values that differ from each other, the same ones in every run.
package fill

import (
	"fmt"
	"log"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Quantities as clients write them; the API server stores their canonical text.
var Quantities = []string{
	"0", "1", "100m", "0.5", "1500m", "1000m", "2", "1e3", "1E", "3.25", "1000000n", "5u", "0.1n", "123456789012345678901234567890",
	"64Mi", "1Gi", "1024Mi", "1.5Gi", "1536Mi", "7Ti", "100Ti", "1Pi", "8Ei", "1000k", "1001k", "12345678901234567890", "-1", "+3",
}

// Filler counts the values that it has made.
type Filler struct {
	made int
	// inside are the structs that are being filled: within itself a type stays empty.
	inside map[reflect.Type]bool
}

func (f *Filler) next() int {
	f.made++
	return f.made
}

// Fill sets every field, with one element in lists and two in maps.
func (f *Filler) Fill(value reflect.Value) {
	f.inside = map[reflect.Type]bool{}
	f.fill(value)
}

func (f *Filler) fill(value reflect.Value) {
	switch into := value.Addr().Interface().(type) {
	case *metav1.Time:
		*into = metav1.NewTime(time.Unix(1_700_000_000+int64(f.next()), 0))
		return
	case *metav1.MicroTime:
		*into = metav1.NewMicroTime(time.Unix(1_700_000_000+int64(f.next()), 0))
		return
	case *metav1.Duration:
		into.Duration = time.Duration(f.next()) * time.Second
		return
	case *metav1.FieldsV1:
		into.Raw = []byte(`{"f:metadata":{}}`)
		return
	case *runtime.RawExtension:
		into.Raw = []byte(`{"z":1,"a":"<"}`)
		return
	case *resource.Quantity:
		*into = resource.MustParse(Quantities[f.next()%len(Quantities)])
		return
	case *intstr.IntOrString:
		*into = intstr.FromInt32(int32(f.next()))
		if f.made%2 == 0 {
			*into = intstr.FromString(fmt.Sprintf("%d%%", f.made))
		}
		return
	}
	switch value.Kind() {
	case reflect.Interface:
		return
	case reflect.Uint8:
		value.SetUint('0')
	case reflect.Float64:
		value.SetFloat(float64(f.next()) + 0.5)
	case reflect.Bool:
		value.SetBool(true)
	case reflect.Int32, reflect.Int64:
		value.SetInt(int64(f.next()))
	case reflect.String:
		value.SetString(fmt.Sprintf("t%d", f.next()))
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		f.fill(value.Elem())
	case reflect.Slice:
		value.Set(reflect.MakeSlice(value.Type(), 1, 1))
		f.fill(value.Index(0))
	case reflect.Map:
		value.Set(reflect.MakeMap(value.Type()))
		for range 2 {
			key, element := reflect.New(value.Type().Key()).Elem(), reflect.New(value.Type().Elem()).Elem()
			f.fill(key)
			f.fill(element)
			value.SetMapIndex(key, element)
		}
	case reflect.Struct:
		if f.inside[value.Type()] {
			return
		}
		f.inside[value.Type()] = true
		defer delete(f.inside, value.Type())
		for i := range value.NumField() {
			f.fill(value.Field(i))
		}
	default:
		log.Fatalf("fill: no value for %s", value.Type())
	}
}
