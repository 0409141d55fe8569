/** Databases that features opened on this page for themselves. */
const opened = new Set<{ close(): void }>()

/** Notes an open database of a feature, so that it lets go of its data before all data is deleted. */
export function noteDatabase(database: { close(): void }): void {
  opened.add(database)
}

/** Closes what features opened: an open database would hold up its deletion. */
export function closeFeatureDatabases(): void {
  for (const database of opened) database.close()
}
