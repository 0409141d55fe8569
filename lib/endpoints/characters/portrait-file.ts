import 'server-only'
import { createHash } from 'node:crypto'
import { drawnPortrait } from '@/lib/endpoints/characters/image'
import type { RequestContext } from '@/lib/kernel/request-context'
import { findOwnPortrait } from '@/lib/services/characters/own'
import { designOf, drawPortrait, type PortraitDesign } from '@/lib/services/characters/portrait'
import { findShipped } from '@/lib/services/characters/shipped'
import { ownSecret, verifySession } from '@/lib/services/identity/session'
import { limitAddress } from '@/lib/services/limits/limits'
import { MediaError } from '@/lib/services/media/media-error'

// Drawings change with a release, pictures with their maker.
const DRAWING_SECONDS = 86_400
const CACHE_SECONDS = 300

export type PortraitFile = {
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
