package api

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// codeSample is how generators of documentation want an example.
type codeSample struct {
	Language string `json:"lang"`
	Label    string `json:"label"`
	Source   string `json:"source"`
}

// sampleNames stand for what a path names: things that the first steps create,
// and ids out of earlier answers as variables of the shell.
var sampleNames = strings.NewReplacer(
	"/events/{id}", "/events/$EVENT_ID", "/webhook_endpoints/{id}", "/webhook_endpoints/$ENDPOINT_ID",
	"/webhook_deliveries/{id}", "/webhook_deliveries/$DELIVERY_ID", "/keys/{id}", "/keys/$KEY_ID",
	"/sources/{id}/secrets/{secret}", "/sources/$SOURCE_ID/secrets/$SOURCE_SECRET_ID", "/sources/{id}", "/sources/$SOURCE_ID",
	"/recoveries/{id}", "/recoveries/$RECOVERY_ID", "/users/{id}", "/users/$USER_ID",
	"{secret}", "$SECRET_ID", "{tenant}", "acme", "{name}", "standard",
)

// shortSample is how long JSON may be to stay on one line.
const shortSample = 64

// curl is how the operation is called from a shell that has MALOTE_SERVER and
// MALOTE_API_KEY, as the command line has them.
func (at route) curl() string {
	url, body := sampleNames.Replace(at.path), at.sample
	if at.method == http.MethodGet && body != "" {
		url, body = url+"?"+body, ""
	}
	method := ""
	if at.method != http.MethodGet && (at.method != http.MethodPost || body == "") {
		method = "-X " + at.method + " "
	}
	lines := []string{fmt.Sprintf(`curl %s"$MALOTE_SERVER%s"`, method, url)}
	if at.need != nil {
		lines = append(lines, `-H "Authorization: Bearer $MALOTE_API_KEY"`)
	}
	if body != "" {
		lines = append(lines, `-H "Content-Type: application/json"`, "-d "+quoteSample(body))
	}
	return strings.Join(lines, " \\\n  ")
}

var sampleVariable = regexp.MustCompile(`\$[A-Z_]+`)

// quoteSample makes one word of a JSON text, in which variables still count.
func quoteSample(body string) string {
	return "'" + sampleVariable.ReplaceAllString(layOut([]byte(body), "  "), `'"$0"'`) + "'"
}

// layOut gives each member and element a line of its own where one line would
// be too long for all.
func layOut(value []byte, indent string) string {
	var lines []string
	switch {
	case len(value) <= shortSample:
	case value[0] == '{':
		for name, inner := range members(value) {
			lines = append(lines, string(name)+": "+layOut(inner, indent+"  "))
		}
	case value[0] == '[':
		for inner := range elements(value) {
			lines = append(lines, layOut(inner, indent+"  "))
		}
	}
	if lines == nil {
		return string(value)
	}
	between := "\n" + indent + "  "
	return string(value[0]) + between + strings.Join(lines, ","+between) + "\n" + indent + string(value[len(value)-1])
}
