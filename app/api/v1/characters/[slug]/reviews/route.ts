import { ReviewQuery } from '@/lib/contract/characters/character.schema'
import { characterNotFound } from '@/lib/endpoints/characters/portrait'
import type { Params, RequestContext } from '@/lib/kernel/request-context'
import { admitManager } from '@/lib/pipeline/admit'
import { parseQuery } from '@/lib/pipeline/body'
import { type Reply, uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { findCharacter } from '@/lib/services/characters/catalogue'
import { listReviews } from '@/lib/services/characters/reviews'

// Source: API contract, characters.md.
async function list(context: RequestContext, request: Request, { slug }: Params): Promise<Reply> {
  const caller = await admitManager(context, 'key')
  const { page, pageSize } = parseQuery(ReviewQuery, request)
  const character = await findCharacter(String(slug), caller.accountId)
  if (!character) throw characterNotFound(String(slug))
  const { reviews, total, averageRating } = await listReviews(character.id, { page, pageSize }, caller.accountId)
  const totalPages = Math.ceil(total / pageSize)
  return uncachedJson(
    {
      object: 'list',
      data: reviews,
      pagination: { page, pageSize, total, totalPages },
      summary: { averageRating, totalReviews: total },
    },
    {
      headers: {
        'x-pagination-limit': String(pageSize),
        'x-pagination-page': String(page),
        'x-pagination-total': String(total),
        'x-pagination-total-pages': String(totalPages),
      },
    },
  )
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: list })
