import 'server-only'
import { sql } from 'drizzle-orm'
import { MODEL_TYPES, type ModelType } from '@/lib/contract/models'
import { getDb } from '@/lib/db/client'
import { bumpCatalogueVersion } from '@/lib/services/models/catalogue-version'

/** The model of each type that the operator made the default, by its id. */
export type DefaultChoices = Partial<Record<ModelType, string>>

const KEY = 'default-model:'

export async function readDefaultChoices(): Promise<DefaultChoices> {
  const { query } = await getDb()
  const rows = await query<{ key: string; value: string }>(
    "select key, value from installation where key like 'default-model:%' order by key",
  )
  const choices = new Map(rows.map(({ key, value }) => [key.slice(KEY.length), value]))
  return Object.fromEntries(MODEL_TYPES.flatMap((type) => (choices.has(type) ? [[type, choices.get(type)]] : [])))
}

/** Keeps a choice; without an id the installation's own default is back. */
export async function saveDefaultChoice(type: ModelType, id: string | undefined): Promise<void> {
  const { drizzle } = await getDb()
  await drizzle.transaction(async (transaction) => {
    await transaction.execute(
      id === undefined
        ? sql`delete from installation where key = ${KEY + type}`
        : sql`insert into installation (key, value) values (${KEY + type}, ${id})
              on conflict (key) do update set value = excluded.value`,
    )
    await bumpCatalogueVersion(transaction)
  })
}
