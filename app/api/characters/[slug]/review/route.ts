import { type Character, NewReview, ReviewQuery } from '@/lib/contract/characters/character.schema'
import { admitMaker, visitor } from '@/lib/endpoints/characters/admit'
import { characterNotFound } from '@/lib/endpoints/characters/portrait'
import type { Params, RequestContext } from '@/lib/kernel/request-context'
import { json, parseQuery } from '@/lib/pipeline/body'
import { type Reply, uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { findCharacter } from '@/lib/services/characters/catalogue'
import { deleteReview, listReviews, saveReview } from '@/lib/services/characters/reviews'

const parse = json(NewReview, { maxBytes: 65_536 })

async function list(context: RequestContext, request: Request, { slug }: Params): Promise<Reply> {
  const callerId = await visitor(context)
  const page = parseQuery(ReviewQuery, request)
  const character = await findCharacter(String(slug), callerId)
  if (!character) throw characterNotFound(String(slug))
  const { reviews, total } = await listReviews(character.id, page, callerId)
  return uncachedJson({ object: 'list', data: reviews, total })
}

async function save(context: RequestContext, request: Request, { slug }: Params): Promise<Reply> {
  const caller = await admitMaker(context)
  const review = await parse(context, request)
  return reply(String(slug), await saveReview(String(slug), caller.accountId, review))
}

async function remove(context: RequestContext, _request: Request, { slug }: Params): Promise<Reply> {
  const caller = await admitMaker(context)
  return reply(String(slug), await deleteReview(String(slug), caller.accountId))
}

function reply(slug: string, data: Character | undefined): Reply {
  if (!data) throw characterNotFound(slug)
  return uncachedJson({ object: 'character', data })
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: list,
  PUT: save,
  DELETE: remove,
})
