import { type ModelCard, modelCards } from '@/lib/browser/models'

/** Makes the card of a text model that is given by what `GET /models` says of it. */
export function modelCard(id: string, spec: Record<string, unknown> = {}): ModelCard {
  const [card] = modelCards({
    data: [{ id, type: 'text', model_spec: { name: id, availableContextTokens: 8_192, ...spec } }],
  })
  if (!card) throw new Error(`No card for ${id}`)
  return card
}
