import { vi } from 'vitest'
import { type ModelCard, modelCards } from '@/lib/browser/models'
import type { Attachment } from '@/lib/browser/storage/records'

let count = 0

/** Replaces workers, which are not here, by ones that fail: a document then goes without what is found inside it. */
export function stubWorkers(): void {
  vi.stubGlobal(
    'Worker',
    class extends EventTarget {
      postMessage() {
        this.dispatchEvent(new Event('error'))
      }
      terminate() {}
    },
  )
}

export function attachmentOf(kind: Attachment['kind'], changes: Partial<Attachment> = {}): Attachment {
  count += 1
  const id = `file-${count}`
  return { id, kind, name: `${kind}-${count}`, mediaType: 'text/plain', size: 1_000, hash: id, ...changes }
}

/** Makes the card of a text model that is given by what `GET /models` says of it. */
export function modelCard(
  id: string,
  spec: Record<string, unknown> = {},
  assists: { images?: string; audio?: string } = {},
): ModelCard {
  const reply = { data: [{ id, type: 'text', model_spec: { name: id, availableContextTokens: 8_192, ...spec } }] }
  const [card] = modelCards(reply, { [id]: assists })
  if (!card) throw new Error(`No card for ${id}`)
  return card
}

export function modelOf(
  id: string,
  capabilities: Record<string, unknown> = {},
  assists: { images?: string; audio?: string } = {},
): ModelCard {
  const pricing = { input: { usd: 1 }, output: { usd: 3 } }
  return modelCard(id, { capabilities, pricing, maxCompletionTokens: 4_096 }, assists)
}
