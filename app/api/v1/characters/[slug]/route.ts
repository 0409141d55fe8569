import { characterNotFound } from '@/lib/endpoints/characters/portrait'
import { admitManager } from '@/lib/pipeline/admit'
import { uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { findCharacter } from '@/lib/services/characters/catalogue'

// Source: API contract, characters.md.
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: async (context, _request, { slug }) => {
    const caller = await admitManager(context, 'key')
    const data = await findCharacter(String(slug), caller.accountId)
    if (!data) throw characterNotFound(String(slug))
    return uncachedJson({ object: 'character', data })
  },
})
