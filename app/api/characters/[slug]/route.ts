import { CharacterPatch, type FullCharacter } from '@/lib/contract/characters/character.schema'
import { admitMaker } from '@/lib/endpoints/characters/admit'
import { characterNotFound, uploadedPortrait } from '@/lib/endpoints/characters/portrait'
import type { Params, RequestContext } from '@/lib/kernel/request-context'
import { json } from '@/lib/pipeline/body'
import { type Reply, uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { changeCharacter, deleteCharacter, findOwn } from '@/lib/services/characters/own'

const parse = json(CharacterPatch, { maxBytes: 16_000_000 })

// Characters of others are not found.
async function show(context: RequestContext, _request: Request, { slug }: Params): Promise<Reply> {
  const caller = await admitMaker(context)
  return reply(String(slug), await findOwn(String(slug), caller.accountId))
}

// `visibility` publishes a character or takes it back.
async function change(context: RequestContext, request: Request, { slug }: Params): Promise<Reply> {
  const caller = await admitMaker(context)
  const { picture: portrait, ...given } = await parse(context, request)
  // Whose it is comes before the work of a picture.
  if (!(await findOwn(String(slug), caller.accountId))) throw characterNotFound(String(slug))
  const stored = await uploadedPortrait(portrait, { accountId: caller.accountId, signal: context.signal })
  return reply(String(slug), await changeCharacter(String(slug), caller.accountId, { ...given, picture: stored }))
}

async function remove(context: RequestContext, _request: Request, { slug }: Params): Promise<Reply> {
  const caller = await admitMaker(context)
  if (!(await deleteCharacter(String(slug), caller.accountId))) throw characterNotFound(String(slug))
  return uncachedJson({ success: true })
}

function reply(slug: string, data: FullCharacter | undefined): Reply {
  if (!data) throw characterNotFound(slug)
  return uncachedJson({ object: 'character', data })
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: show,
  PATCH: change,
  DELETE: remove,
})
