import { GalleryQuery, NewCharacter } from '@/lib/contract/characters/character.schema'
import { admitMaker, visitor } from '@/lib/endpoints/characters/admit'
import { uploadedPortrait } from '@/lib/endpoints/characters/portrait'
import type { RequestContext } from '@/lib/kernel/request-context'
import { json, parseQuery } from '@/lib/pipeline/body'
import { type Reply, uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { listCharacters } from '@/lib/services/characters/catalogue'
import { createCharacter, takeCreation } from '@/lib/services/characters/own'

const parse = json(NewCharacter, { maxBytes: 16_000_000 })

async function list(context: RequestContext, request: Request): Promise<Reply> {
  const callerId = await visitor(context)
  const data = await listCharacters(parseQuery(GalleryQuery, request), callerId)
  return uncachedJson({ object: 'list', data })
}

async function create(context: RequestContext, request: Request): Promise<Reply> {
  const caller = await admitMaker(context)
  const { picture: portrait, ...given } = await parse(context, request)
  await takeCreation(caller.accountId)
  const stored = await uploadedPortrait(portrait, { accountId: caller.accountId, signal: context.signal })
  const data = await createCharacter(caller.accountId, { ...given, picture: stored })
  return uncachedJson({ object: 'character', data }, { status: 201 })
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: list,
  POST: create,
})
