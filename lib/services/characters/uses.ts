import 'server-only'
import { getDb } from '@/lib/db/client'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'

/** Pairs of account and character that this process knows to be in the table; the oldest are forgotten first. */
const MAX_KNOWN = 20_000
/** Writes under way; beyond them a use is counted another time. */
const MAX_WRITING = 50

type Uses = { known: Set<string>; writing: Set<Promise<void>> }

const uses = (): Uses => perProcess('character-uses', () => ({ known: new Set(), writing: new Set() }))

/** Counts an account among those that use a character: written once, and nobody waits for it. */
export function noteUse(characterId: string, accountId: string): void {
  const { known, writing } = uses()
  const pair = `${characterId} ${accountId}`
  if (known.has(pair) || writing.size >= MAX_WRITING) return
  known.add(pair)
  if (known.size > MAX_KNOWN) known.delete(known.values().next().value as string)
  const write = save(characterId, accountId)
    .catch((error: unknown) => {
      known.delete(pair)
      log().warn({ err: error }, 'a use of a character could not be counted')
    })
    .finally(() => writing.delete(write))
  writing.add(write)
}

/** Resolves when every use that was noted so far is written. */
export async function usesSaved(): Promise<void> {
  await Promise.all(uses().writing)
}

async function save(characterId: string, accountId: string): Promise<void> {
  const { query } = await getDb()
  await query(
    'insert into character_use (character_id, account_id) values ($1, $2) on conflict (character_id, account_id) do nothing',
    [characterId, accountId],
  )
}
