package main

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// attemptView is what is shown of an attempt.
type attemptView struct {
	Number         int        `json:"number"`
	Trigger        string     `json:"trigger"`
	ScheduledAt    *time.Time `json:"scheduled_at"`
	StartedAt      *time.Time `json:"started_at"`
	DurationMS     int64      `json:"duration_ms"`
	ResponseStatus *int       `json:"response_status"`
	ErrorCode      *string    `json:"error_code"`
	Error          *string    `json:"error"`
	ResponseBody   *string    `json:"response_body"`
}

// answer is what the receiver said, or why it said nothing.
func (a attemptView) answer() string {
	if a.ResponseStatus == nil {
		return orAbsent(a.ErrorCode)
	}
	text := fmt.Sprint(*a.ResponseStatus)
	isMail := a.ErrorCode != nil && strings.HasPrefix(*a.ErrorCode, "smtp_") // whose numbers mean other things
	if words := http.StatusText(*a.ResponseStatus); words != "" && !isMail {
		text += " " + words
	}
	if a.ErrorCode != nil && *a.ErrorCode != "http_status" {
		text += ", " + *a.ErrorCode
	}
	return text
}

// failure is what went wrong, in a sentence.
func (a attemptView) failure() string {
	if a.Error != nil {
		return *a.Error
	}
	return a.answer()
}
