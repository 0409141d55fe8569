import { shrinkPortrait } from '@/lib/browser/files/shrink-image'
import type { CharacterDraft } from '@/lib/browser/storage/own-characters'
import type { LocalCharacter } from '@/lib/browser/storage/records'
import { cardOf, exampleText, MAX_CARD_BYTES, readCard } from '@/lib/contract/characters/card'
import { CardError, isPng, withTexts } from '@/lib/contract/characters/card-png'
import { msg, t } from '@/lib/i18n/t'

const REPORTED_ERRORS: ReadonlySet<string> = new Set([
  msg('The card is larger than 10 MB.'),
  msg('The card is larger than 2 MB.'),
  msg('The card in this image is larger than 2 MB.'),
  msg('The card is not valid JSON.'),
  msg('The card has no name.'),
  msg('This is not a character card of version 2 or 3: required fields are missing.'),
  msg('This file is neither a PNG image nor JSON.'),
  msg('This is not a PNG image.'),
  msg('This image contains no character card.'),
  msg('The image contains text that cannot be unpacked.'),
  msg('The image file is incomplete.'),
  msg('The image has a chunk that is longer than the file.'),
  msg('The image has no valid PNG header.'),
  msg('The image is damaged: a checksum is wrong.'),
  msg('The image has too many chunks.'),
  msg('The image contains invalid text.'),
  msg('The image uses a compression method that PNG does not support.'),
])

const CUT = /^(.+) was longer than (\d+) characters and was cut\.$/

const CUT_MESSAGE: Readonly<Record<string, string>> = {
  'The prompt': msg('The prompt was longer than {most} characters and was cut.'),
  'The description': msg('The description was longer than {most} characters and was cut.'),
  'The opening message': msg('The opening message was longer than {most} characters and was cut.'),
  'An example message': msg('An example message was longer than {most} characters and was cut.'),
}

const FEWER = /^Only the first (\d+) of (\d+) example messages were imported\.$/

export type ImportedCard = { draft: CharacterDraft; portrait?: Blob; warnings: string[] }

/**
 * Reads a character card (PNG or JSON, version 1 to 3) on this device; nothing of it is sent.
 * @throws CardError whose message can be shown.
 */
export async function readLocalCard(file: Blob): Promise<ImportedCard> {
  if (file.size > MAX_CARD_BYTES) throw new CardError('too-large', t('The card is larger than 10 MB.'))
  const bytes = new Uint8Array(await file.arrayBuffer())
  const { character, warnings } = await readCard(bytes).catch((error: unknown) => {
    throw error instanceof CardError ? new CardError(error.reason, cardMessage(error.message), { cause: error }) : error
  })
  // Drawn anew: what else is in the file stays out of the picture that is kept.
  const portrait = isPng(bytes) ? await shrinkPortrait(file).catch(() => undefined) : undefined
  const left = warnings.map(cardMessage)
  if (isPng(bytes) && !portrait) left.push(t('The image could not be read and was left out.'))
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
    ...(portrait && { portrait }),
    warnings: left,
  }
}

export function cardJson(character: LocalCharacter): Blob {
  return new Blob([JSON.stringify(cardOf(exported(character), 'v3'), undefined, 2)], { type: 'application/json' })
}

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

function cardMessage(message: string): string {
  const [, what = '', max] = CUT.exec(message) ?? []
  const cut = CUT_MESSAGE[what]
  if (cut) return t(cut, { most: Number(max) })
  const [, limit, all] = FEWER.exec(message) ?? []
  if (all)
    return t('Only the first {limit} of {all} example messages were imported.', {
      limit: Number(limit),
      all: Number(all),
    })
  return REPORTED_ERRORS.has(message) ? t(message) : message
}
