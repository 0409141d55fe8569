import { characterNotFound, findPortrait } from '@/lib/endpoints/characters/portrait'
import type { Params, RequestContext } from '@/lib/kernel/request-context'
import type { Reply } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'

// Sends a portrait to anybody, that of a draft only to its maker's page.
async function show(context: RequestContext, _request: Request, { slug }: Params): Promise<Reply> {
  const found = await findPortrait(context, String(slug))
  if (!found) throw characterNotFound(String(slug))
  const { bytes, mime, etag, isPublic, maxAgeSeconds } = found
  const headers = {
    // A drawing is a document too: opened by itself it must run and load nothing.
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Cache-Control': isPublic ? `public, max-age=${maxAgeSeconds}` : 'private, no-cache',
    ETag: etag,
  }
  if (context.headers.get('if-none-match') === etag) return { status: 304, body: null, headers }
  return { body: bytes, contentType: mime, headers }
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: show })
