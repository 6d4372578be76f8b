package main

import (
	"encoding/binary"
	"log"
	"maps"
	"reflect"
	"strings"
)

// Protobuf wire types.
const (
	varint    = 0
	fixed64   = 1
	delimited = 2
)

type marshaler interface{ Marshal() ([]byte, error) }

// checkWire lets upstream's own code write a filled value and compares the field numbers and wire types it wrote
// with what a reader of our data will assume: the number from the tag, the wire type from the reference.
func checkWire(t reflect.Type, fields [][]any) {
	value := reflect.New(t)
	message, ok := value.Interface().(marshaler)
	if !ok {
		for _, field := range fields {
			if field[3] != 0 {
				log.Fatalf("%s: field %s has a protobuf number in a type without protobuf", t, field[1])
			}
		}
		return
	}
	fill(value.Elem(), 3)
	text, err := message.Marshal()
	if err != nil {
		log.Fatalf("%s: marshal: %v", t, err)
	}
	expected := map[int]int{}
	for _, field := range fields {
		if number := field[3].(int); number != 0 {
			expected[number] = wireOf(field[4].(string))
		}
	}
	if written := tagsOf(t, text); !maps.Equal(written, expected) {
		log.Fatalf("%s: protobuf fields written %v, expected %v", t, written, expected)
	}
}

func wireOf(ref string) int {
	switch strings.TrimPrefix(ref, "[]") {
	case "bool", "int32", "int64":
		return varint
	case "float64":
		return fixed64
	}
	return delimited
}

// tagsOf answers the wire type of each field number in one message.
func tagsOf(t reflect.Type, message []byte) map[int]int {
	tags := map[int]int{}
	next := func() int {
		value, size := binary.Uvarint(message)
		if size <= 0 {
			log.Fatalf("%s: broken protobuf", t)
		}
		message = message[size:]
		return int(value)
	}
	for len(message) > 0 {
		tag := next()
		tags[tag>>3] = tag & 7
		switch tag & 7 {
		case varint:
			next()
		case fixed64:
			message = message[8:]
		case delimited:
			size := next()
			message = message[size:]
		default:
			log.Fatalf("%s: wire type %d", t, tag&7)
		}
	}
	return tags
}

// fill sets every exported field, pointers, slices and maps with one element, as deep as said; deeper stays zero.
func fill(value reflect.Value, depth int) {
	switch value.Kind() {
	case reflect.Bool:
		value.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		value.SetInt(1)
	case reflect.Uint8:
		value.SetUint('1')
	case reflect.Float64:
		value.SetFloat(1)
	case reflect.String:
		value.SetString("1")
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		if depth > 0 {
			fill(value.Elem(), depth-1)
		}
	case reflect.Slice:
		value.Set(reflect.MakeSlice(value.Type(), 1, 1))
		if depth > 0 {
			fill(value.Index(0), depth-1)
		}
	case reflect.Map:
		value.Set(reflect.MakeMap(value.Type()))
		key, element := reflect.New(value.Type().Key()).Elem(), reflect.New(value.Type().Elem()).Elem()
		fill(key, 0)
		if depth > 0 {
			fill(element, depth-1)
		}
		value.SetMapIndex(key, element)
	case reflect.Struct:
		if _, special := specials[value.Type()]; special {
			return
		}
		for i := range value.NumField() {
			if value.Field(i).CanSet() {
				fill(value.Field(i), depth)
			}
		}
	}
}
