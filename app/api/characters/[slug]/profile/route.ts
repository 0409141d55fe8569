import { visitor } from '@/lib/endpoints/characters/admit'
import { characterNotFound } from '@/lib/endpoints/characters/portrait'
import { uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { findProfile } from '@/lib/services/characters/profile'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: async (context, _request, { slug }) => {
    const data = await findProfile(String(slug), await visitor(context))
    if (!data) throw characterNotFound(String(slug))
    return uncachedJson({ object: 'character', data })
  },
})
