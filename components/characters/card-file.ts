import { cardWords } from '@/components/characters/card-messages'
import { shrinkPicture } from '@/lib/browser/files/shrink-image'
import type { CharacterDraft } from '@/lib/browser/storage/own-characters'
import type { LocalCharacter } from '@/lib/browser/storage/records'
import { CardError } from '@/lib/contract/characters/card-error'
import { exampleText } from '@/lib/contract/characters/card-examples'
import { cardOf } from '@/lib/contract/characters/card-export'
import { isPng, withTexts } from '@/lib/contract/characters/card-png'
import { MAX_CARD_BYTES, readCard } from '@/lib/contract/characters/card-read'
import { t } from '@/lib/i18n/t'

/** Loaded when a card is read or made: it brings the checks of a card's format along. */

export type ImportedCard = { draft: CharacterDraft; picture?: Blob; warnings: string[] }

/**
 * Reads a character card (PNG or JSON, version 1 to 3) on this device; nothing of it is sent anywhere.
 *
 * @throws CardError whose message can be shown.
 */
export async function readLocalCard(file: Blob): Promise<ImportedCard> {
  if (file.size > MAX_CARD_BYTES) throw new CardError('too-large', t('The card is larger than 10 MB.'))
  const bytes = new Uint8Array(await file.arrayBuffer())
  const { character, warnings } = await readCard(bytes).catch((error: unknown) => {
    throw error instanceof CardError ? new CardError(error.reason, cardWords(error.message), { cause: error }) : error
  })
  // Drawn anew: what else is in the file stays out of the picture that is kept.
  const picture = isPng(bytes) ? await shrinkPicture(file).catch(() => undefined) : undefined
  const left = warnings.map(cardWords)
  if (isPng(bytes) && !picture) left.push(t('The image could not be read and was left out.'))
  const { name, description, prompt, greeting, context, tags } = character
  const examples = exampleText(context)
  return {
    draft: {
      name,
      description: description ?? '',
      systemPrompt: examples ? `${prompt}\n\nHow {{char}} talks, as an example:\n${examples}` : prompt,
      greeting,
      tags,
    },
    ...(picture && { picture }),
    warnings: left,
  }
}

/** A character of this browser as a card of version 3, which other programs can read. */
export function cardJson(character: LocalCharacter): Blob {
  return new Blob([JSON.stringify(cardOf(exported(character), 'v3'), undefined, 2)], { type: 'application/json' })
}

/** The same within its picture, as versions 2 and 3. @param png the picture as a PNG. */
export async function cardPng(character: LocalCharacter, png: Blob): Promise<Blob> {
  const bytes = withTexts(new Uint8Array(await png.arrayBuffer()), {
    chara: JSON.stringify(cardOf(exported(character), 'v2')),
    ccv3: JSON.stringify(cardOf(exported(character), 'v3')),
  })
  return new Blob([bytes], { type: 'image/png' })
}

function exported({ name, description, systemPrompt, greeting, tags, createdAt, updatedAt }: LocalCharacter) {
  return {
    name,
    description: description || null,
    prompt: systemPrompt,
    greeting,
    tags,
    author: '',
    context: [],
    categories: [],
    modelId: null,
    webEnabled: false,
    adult: false,
    replacesServicePrompt: false,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  }
}
