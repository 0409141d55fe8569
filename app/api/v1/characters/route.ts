import { CharacterQuery, LIST_PARAMETERS } from '@/lib/contract/characters/character.schema'
import type { RequestContext } from '@/lib/kernel/request-context'
import { admitManager } from '@/lib/pipeline/admit'
import { parseQuery } from '@/lib/pipeline/body'
import { type Reply, uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { listCharacters } from '@/lib/services/characters/catalogue'

// Source: API contract, characters.md.
async function list(context: RequestContext, request: Request): Promise<Reply> {
  const caller = await admitManager(context, 'key')
  const query = parseQuery(CharacterQuery, joined(request))
  return uncachedJson({ object: 'list', data: await listCharacters(query, caller.accountId) })
}

// A repeated parameter is the same list as one with commas.
function joined(request: Request): Request {
  const url = new URL(request.url)
  for (const name of LIST_PARAMETERS) {
    const given = url.searchParams.getAll(name)
    if (given.length > 1) url.searchParams.set(name, given.join(','))
  }
  return new Request(url)
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: list })
