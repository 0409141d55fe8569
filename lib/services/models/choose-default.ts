import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { MODEL_TYPES, type ModelType } from '@/lib/contract/models'
import { catalogue, reloadConnected } from '@/lib/services/models/catalogue'
import { readDefaultChoices, saveDefaultChoice } from '@/lib/services/models/default-model'

const MAX_ID_CHARS = 128

export type DefaultModel = { type: ModelType; id: string; isChosen: boolean }

/** Lists the default of each type that has models. @throws ApiError SERVICE_UNAVAILABLE without a catalogue. */
export async function listDefaults(): Promise<DefaultModel[]> {
  const choices = await readDefaultChoices()
  return MODEL_TYPES.flatMap((type) => {
    const model = catalogue().traits(type, Date.now()).get('default')
    return model ? [{ type, id: model.id, isChosen: choices[type] === model.id }] : []
  })
}

/**
 * Makes a model the default of its type, at once and after a restart.
 * @throws ApiError NOT_FOUND, or INVALID_REQUEST where it does not run or a models file names the default.
 */
export async function chooseDefault(id: string): Promise<DefaultModel> {
  const model = catalogue().byId.get(id)
  if (!model) throw new ApiError('NOT_FOUND', `There is no model ${id.slice(0, MAX_ID_CHARS)}.`)
  const { type } = model
  if (model.isOffline) throw new ApiError('INVALID_REQUEST', `${id} is offline. Choose a model that runs.`)
  const before = (await readDefaultChoices())[type]
  await saveDefaultChoice(type, id)
  await reloadConnected()
  if (catalogue().traits(type, Date.now()).get('default')?.id === id) return { type, id, isChosen: true }
  await saveDefaultChoice(type, before)
  await reloadConnected()
  throw new ApiError(
    'INVALID_REQUEST',
    `The models file names the default of type ${type}. Change it there, or remove its trait \`default\`.`,
  )
}

/** Gives all types back the default that they have without a choice. */
export async function resetDefaults(): Promise<void> {
  for (const type of MODEL_TYPES) await saveDefaultChoice(type, undefined)
  await reloadConnected()
}
