import { endpoint } from '@/lib/api/endpoint'
import { jsonReply } from '@/lib/api/reply'
import { route } from '@/lib/api/route'
import { admitReader } from '@/lib/characters/admit'
import { characterNotFound } from '@/lib/characters/errors'
import { findCharacter } from '@/lib/services/characters/catalogue'

/** One published character, by slug or id. Source: API contract, characters.md. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: endpoint(async (context, _request, { slug }) => {
    const caller = await admitReader(context)
    const data = await findCharacter(String(slug), caller.accountId)
    if (!data) throw characterNotFound(String(slug))
    return jsonReply({ object: 'character', data }, { headers: { 'Cache-Control': 'no-store' } })
  }),
})
