package contractpage

// page is the composed page, in words of one language.
type page struct {
	locale      *locale
	Title       phrase
	Description phrase // the policy's own; may be empty
	Intro       []phrase
	Skip        phrase
	Contents    phrase
	Sections    []section
}

// Tag is the language as BCP 47 has it, for lang attributes.
func (p *page) Tag() string { return p.locale.tag }

// Direction is the value of dir attributes.
func (p *page) Direction() string {
	if p.locale.toLeft {
		return "rtl"
	}
	return "ltr"
}

type section struct {
	ID     string // the same in every language
	Title  phrase
	Blocks []block
}

// block is one of the kinds of content; the others are zero.
type block struct {
	Heading   *heading
	Text      phrase
	Items     []phrase
	Steps     []phrase // an ordered list
	Checks    []phrase // a list to tick off
	Table     *table
	Listing   *listing
	Timetable *picture
}

type heading struct {
	ID    string
	Title phrase
}

// table has a heading on every column, and on every row in its first cell.
type table struct {
	ID      string
	Caption phrase
	Head    []phrase
	Rows    [][]cell
}

// cell is one or several lines.
type cell []phrase

// listing is text that is shown as it is.
type listing struct {
	Label    phrase
	Language string // for those who colour it
	Text     string
}

func oneLine(v value) cell { return cell{v.phrase} }
