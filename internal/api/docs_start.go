package api

import "github.com/danielgtaylor/huma/v2"

// docsStep is one of the first steps: what it is for, and what to type.
type docsStep struct {
	Text docsText
	Code string
}

// firstEnvironment is what all examples need. The command line uses the same
// variables.
const firstEnvironment = `export MALOTE_SERVER=http://127.0.0.1:8420
export MALOTE_API_KEY="$(cat malote-data/admin-key)"`

// firstSteps lead from nothing to an event that is delivered. Their examples
// are those of the operations.
var firstSteps = []struct{ text, operation string }{
	{"Create a tenant: everything else belongs to one.", "create-tenant"},
	{"Say where its events go. The answer holds the endpoint's `id` and, this once, the secret that its deliveries are signed with.",
		"create-webhook-endpoint"},
	{"Publish an event. Once the answer is there, the event and its deliveries are committed.", "publish-event"},
	{"See what became of it. Put the `id` out of the answer before into the variable first: `EVENT_ID=evt_…`. " +
		"All examples have their ids in such variables.", "list-webhook-deliveries"},
}

func docsFirstSteps(document *huma.OpenAPI) []docsStep {
	samples := map[string]string{}
	for operation := range operationsOf(document) {
		samples[operation.OperationID] = docsCurl(operation)
	}
	steps := []docsStep{{
		Text: docsTextOf("Tell the shell where Malote is, and who you are. `malote serve` leaves its first admin key in its data directory."),
		Code: firstEnvironment,
	}}
	for _, step := range firstSteps {
		steps = append(steps, docsStep{Text: docsTextOf(step.text), Code: samples[step.operation]})
	}
	return steps
}

func docsCurl(operation *huma.Operation) string {
	samples, _ := operation.Extensions[samplesExtension].([]codeSample)
	if len(samples) == 0 {
		return ""
	}
	return samples[0].Source
}
