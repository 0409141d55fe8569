import { type ModelCard, modelCards } from '@/lib/browser/models'
import type { Attachment } from '@/lib/browser/storage/records'

let count = 0

export function attachmentOf(kind: Attachment['kind'], changes: Partial<Attachment> = {}): Attachment {
  count += 1
  const id = `file-${count}`
  return { id, kind, name: `${kind}-${count}`, mediaType: 'text/plain', size: 1_000, hash: id, ...changes }
}

export function modelOf(
  id: string,
  capabilities: Record<string, unknown> = {},
  assists: { images?: string; audio?: string } = {},
): ModelCard {
  const pricing = { input: { usd: 1 }, output: { usd: 3 } }
  const spec = { name: id, capabilities, pricing, maxCompletionTokens: 4_096 }
  const [card] = modelCards({ data: [{ id, model_spec: spec }] }, { [id]: assists })
  if (!card) throw new Error(`No card of ${id}`)
  return card
}
