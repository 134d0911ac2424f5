package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
)

// examineSettings looks for what is convenient in development and weak in
// production.
func (f *doctorCommand) examineSettings(context.Context) []finding {
	return []finding{f.checkDestinations(), f.checkScheme(), f.checkListen(), f.checkAdminKey(), f.checkSecretKey()}
}

func (f *doctorCommand) checkDestinations() finding {
	found := finding{Check: "destinations", Health: healthy, Found: "by these settings, only public addresses can be called"}
	if len(f.AllowDestinations) > 0 {
		ranges := make([]string, len(f.AllowDestinations))
		for i, prefix := range f.AllowDestinations {
			ranges[i] = prefix.String()
		}
		found.Health, found.Found = warning, "whoever may create endpoints can reach "+strings.Join(ranges, ", ")
		found.Fix = "leave out --allow-destinations in production"
	}
	return found
}

func (f *doctorCommand) checkScheme() finding {
	if f.RequireHTTPS {
		return finding{Check: "https", Health: healthy, Found: "endpoints must be https"}
	}
	return finding{
		Check: "https", Health: warning, Found: "endpoints may be http, so that bodies can be read on their way",
		Fix: "set --require-https unless a customer's receiver cannot do https",
	}
}

func (f *doctorCommand) checkListen() finding {
	host, _, err := net.SplitHostPort(f.Listen)
	switch {
	case err != nil:
		return finding{Check: "listen", Health: wrong, Found: fmt.Sprintf("%q is no address", f.Listen), Fix: "write it like 127.0.0.1:8420"}
	case isThisMachine(host):
		return finding{Check: "listen", Health: healthy, Found: f.Listen + " is for this machine only"}
	default:
		return finding{
			Check: "listen", Health: warning, Found: f.Listen + " is open to the network, without TLS: API keys can be read on their way",
			Fix: "listen on 127.0.0.1 behind a reverse proxy that does TLS",
		}
	}
}

// examineServer asks the server that listens where the settings say, if any does.
func (f *doctorCommand) examineServer(ctx context.Context) []finding {
	found := finding{Check: "server", Health: warning}
	host, port, err := net.SplitHostPort(f.Listen)
	if err != nil {
		return nil // checkListen has told
	}
	if host == "" || net.ParseIP(host).IsUnspecified() {
		host = "127.0.0.1"
	}
	address := net.JoinHostPort(host, port)
	ask, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/readyz", http.NoBody)
	if err != nil {
		return nil // as above
	}
	response, err := http.DefaultClient.Do(ask)
	if err != nil {
		found.Found, found.Fix = "nothing answers at "+address, "start malote serve, if one is to run here"
		return []finding{found}
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		found.Health, found.Found = healthy, "a Malote is ready at "+address
	} else {
		found.Health = wrong
		found.Found = fmt.Sprintf("the server at %s is not ready: HTTP %d", address, response.StatusCode)
		found.Fix = "look at its log; it is ready once its database answers"
	}
	return []finding{found}
}
