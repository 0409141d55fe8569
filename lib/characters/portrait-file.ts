import 'server-only'
import { createHash } from 'node:crypto'
import { limitAddress } from '@/lib/access/rate-limit'
import { ownSecret, verifySession } from '@/lib/access/session'
import { findPictureOf } from '@/lib/characters/made'
import { designOf, drawPortrait } from '@/lib/characters/portrait'
import { findShipped } from '@/lib/characters/shipped'
import type { RequestContext } from '@/lib/core/context'

/** How long a browser shows a portrait without asking again: drawings change with a release, pictures with their maker. */
const DRAWING_SECONDS = 86_400
const PICTURE_SECONDS = 300

export type PortraitFile = {
  bytes: Uint8Array<ArrayBuffer>
  mime: 'image/svg+xml' | 'image/webp'
  etag: string
  /** Anybody may see it, and caches may keep it. */
  isPublic: boolean
  maxAgeSeconds: number
}

/**
 * The portrait of a character, by slug or id: the picture that its maker sent, else a drawing. Nothing for one that the
 * request may not see.
 */
export async function findPortrait(context: RequestContext, slug: string): Promise<PortraitFile | undefined> {
  const shipped = await findShipped(slug)
  if (shipped) {
    const svg = drawPortrait(shipped.slug, shipped.portrait ?? designOf(shipped.slug))
    return portraitFile(Buffer.from(svg), 'image/svg+xml', true, DRAWING_SECONDS)
  }
  // What is not at hand costs a statement, and anybody may ask.
  await limitAddress(context, 'default')
  context.facts.rateLimit = undefined
  const made = await findPictureOf(slug)
  if (!made) return undefined
  const isPublic = made.visibility === 'published'
  if (!isPublic && made.accountId !== (await pageAccount(context))) return undefined
  if (made.picture) return portraitFile(Buffer.from(made.picture), 'image/webp', isPublic, PICTURE_SECONDS)
  const svg = drawPortrait(made.slug, designOf(made.slug))
  return portraitFile(Buffer.from(svg), 'image/svg+xml', isPublic, PICTURE_SECONDS)
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
