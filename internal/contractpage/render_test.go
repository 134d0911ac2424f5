package contractpage

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/policy"
)

func TestRender_Unknown(t *testing.T) {
	t.Parallel()
	p := presets(t)[0]
	_, err := Render(p, Options{Language: "tlh"})
	var language *UnknownLanguageError
	require.ErrorAs(t, err, &language)
	require.Equal(t, Language("tlh"), language.Language)
	require.EqualError(t, err, `there is no contract page in the language "tlh": choose one of ["en" "pt" "fa"]`)

	_, err = Render(p, Options{Format: "pdf"})
	var format *UnknownFormatError
	require.ErrorAs(t, err, &format)
	require.EqualError(t, err, `there is no contract page in the format "pdf": choose one of ["markdown" "html"]`)
}

func TestRender_DefaultsAndRepeats(t *testing.T) {
	t.Parallel()
	p := presets(t)[0]
	want := rendered(t, p, Options{Language: English, Format: Markdown, Retention: 30 * 24 * time.Hour})
	require.Equal(t, want, rendered(t, p, Options{}))
	require.NotEqual(t, want, rendered(t, p, Options{Retention: 24 * time.Hour}))
}

func TestFormat_ContentType(t *testing.T) {
	t.Parallel()
	require.Equal(t, "text/html; charset=utf-8", HTML.ContentType())
	require.Equal(t, "text/markdown; charset=utf-8", Markdown.ContentType())
}

func TestDuration(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration][4]string{
		0:                                {"0 seconds", "0 segundo", "۰ ثانیه", "0\u00a0s"},
		100 * time.Millisecond:           {"0.1 seconds", "0,1 segundo", "۰٫۱ ثانیه", "0.1\u00a0s"},
		time.Second:                      {"1 second", "1 segundo", "۱ ثانیه", "1\u00a0s"},
		2500 * time.Millisecond:          {"2.5 seconds", "2,5 segundos", "۲٫۵ ثانیه", "2.5\u00a0s"},
		90 * time.Second:                 {"1 minute and 30 seconds", "1 minuto e 30 segundos", "۱ دقیقه و ۳۰ ثانیه", "1\u00a0min 30\u00a0s"},
		24 * time.Hour:                   {"24 hours", "24 horas", "۲۴ ساعت", "24\u00a0h"},
		72 * time.Hour:                   {"3 days", "3 dias", "۳ روز", "72\u00a0h"},
		73*time.Hour + 61*time.Second:    {"73 hours, 1 minute and 1 second", "73 horas, 1 minuto e 1 segundo", "۷۳ ساعت، ۱ دقیقه و ۱ ثانیه", "73\u00a0h 1\u00a0min 1\u00a0s"},
		time.Minute - time.Microsecond:   {"1 minute", "1 minuto", "۱ دقیقه", "1\u00a0min"},
		time.Hour + time.Millisecond*500: {"1 hour and 0.5 seconds", "1 hora e 0,5 segundo", "۱ ساعت و ۰٫۵ ثانیه", "1\u00a0h 0.5\u00a0s"},
	} {
		for i, l := range Languages {
			c := &composer{locale: locales[l]}
			require.Equal(t, want[i], c.duration(d).phrase.String())
		}
		c := &composer{locale: locales[English]}
		require.Equal(t, want[3], c.brief(d))
		require.NoError(t, c.err)
	}
	require.Equal(t, none, (&composer{locale: locales[Persian]}).brief(policy.Never))
}
