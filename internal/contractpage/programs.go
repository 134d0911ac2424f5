package contractpage

import "github.com/malotehq/malote/internal/policy"

// Program is a program, or a function of one, that verifies what a policy signs:
// the very one that the contract page shows.
type Program struct {
	Name string // of the language or tool
	Text string
}

// programNames are the samples that stand alone, as people call their languages.
var programNames = []struct{ sample, name string }{
	{"node", "Node.js"}, {"python", "Python"}, {"php", "PHP"}, {"go-package", "Go"}, {"shell", "Shell"},
}

// Programs gives one for every language; none if the policy does not sign.
func Programs(p *policy.Policy) ([]Program, error) {
	if p.Signature.Scheme == policy.Unsigned {
		return nil, nil
	}
	samples, err := samplesFor(p)
	if err != nil {
		return nil, err
	}
	var list []Program
	for _, wanted := range programNames {
		for _, s := range samples {
			if s.name == wanted.sample {
				list = append(list, Program{wanted.name, s.text})
			}
		}
	}
	return list, nil
}
