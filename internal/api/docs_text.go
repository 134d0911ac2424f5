package api

import (
	"strconv"
	"strings"
)

// docsText is a text and the code in it, which CommonMark has between grave
// accents.
type docsText []docsRun

type docsRun struct {
	Text string
	Code bool
}

func docsTextOf(text string) docsText {
	var runs docsText
	for i, part := range strings.Split(text, "`") {
		if part != "" {
			runs = append(runs, docsRun{Text: part, Code: i%2 == 1})
		}
	}
	return runs
}

// docsBlock is a heading and what stands under it.
type docsBlock struct {
	Heading, Anchor string // "": there is none before the first heading
	Paragraphs      []docsText
}

// docsBlocks cuts CommonMark at its headings. The first block is what comes
// before any.
func docsBlocks(text string) []docsBlock {
	blocks := []docsBlock{{}}
	for _, paragraph := range strings.Split(text, "\n\n") {
		if heading, found := strings.CutPrefix(paragraph, "## "); found {
			blocks = append(blocks, docsBlock{Heading: heading, Anchor: docsAnchor(heading)})
			continue
		}
		last := &blocks[len(blocks)-1]
		last.Paragraphs = append(last.Paragraphs, docsTextOf(paragraph))
	}
	return blocks
}

func docsAnchor(heading string) string { return strings.ReplaceAll(strings.ToLower(heading), " ", "-") }

// grouped writes a number as people read it: 1,048,576.
func grouped(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0 && digits[at-1] != '-'; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
