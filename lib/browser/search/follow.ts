import { Dexie, type IntervalTree, type ObservabilitySet, RangeSet } from 'dexie'
import type { ChatSearch } from '@/lib/browser/search/chat-search'

/** Tells a search what changes in its database, in this tab and in all others. */
export function followChanges(search: ChatSearch): void {
  const prefix = `idb://${search.database.name}/`
  Dexie.on('storagemutated', (changed: ObservabilitySet) => {
    if ('all' in changed) {
      search.noteChats()
      return search.noteMessages()
    }
    const names = Object.keys(changed)
    if (names.some((name) => name.startsWith(`${prefix}conversations/`))) search.noteChats()
    // An answer's words are stored in one step with its record, and deleted with it.
    for (const name of [`${prefix}messages/`, `${prefix}messages/:dels`]) {
      const range = changed[name]
      if (range) search.noteMessages(keysOf(range))
    }
  })
}

function keysOf(range: IntervalTree): string[] | undefined {
  const keys: string[] = []
  for (const { from, to } of new RangeSet().add(range)) {
    if (typeof from !== 'string' || from !== to) return undefined
    keys.push(from)
  }
  return keys
}
