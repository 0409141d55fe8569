import 'server-only'
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { LIMITS } from '@/lib/contract/characters/character'
import { ApiError, invalidField } from '@/lib/contract/errors'
import { perProcess } from '@/lib/kernel/per-process'
import type { RequestContext } from '@/lib/kernel/request-context'
import { busyError } from '@/lib/pipeline/error-response'
import { findOwnPortrait } from '@/lib/services/characters/own'
import { designOf, drawPortrait, type PortraitDesign } from '@/lib/services/characters/portrait'
import { findShipped } from '@/lib/services/characters/shipped'
import { verifySession } from '@/lib/services/identity/credentials'
import { ownSecret } from '@/lib/services/identity/session'
import { limitAddress } from '@/lib/services/limits/limits'
import { parseDataUrl } from '@/lib/services/media/data-url'
import { createDecoderPool, type DecoderPool } from '@/lib/services/media/decoder-pool'
import { prepareImage } from '@/lib/services/media/image'
import { MediaError } from '@/lib/services/media/media-error'
import type { ImageJob } from '@/lib/services/media/media-tasks'
import { openMemoryReservation } from '@/lib/services/media/memory-budget'
import { shownName } from '@/lib/services/models/resolve'

const DEADLINE_MS = 10_000
const MAX_QUEUED = 32
const MAX_RESIDENT_BYTES = 320_000_000
const IDLE_MS = 30_000
// About two thousand portraits.
const MAX_PORTRAITS_BYTES = 16_000_000

/**
 * Decodes an uploaded image and shrinks it: WebP of at most 256 KB, without metadata. @throws MediaError when it cannot
 * be read, or not now.
 */
export async function encodePortrait(bytes: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
  const prepared = await prepareImage(bytes, { signal })
  return await portraitPool().run({ kind: 'keep', bytes: prepared.bytes }, signal)
}

/**
 * Renders a drawing (SVG) or a kept image as the PNG of a card. @throws MediaError when too many are asked for at once.
 */
export const cardPortrait = (source: Uint8Array, signal: AbortSignal): Promise<Uint8Array> =>
  portraitPool().run({ kind: 'card', bytes: source }, signal)

/**
 * Renders a drawing (SVG) as WebP, once for a name while there is room: browsers draw an SVG anew wherever it moves to,
 * and a gallery of them does not scroll smoothly. @throws MediaError when too many are asked for at once.
 */
async function drawnPortrait(name: string, svg: () => string): Promise<Uint8Array> {
  const made = await portraits().fetch(name, { context: svg })
  if (!made) throw new MediaError('busy', 'Portraits cannot be made now.')
  return made
}

const portraits = () =>
  perProcess(
    'portraits',
    () =>
      new LRUCache<string, Uint8Array, () => string>({
        maxSize: MAX_PORTRAITS_BYTES,
        sizeCalculation: ({ length }) => length,
        // Whoever leaves does not stop it: the next one asks for the same.
        fetchMethod: (_name, _stale, { context }) =>
          portraitPool().run({ kind: 'portrait', bytes: Buffer.from(context()) }, new AbortController().signal),
      }),
  )

/** A process of its own: the library takes 50 MB that it does not give back. */
export function portraitPool(): DecoderPool<ImageJob, Uint8Array> {
  return perProcess('character-pictures', () =>
    createDecoderPool<ImageJob, Uint8Array>({
      noun: 'image',
      entry: 'services/media/portrait-image-worker.ts',
      hasAddons: true,
      places: 1,
      maxQueued: MAX_QUEUED,
      deadlineMs: DEADLINE_MS,
      maxResidentBytes: MAX_RESIDENT_BYTES,
      idleMs: IDLE_MS,
    }),
  )
}

// As it came, decoded, and on its way to the process that reads it.
const COPIES = 3

/**
 * Reads the picture of a create or change request: `undefined` leaves what is there, `null` removes it. @throws
 * ApiError INVALID_REQUEST naming `picture`, SERVICE_UNAVAILABLE when too many are read at once.
 */
