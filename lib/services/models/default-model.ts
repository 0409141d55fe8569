import 'server-only'
import { sql } from 'drizzle-orm'
import { MODEL_TYPES, type ModelType } from '@/lib/contract/models'
import { getDb } from '@/lib/db/client'
import { config } from '@/lib/kernel/config'
import { bumpCatalogueVersion } from '@/lib/services/models/catalogue-version'
import type { Model } from '@/lib/services/models/model'
import type { ParsedModels } from '@/lib/services/models/models-file'

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

/** Leaves out types whose default stands in the models file, which is the truth for what it names. */
export function openChoices(choices: DefaultChoices, { entries }: ParsedModels): DefaultChoices {
  if (config().modelsFile === undefined) return choices
  const named = new Set(entries.filter(({ traits }) => traits.includes('default')).map(({ type }) => type))
  return Object.fromEntries(Object.entries(choices).filter(([type]) => !named.has(type as ModelType)))
}

/** Maps each trait to its model; `default` to the operator's choice while that runs, else to the one that has it, or the first. */
export function traitsWithDefault(models: Model[], choice: string | undefined): Map<string, Model> {
  const traits = new Map(models.flatMap((model) => model.traits.map((trait) => [trait, model] as const)))
  const [first] = models
  // One that was paused or removed since gives its place back.
  const chosen = models.find(({ id, isOffline }) => id === choice && !isOffline)
  const standard = chosen ?? traits.get('default') ?? first
  if (standard !== undefined) traits.set('default', standard)
  return traits
}
