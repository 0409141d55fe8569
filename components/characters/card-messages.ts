import { msg, t } from '@/lib/i18n/t'

/** What the reader of cards says, which serves the API too and speaks English (lib/contract/characters/card-read.ts, card-png.ts). */
const SAID: ReadonlySet<string> = new Set([
  msg('The card is larger than 10 MB.'),
  msg('The card is larger than 2 MB.'),
  msg('The card in this picture is larger than 2 MB.'),
  msg('The card is not valid JSON.'),
  msg('The card has no name.'),
  msg('This is no character card of version 2 or 3: it lacks what every card has.'),
  msg('This is neither a PNG picture nor JSON text.'),
  msg('This is no PNG picture.'),
  msg('This picture holds no character card.'),
  msg('The picture has a text that cannot be unpacked.'),
  msg('The picture ends in the middle.'),
  msg('The picture has a part that is longer than the file.'),
  msg('The picture does not begin as one.'),
  msg('The picture was damaged: a checksum is wrong.'),
  msg('The picture has too many parts.'),
  msg('The picture has a text that is not one.'),
  msg('The picture is packed in a way that PNG does not know.'),
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
