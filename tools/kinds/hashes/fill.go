package main

import (
	"fmt"
	"log"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// filler sets fields to values that differ from each other, the same ones in every run.
type filler struct{ made int }

func newFiller() *filler { return &filler{} }

func (f *filler) next() int {
	f.made++
	return f.made
}

func (f *filler) fill(value reflect.Value) {
	switch into := value.Addr().Interface().(type) {
	case *metav1.Time:
		*into = metav1.NewTime(time.Unix(1_700_000_000+int64(f.next()), 0))
		return
	case *metav1.FieldsV1:
		return
	case *resource.Quantity:
		*into = resource.MustParse(quantities[f.next()%len(quantities)])
		return
	case *intstr.IntOrString:
		*into = intstr.FromInt32(int32(f.next()))
		if f.made%2 == 0 {
			*into = intstr.FromString(fmt.Sprintf("%d%%", f.made))
		}
		return
	}
	switch value.Kind() {
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
		for i := range value.NumField() {
			f.fill(value.Field(i))
		}
	default:
		log.Fatalf("fill: no value for %s", value.Type())
	}
}