export async function uploadedPortrait(
  url: string | null | undefined,
  { accountId, signal }: { accountId: string; signal: AbortSignal },
): Promise<Uint8Array | null | undefined> {
  if (url === undefined || url === null) return url
  const memory = openMemoryReservation(accountId)
  try {
    memory.reserve(url.length * COPIES)
    return await portraitFrom(url, signal)
  } catch (error) {
    if (error instanceof MediaError) throw portraitError(error)
    throw error
  } finally {
    memory.close()
  }
}

async function portraitFrom(url: string, signal: AbortSignal): Promise<Uint8Array> {
  const parsed = parseDataUrl(url)
  if (!parsed?.mime.startsWith('image/')) throw invalidField(['picture'], 'must be a data URL of an image')
  if (parsed.bytes.byteLength > LIMITS.pictureBytes)
    throw invalidField(['picture'], `must be at most ${LIMITS.pictureBytes / 1e6} MB`)
  return await encodePortrait(parsed.bytes, signal)
}

export const characterNotFound = (slug: string): ApiError =>
  new ApiError(
    'CHARACTER_NOT_FOUND',
    `There is no character "${shownName(slug)}" that you may use. GET /characters lists them.`,
  )

export function portraitError(error: MediaError): ApiError {
  if (!isPassing(error)) return invalidField(['picture'], error.message)
  return busyError(error)
}

/** Tells whether the same may work in a moment. */
export const isPassing = ({ reason }: MediaError): boolean => reason === 'busy' || reason === 'unavailable'

// Drawings change with a release, pictures with their maker.
const DRAWING_SECONDS = 86_400
const CACHE_SECONDS = 300

type PortraitFile = {
  bytes: Uint8Array<ArrayBuffer>
  mime: 'image/svg+xml' | 'image/webp'
  etag: string
  /** Caches may keep it. */
  isPublic: boolean
  maxAgeSeconds: number
}

/**
 * Finds the portrait of a character by slug or id: the picture that its maker uploaded, else a drawing. Undefined where
 * the request may not see it.
 */
export async function findPortrait(context: RequestContext, slug: string): Promise<PortraitFile | undefined> {
  const shipped = await findShipped(slug)
  if (shipped) {
    return await drawnFile(shipped.slug, shipped.portrait ?? designOf(shipped.slug), true, DRAWING_SECONDS)
  }
  // A character that is not cached costs a statement, and anybody may ask.
  await limitAddress(context, 'default')
  context.facts.rateLimit = undefined
  const made = await findOwnPortrait(slug)
  if (!made) return undefined
  const isPublic = made.visibility === 'published'
  if (!isPublic && made.accountId !== (await pageAccount(context))) return undefined
  if (made.picture) return portraitFile(Buffer.from(made.picture), 'image/webp', isPublic, CACHE_SECONDS)
  return await drawnFile(made.slug, designOf(made.slug), isPublic, CACHE_SECONDS)
}

// Where the drawing cannot be rendered now, the SVG itself.
async function drawnFile(slug: string, design: PortraitDesign, isPublic: boolean, maxAgeSeconds: number) {
  const svg = () => drawPortrait(slug, design)
  try {
    const bytes = await drawnPortrait(`${slug} ${design.motif} ${design.palette}`, svg)
    return portraitFile(Buffer.from(bytes), 'image/webp', isPublic, maxAgeSeconds)
  } catch (error) {
    if (!(error instanceof MediaError)) throw error
    return portraitFile(Buffer.from(svg()), 'image/svg+xml', isPublic, maxAgeSeconds)
  }
}

async function pageAccount(context: RequestContext): Promise<string | undefined> {
  const secret = ownSecret(context)
  return secret === undefined ? undefined : (await verifySession(secret))?.accountId
}

function portraitFile(
  bytes: Buffer<ArrayBuffer>,
  mime: PortraitFile['mime'],
  isPublic: boolean,
  maxAgeSeconds: number,
): PortraitFile {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  return { bytes, mime, etag, isPublic, maxAgeSeconds }
}
