import { endpoint } from '@/lib/api/endpoint'
import { jsonReply } from '@/lib/api/reply'
import { route } from '@/lib/api/route'
import { characterNotFound } from '@/lib/characters/errors'
import { visitor } from '@/lib/characters/visitor'
import { findProfile } from '@/lib/services/characters/profile'

/** A published character as its page shows it, for anybody. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: endpoint(async (context, _request, { slug }) => {
    const data = await findProfile(String(slug), await visitor(context))
    if (!data) throw characterNotFound(String(slug))
    return jsonReply({ object: 'character', data }, { headers: { 'Cache-Control': 'no-store' } })
  }),
})
