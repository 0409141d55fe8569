import { t } from '@/lib/i18n/t'

/** Longer text is not shown in a field of one line, and slows the page. */
const MAX_JSON_CHARS = 500_000

/** JSON as people read it; nothing where it is too deep or too long to be written down. */
export function printJson(value: unknown, indent = 2): string | undefined {
  try {
    const text = JSON.stringify(value ?? null, undefined, indent)
    return text.length <= MAX_JSON_CHARS ? text : undefined
  } catch {
    // Nested deeper than the machine's stack.
    return undefined
  }
}

export type ReadJson = { value: unknown } | { fault: string }

/** Parameters as they were typed: a list or an object. Nothing at all is no parameters. */
export function readParams(text: string): ReadJson {
  if (text.trim() === '') return { value: [] }
  const read = readJson(text)
  if ('fault' in read) return read
  if (typeof read.value !== 'object' || read.value === null) {
    return {
      fault: t('Parameters must be an array, {list}, or an object, {object}.', { list: '[ … ]', object: '{ … }' }),
    }
  }
  return printJson(read.value) === undefined ? { fault: t('The text is too long or nested too deep.') } : read
}

export function readJson(text: string): ReadJson {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return { fault: t('Not valid JSON yet.') }
  }
}
