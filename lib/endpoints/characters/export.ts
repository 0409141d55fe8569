import 'server-only'
import { cardOf, type Exported } from '@/lib/contract/characters/card-export'
import { withTexts } from '@/lib/contract/characters/card-png'
import { cardPortrait, portraitError } from '@/lib/endpoints/characters/image'
import { findCharacter } from '@/lib/services/characters/catalogue'
import { findInner, findOwn, findOwnPortrait } from '@/lib/services/characters/own'
import { designOf, drawPortrait } from '@/lib/services/characters/portrait'
import { findShipped } from '@/lib/services/characters/shipped'
import { MediaError } from '@/lib/services/media/media-error'

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
