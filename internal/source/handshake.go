package source

// maxEcho bounds what a handshake may have us repeat, in bytes.
const maxEcho = 4 << 10

// echo answers a handshake with a text of the asker's. As nobody vouches for
// the text, it is plain and stays so in a browser.
func echo(secret, text string) (Verdict, *refusal) {
	if text == "" || len(text) > maxEcho {
		return Verdict{}, malformed(HandshakeMalformed, "")
	}
	return handshake(secret, Response{
		Status:      200,
		ContentType: "text/plain",
		Header:      Header{{"X-Content-Type-Options", "nosniff"}},
		Body:        text,
	}), nil
}

func handshake(secret string, response Response) Verdict {
	return Verdict{Result: Challenge, Reason: Handshake, Secret: secret, Response: response}
}
