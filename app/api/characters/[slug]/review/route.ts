import { json } from '@/lib/api/body'
import { endpoint, type Params } from '@/lib/api/endpoint'
import { jsonReply, type Reply } from '@/lib/api/reply'
import { route } from '@/lib/api/route'
import { admitMaker } from '@/lib/characters/admit'
import { characterNotFound } from '@/lib/characters/errors'
import { deleteReview, saveReview } from '@/lib/characters/reviews'
import { type Character, NewReview } from '@/lib/characters/schema'
import type { RequestContext } from '@/lib/core/context'

const parse = json(NewReview, { maxBytes: 65_536 })

/** Rates a published character, or changes the caller's rating of it. */
async function save(context: RequestContext, request: Request, { slug }: Params): Promise<Reply> {
  const caller = await admitMaker(context)
  const review = await parse(context, request)
  return reply(String(slug), await saveReview(String(slug), caller.accountId, review))
}

/** Takes the caller's rating back. */
async function remove(context: RequestContext, _request: Request, { slug }: Params): Promise<Reply> {
  const caller = await admitMaker(context)
  return reply(String(slug), await deleteReview(String(slug), caller.accountId))
}

function reply(slug: string, data: Character | undefined): Reply {
  if (!data) throw characterNotFound(slug)
  return jsonReply({ object: 'character', data }, { headers: { 'Cache-Control': 'no-store' } })
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  PUT: endpoint(save),
  DELETE: endpoint(remove),
})
