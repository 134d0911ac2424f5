// Package sqllint checks the store's SQL against the rules that keep Citus
// (distributed PostgreSQL) possible, and against a few habits that are bad
// anywhere: migrations, embedded queries, and statements in Go constants.
//
// It splits SQL into tokens and statements into queries, and looks for shapes;
// it does not know PostgreSQL's whole grammar and never connects to a database.
// Where it cannot tell, it complains: a rule is kept visibly or not at all.
//
// Every table belongs to tenants, and is distributed by its shard, unless it is
// listed in shared. A query names a tenant-owned table together with a condition
// on its shard. A statement that means all shards says so in a comment with the
// words "all shards"; statements of the hot path may not.
//
// Only tests use this package.
package sqllint
