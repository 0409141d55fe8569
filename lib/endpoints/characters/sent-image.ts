import 'server-only'
import { LIMITS } from '@/lib/contract/characters/bounds'
import { invalidField } from '@/lib/contract/errors'
import { pictureFault } from '@/lib/endpoints/characters/errors'
import { keptPicture } from '@/lib/endpoints/characters/image'
import { parseDataUrl } from '@/lib/services/media/data-url'
import { MediaError } from '@/lib/services/media/media-error'
import { openHand } from '@/lib/services/media/memory-budget'

/** As it came, decoded, and on its way to the process that reads it. */
const COPIES = 3

/**
 * The picture of a create or change request, as it is kept: `undefined` leaves what is there, `null` takes it away.
 *
 * @throws ApiError INVALID_REQUEST naming `picture`, SERVICE_UNAVAILABLE when too many are read at once.
 */
export async function sentPicture(
  url: string | null | undefined,
  { accountId, signal }: { accountId: string; signal: AbortSignal },
): Promise<Uint8Array | null | undefined> {
  if (url === undefined || url === null) return url
  const hand = openHand(accountId)
  try {
    hand.take(url.length * COPIES)
    return await kept(url, signal)
  } catch (error) {
    if (error instanceof MediaError) throw pictureFault(error)
    throw error
  } finally {
    hand.close()
  }
}

async function kept(url: string, signal: AbortSignal): Promise<Uint8Array> {
  const parsed = parseDataUrl(url)
  if (!parsed?.mime.startsWith('image/')) throw invalidField(['picture'], 'must be a data URL of an image')
  if (parsed.bytes.byteLength > LIMITS.pictureBytes) throw invalidField(['picture'], 'must be at most 10 MB')
  return await keptPicture(parsed.bytes, signal)
}
