// Package localpg runs a private PostgreSQL for one Malote: it finds the
// installed server binaries, creates a cluster below the data directory, keeps
// it running and stops it.
//
// What lies in DATADIR/postgres, all of it owned by the account that runs the
// server:
//
//	lock          flock'ed while a Malote uses the directory; holds its pid
//	password      of the role "malote" (mode 0600)
//	data/         the cluster; appears only when initdb has finished
//	socket/       the unix socket, unless the path is too long for one
//	postgres.log  the server's log, postgres.log.1 the one before
//
// The server listens on no TCP port. As root we run it as the account that owns
// DATADIR/postgres, else as "postgres", else as "nobody"; and because that
// account is less trusted than we are, files in its directory are only touched
// through an os.Root, never by following its links out of there.
//
// If we die without warning, a durable server lives on; the next Start stops it
// and goes on with its own. An ephemeral one dies with us (on Linux).
//
// The package knows nothing of Malote's tables, queries or migrations, and never
// logs the password or a DSN.
package localpg
