package outbox

import _ "embed"

//go:embed queries/take.sql
var takeSQL string

//go:embed queries/refuse.sql
var refuseSQL string

//go:embed queries/lag.sql
var lagSQL string

//go:embed queries/retry.sql
var retrySQL string
