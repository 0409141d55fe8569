import { counted } from '@/lib/services/engines/embedded/vision/labels'
import type { ImageReading } from '@/lib/services/engines/engine'

/** Of one picture's text; more is cut. Characters. */
const MAX_TEXT_CHARACTERS = 20_000
/** Where more of a kind are seen, only their number is said. */
const MAX_PLACES = 4

/**
 * What was read off a picture as plain words, by a template: no language model has touched it. Objects come first, so
 * that everything after `Text in the image:` is the picture's own text, verbatim, whatever it says.
 *
 * @param reading with `hasDetector: false`, objects were not looked for, and nothing is said of them.
 */
export function describeReading(reading: ImageReading & { hasDetector?: boolean }): string {
  const text = reading.text.trim()
  const parts = [objectsOf(reading.objects), text === '' ? '' : `Text in the image:\n${bounded(text)}`]
  return parts.filter((part) => part !== '').join('\n\n') || nothing(reading.hasDetector !== false)
}

function nothing(hasLooked: boolean): string {
  if (hasLooked) return 'No text and no objects that this reader knows were found in the image.'
  return 'No text was found in the image. Objects could not be looked for.'
}

/** `Objects: 2 people (left, right), 1 car (bottom right).`, the surest kind first. */
function objectsOf(objects: ImageReading['objects']): string {
  if (objects.length === 0) return ''
  const kinds = Map.groupBy(objects, ({ label }) => label)
  const said = [...kinds].map(([label, found]) => {
    const places = found.length > MAX_PLACES ? '' : ` (${found.map(({ box }) => placeOf(box)).join(', ')})`
    return counted(found.length, label) + places
  })
  return `Objects: ${said.join(', ')}.`
}

type Box = ImageReading['objects'][number]['box']

/** Which ninth of the picture the middle of a box lies in. */
function placeOf({ left, top, width, height }: Box): string {
  const column = third(left + width / 2, 'left', 'right')
  const row = third(top + height / 2, 'top', 'bottom')
  return [row, column].filter((part) => part !== '').join(' ') || 'center'
}

function third(position: number, first: string, last: string): string {
  return position < 1 / 3 ? first : position > 2 / 3 ? last : ''
}

function bounded(text: string): string {
  if (text.length <= MAX_TEXT_CHARACTERS) return text
  // A character of two units is not cut in half.
  const kept = text.slice(0, MAX_TEXT_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '')
  return `${kept}\n[The text goes on; the rest is left out.]`
}
