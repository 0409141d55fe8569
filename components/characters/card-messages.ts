import { msg, t } from '@/lib/i18n/t'

/** What the reader of cards says, which serves the API too and speaks English (lib/contract/characters/card-read.ts, card-png.ts). */
const SAID: ReadonlySet<string> = new Set([
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
const CUT_WORDS: Readonly<Record<string, string>> = {
  'The prompt': msg('The prompt was longer than {most} characters and was cut.'),
  'The description': msg('The description was longer than {most} characters and was cut.'),
  'The opening message': msg('The opening message was longer than {most} characters and was cut.'),
  'An example message': msg('An example message was longer than {most} characters and was cut.'),
}

const FEWER = /^Of (\d+) example messages the first (\d+) were kept\.$/

/** Why a card cannot be read, or what of it was left out, in the language of the page. What is not known stays as it is. */
export function cardWords(message: string): string {
  const [, what = '', most] = CUT.exec(message) ?? []
  const cut = CUT_WORDS[what]
  if (cut) return t(cut, { most: Number(most) })
  const [, all, kept] = FEWER.exec(message) ?? []
  if (all) {
    return t('Of {all} example messages the first {kept} were kept.', { all: Number(all), kept: Number(kept) })
  }
  return SAID.has(message) ? t(message) : message
}
