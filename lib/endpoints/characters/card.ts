import 'server-only'
import * as card from '@/lib/contract/characters/card'
import { cardOf, type Exported, MAX_CARD_BYTES, type ReadCard } from '@/lib/contract/characters/card'
import { CardError, isPng, withTexts } from '@/lib/contract/characters/card-png'
import type { FullCharacter } from '@/lib/contract/characters/character.schema'
import { ApiError, invalidField } from '@/lib/contract/errors'
import { cardPortrait, encodePortrait, isPassing, portraitError } from '@/lib/endpoints/characters/portrait'
import { formatBytes } from '@/lib/kernel/byte-size'
import { parseForm } from '@/lib/pipeline/body'
import { findCharacter } from '@/lib/services/characters/catalogue'
import { createCharacter, findInner, findOwn, findOwnPortrait, takeCreation } from '@/lib/services/characters/own'
import { designOf, drawPortrait } from '@/lib/services/characters/portrait'
import { findShipped } from '@/lib/services/characters/shipped'
import { MediaError } from '@/lib/services/media/media-error'
import { openMemoryReservation } from '@/lib/services/media/memory-budget'
import { catalogue } from '@/lib/services/models/catalogue'

type File = { bytes: Uint8Array<ArrayBuffer>; name: string; mime: string }

/** Exports an own or a published character as a card; undefined for another. */
export async function exportCharacter(
  slug: string,
  accountId: string,
  options: { format: 'json' | 'png'; spec: 'v2' | 'v3' },
  signal: AbortSignal,
): Promise<File | undefined> {
  const found = await findExported(slug, accountId)
  if (!found) return undefined
  if (options.format === 'json') {
    const json = JSON.stringify(cardOf(found, options.spec), undefined, 2)
    return { bytes: Buffer.from(json), name: `${found.slug}.json`, mime: 'application/json' }
  }
  const portrait = (await findOwnPortrait(found.slug))?.picture
  const source = portrait ?? Buffer.from(await drawing(found.slug))
  const png = await cardPortrait(source, signal).catch((error: unknown) => {
    throw error instanceof MediaError ? portraitError(error) : error
  })
  const bytes = withTexts(png, {
    chara: JSON.stringify(cardOf(found, 'v2')),
    ccv3: JSON.stringify(cardOf(found, 'v3')),
  })
  return { bytes, name: `${found.slug}.png`, mime: 'image/png' }
}

async function drawing(slug: string): Promise<string> {
  const shipped = await findShipped(slug)
  return drawPortrait(slug, shipped?.portrait ?? designOf(slug))
}

async function findExported(slug: string, accountId: string): Promise<(Exported & { slug: string }) | undefined> {
  const own = await findOwn(slug, accountId)
  if (own) return { ...own, modelId: own.chosenModelId }
  const character = await findCharacter(slug, accountId)
  if (!character) return undefined
  const inner = (await findShipped(character.id)) ?? (await findInner(character.id))
  if (!inner) return undefined
  const { prompt, greeting, context, categories, replacesServicePrompt } = inner
  return { ...character, prompt, greeting, context, categories, replacesServicePrompt, modelId: null }
}

// As it came, as the part of a form, and on its way to the process that reads its picture.
const COPIES = 3

/** `warnings` say what did not fit into the draft. */
export type Imported = { character: FullCharacter; warnings: string[] }

type GivenCard = { file: Uint8Array } | { json: unknown }

/**
 * Creates a draft from a character card. @throws ApiError INVALID_REQUEST or PAYLOAD_TOO_LARGE for a card that cannot
 * be read, RATE_LIMIT_EXCEEDED.
 */
export async function importCharacter(accountId: string, given: GivenCard, signal: AbortSignal): Promise<Imported> {
  const { character, warnings } = await read(given)
  await takeCreation(accountId)
  const hasPicture = 'file' in given && isPng(given.file)
  const portrait = hasPicture ? await portraitOf(given.file, signal) : null
  if (hasPicture && !portrait) warnings.push('The image could not be read and was left out.')
  return { character: await createCharacter(accountId, { ...character, picture: portrait }), warnings }
}

/**
 * Creates a draft from a card that is sent as a file. @throws ApiError as `importCharacter` and `fileOf`;
 * SERVICE_UNAVAILABLE when too many are read at once.
 */
export async function importUpload(accountId: string, upload: Upload, signal: AbortSignal): Promise<Imported> {
  const memory = openMemoryReservation(accountId)
  try {
    memory.reserve(upload.body.byteLength * COPIES)
    return await importCharacter(accountId, { file: await fileOf(upload, MAX_CARD_BYTES) }, signal)
  } catch (error) {
    throw error instanceof MediaError ? portraitError(error) : error
  } finally {
    memory.close()
  }
}

async function read(given: GivenCard): Promise<ReadCard> {
  try {
    return 'file' in given ? await readCard(given.file) : parseCard(given.json)
  } catch (error) {
    if (!(error instanceof CardError)) throw error
    const code = error.reason === 'too-large' ? 'PAYLOAD_TOO_LARGE' : 'INVALID_REQUEST'
    throw new ApiError(code, error.message, { cause: error })
  }
}

// A card is worth having without its picture.
async function portraitOf(file: Uint8Array, signal: AbortSignal): Promise<Uint8Array | null> {
  try {
    return await encodePortrait(file, signal)
  } catch (error) {
    if (!(error instanceof MediaError)) throw error
    if (isPassing(error)) throw portraitError(error)
    return null
  }
}

/**
 * Reads a character card of version 1, 2 or 3: JSON, or a PNG with JSON inside. @throws CardError when it is none, or
 * broken.
 */
export const readCard = async (file: Uint8Array): Promise<card.ReadCard> => served(await card.readCard(file))

export const parseCard = (value: unknown): card.ReadCard => served(card.parseCard(value))

// A card from elsewhere may name a model that this service does not have.
function served({ character, warnings }: card.ReadCard): card.ReadCard {
  const { modelId } = character
  const isServed = modelId !== null && catalogue().byId.get(modelId)?.type === 'text'
  return { character: isServed ? character : { ...character, modelId: null }, warnings }
}

/** Of the multipart frame around a file. */
export const FRAME_BYTES = 65_536

export type Upload = { body: Buffer<ArrayBuffer>; contentType: string }

/** Returns the body, or the part `file` of a form. @throws ApiError PAYLOAD_TOO_LARGE 413, INVALID_REQUEST 400. */
async function fileOf({ body, contentType }: Upload, maxBytes: number): Promise<Uint8Array> {
  const file = /^multipart\/form-data\b/i.test(contentType) ? await partOf(body, contentType) : body
  if (file.byteLength <= maxBytes) return file
  throw new ApiError('PAYLOAD_TOO_LARGE', `The file is larger than ${formatBytes(maxBytes)}.`)
}

async function partOf(body: Buffer<ArrayBuffer>, contentType: string): Promise<Uint8Array> {
  const file = (await parseForm(body, contentType)).get('file')
  if (!(file instanceof Blob)) throw invalidField(['file'], 'send the file as the part "file" of the form')
  return file.bytes()
}
