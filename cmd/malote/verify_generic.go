package main

import (
	"net/netip"
	"time"

	"github.com/malotehq/malote/internal/source"
)

// genericFlags are the rule of a sender that is not among the providers.
type genericFlags struct {
	Auth            string         `help:"How the sender is known: ${enum}." enum:"hmac,header_token,bearer,basic,query_token,address" default:"hmac" env:"-" own:""`
	SignatureHeader string         `help:"The header with the signature or the token." placeholder:"NAME" env:"-" own:""`
	Prefix          string         `help:"What comes before the signature, such as sha256=." placeholder:"TEXT" env:"-" own:""`
	Encoding        string         `help:"How it is written: hex, base64 or base64url." placeholder:"ENCODING" env:"-" own:""`
	Algorithm       string         `help:"sha256, sha384, sha512, or sha1." placeholder:"NAME" env:"-" own:""`
	SecretEncoding  string         `help:"How the secret is written: text, hex or base64." placeholder:"ENCODING" env:"-" own:""`
	Content         string         `help:"What is signed, such as {timestamp}.{body}; also {method}, {url}, {id} and {header:Name}." placeholder:"TEMPLATE" env:"-" own:""`
	TimestampHeader string         `help:"The header with the signed time." placeholder:"NAME" env:"-" own:""`
	TimestampFormat string         `help:"unix or rfc3339." placeholder:"FORMAT" env:"-" own:""`
	Parameter       string         `help:"The query's parameter with the token." placeholder:"NAME" env:"-" own:""`
	IDFrom          string         `name:"id-from" help:"Where the event's id is, such as header:X-Id or json:data.id." placeholder:"WHERE" env:"-" own:""`
	TypeFrom        string         `name:"type-from" help:"Where its type is." placeholder:"WHERE" env:"-" own:""`
	Allow           []netip.Prefix `help:"Addresses that may send." placeholder:"CIDR" env:"-" own:""`
	Remote          string         `help:"The address that sent it." placeholder:"IP" env:"-" own:""`
}

// apply puts the rule into a record.
func (f *genericFlags) apply(r *source.Record) error {
	id, err := source.ParseLocator(f.IDFrom)
	if err != nil {
		return &usageError{"--id-from: " + err.Error()}
	}
	kind, err := source.ParseLocator(f.TypeFrom)
	if err != nil {
		return &usageError{"--type-from: " + err.Error()}
	}
	if f.Remote != "" {
		if r.Request.Remote, err = netip.ParseAddr(f.Remote); err != nil {
			return &usageError{"--remote must be an IP address"}
		}
	}
	rule := &source.Generic{
		Auth: source.Authentication(f.Auth), Addresses: f.Allow,
		Header: f.SignatureHeader, Prefix: f.Prefix, Encoding: f.Encoding, Algorithm: f.Algorithm,
		SecretEncoding: f.SecretEncoding, Content: f.Content,
		TimestampHeader: f.TimestampHeader, TimestampFormat: f.TimestampFormat,
		Parameter: f.Parameter, ID: id, Type: kind,
	}
	if f.TimestampHeader != "" {
		rule.Tolerance = max(r.Options.Window, time.Duration(0))
	}
	if err := rule.Validate(); err != nil {
		return &usageError{oneLine(err.Error())}
	}
	r.Options.Generic = rule
	return nil
}
