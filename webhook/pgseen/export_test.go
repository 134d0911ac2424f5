package pgseen

// Statements are what a store says to the database, for tests of their plans.
func (s *Store) Statements() []string {
	return []string{s.statements.claim, s.statements.keep, s.statements.keepWithin, s.statements.release, s.statements.purge}
}
