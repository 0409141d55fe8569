import 'server-only'
import * as card from '@/lib/contract/characters/card-read'
import { catalogue } from '@/lib/services/models/catalogue'

/**
 * Reads a character card of version 1, 2 or 3: JSON, or a PNG with JSON inside.
 *
 * @throws CardError when it is none, or broken.
 */
export const readCard = async (file: Uint8Array): Promise<card.ReadCard> => served(await card.readCard(file))

/** The same of a card's JSON. */
export const parseCard = (value: unknown): card.ReadCard => served(card.parseCard(value))

/** A card from elsewhere may suggest what this service does not have. */
function served({ character, warnings }: card.ReadCard): card.ReadCard {
  const { modelId } = character
  const isServed = modelId !== null && catalogue().byId.get(modelId)?.type === 'text'
  return { character: isServed ? character : { ...character, modelId: null }, warnings }
}
