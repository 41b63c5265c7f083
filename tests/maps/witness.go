// Reads literals of Go as Go does: lines of JSON, as a literal stands and as it was read.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"unicode/utf8"
)

func main() {
	file, err := os.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	agreed, other := 0, 0
	wrong := []string{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var it [2]string
		if err := json.Unmarshal(lines.Bytes(), &it); err != nil {
			panic(err)
		}
		// What has no escapes has no CR either.
		if strings.HasPrefix(it[0], "`") {
			it[0], it[1] = strings.ReplaceAll(it[0], "\r", ""), strings.ReplaceAll(it[1], "\r", "")
		}
		value, err := strconv.Unquote(it[0])
		switch {
		case err != nil || !utf8.ValidString(value):
			other++
		case value == it[1]:
			agreed++
		default:
			wrong = append(wrong, fmt.Sprintf("  %q | %q | %q", it[0], it[1], value))
		}
	}
	fmt.Printf("%s: %d agreed, %d did not, %d are no literals of their own\n", runtime.Version(), agreed, len(wrong), other)
	for n, it := range wrong {
		if n < 10 {
			fmt.Println(it)
		}
	}
	if len(wrong) > 0 || agreed == 0 {
		os.Exit(1)
	}
}
