package benchdata

// Bulky is as many rows as are inserted in bulk.
const Bulky = bulky
