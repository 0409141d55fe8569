import { endpoint, type Params } from '@/lib/api/endpoint'
import { parseQuery } from '@/lib/api/query'
import type { Reply } from '@/lib/api/reply'
import { route } from '@/lib/api/route'
import { admitMaker } from '@/lib/characters/admit'
import { characterNotFound } from '@/lib/characters/errors'
import { exportCharacter } from '@/lib/characters/export'
import { ExportQuery } from '@/lib/contract/characters/schema'
import type { RequestContext } from '@/lib/kernel/request-context'

/** A character as a card: the caller's own, or a published one. A PNG holds both versions. */
async function download(context: RequestContext, request: Request, { slug }: Params): Promise<Reply> {
  const caller = await admitMaker(context)
  const file = await exportCharacter(String(slug), caller.accountId, parseQuery(ExportQuery, request), context.signal)
  if (!file) throw characterNotFound(String(slug))
  return {
    body: file.bytes,
    contentType: file.mime,
    headers: {
      'Content-Disposition': `attachment; filename="${file.name}"`,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    },
  }
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: endpoint(download) })
