import { ExportQuery } from '@/lib/contract/characters/character.schema'
import { admitMaker } from '@/lib/endpoints/characters/admit'
import { exportCharacter } from '@/lib/endpoints/characters/card'
import { characterNotFound } from '@/lib/endpoints/characters/portrait'
import type { Params, RequestContext } from '@/lib/kernel/request-context'
import { parseQuery } from '@/lib/pipeline/body'
import type { Reply } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'

// Sends an own or a published character as a card. A PNG holds both versions of the format.
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

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: download })
