import { t } from '@/lib/i18n/t'

export const MAX_TITLE_CHARS = 60
const MIN_TITLE_CHARS = 30

/** Returns the first line of a message, cut at a word, as the title of its chat until the model has written one. */
export function titleOf(text: string, fallback: string = t('New chat')): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  if (line === '') return fallback
  if (line.length <= MAX_TITLE_CHARS) return line
  const space = line.lastIndexOf(' ', MAX_TITLE_CHARS)
  return `${line.slice(0, space > MIN_TITLE_CHARS ? space : MAX_TITLE_CHARS)}…`
}
