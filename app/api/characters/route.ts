import { json } from '@/lib/api/body'
import { endpoint } from '@/lib/api/endpoint'
import { jsonReply, type Reply } from '@/lib/api/reply'
import { route } from '@/lib/api/route'
import { admitMaker } from '@/lib/characters/admit'
import { createCharacter, takeCreation } from '@/lib/characters/own'
import { NewCharacter } from '@/lib/characters/schema'
import { sentPicture } from '@/lib/characters/sent-picture'
import type { RequestContext } from '@/lib/core/context'

const parse = json(NewCharacter, { maxBytes: 16_000_000 })

/** Makes a character of the caller's own. */
async function create(context: RequestContext, request: Request): Promise<Reply> {
  const caller = await admitMaker(context)
  const { picture, ...given } = await parse(context, request)
  await takeCreation(caller.accountId)
  const kept = await sentPicture(picture, { accountId: caller.accountId, signal: context.signal })
  const data = await createCharacter(caller.accountId, { ...given, picture: kept })
  return jsonReply({ object: 'character', data }, { status: 201, headers: { 'Cache-Control': 'no-store' } })
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: endpoint(create) })
