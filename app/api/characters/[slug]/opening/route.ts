import { admitMaker } from '@/lib/endpoints/characters/admit'
import { characterNotFound } from '@/lib/endpoints/characters/portrait'
import { uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { openingOf } from '@/lib/services/characters/catalogue'

// Sends a character's first message; empty when it waits for the person.
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: async (context, _request, { slug }) => {
    const caller = await admitMaker(context)
    const opening = await openingOf(String(slug), caller.accountId)
    if (opening === undefined) throw characterNotFound(String(slug))
    return uncachedJson({ opening })
  },
})
