import { admitReader } from '@/lib/endpoints/characters/admit'
import { characterNotFound } from '@/lib/endpoints/characters/image'
import { route } from '@/lib/pipeline/methods'
import { jsonReply } from '@/lib/pipeline/reply'
import { findCharacter } from '@/lib/services/characters/catalogue'

// Source: API contract, characters.md.
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: async (context, _request, { slug }) => {
    const caller = await admitReader(context)
    const data = await findCharacter(String(slug), caller.accountId)
    if (!data) throw characterNotFound(String(slug))
    return jsonReply({ object: 'character', data }, { headers: { 'Cache-Control': 'no-store' } })
  },
})
