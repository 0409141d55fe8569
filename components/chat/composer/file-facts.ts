import { fileTokens } from '@/lib/browser/estimate'
import { formatLength, formatSize } from '@/lib/browser/files/limits'
import type { ModelCard } from '@/lib/browser/models'
import type { Attachment } from '@/lib/browser/storage/records'
import { plural, t } from '@/lib/i18n/t'

export function fileFacts(file: Attachment, model: Pick<ModelCard, 'takes'> | undefined): string[] {
  const facts: string[] = []
  if (file.pages !== undefined) facts.push(plural(file.pages, { one: '{count} page', other: '{count} pages' }))
  if (file.durationMs !== undefined) facts.push(formatLength(file.durationMs))
  if (file.kind === 'image' && file.width && file.height) {
    facts.push(t('{width} × {height}', { width: String(file.width), height: String(file.height) }))
  }
  facts.push(formatSize(file.size))
  if (file.kind === 'document' && file.tokens !== undefined && model) {
    const tokens = rounded(fileTokens(file, model))
    facts.push(plural(tokens, { one: 'about {count} token', other: 'about {count} tokens' }))
  }
  return facts
}

export const rounded = (tokens: number): number => (tokens < 100 ? tokens : Number(tokens.toPrecision(2)))
