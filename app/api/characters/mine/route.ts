import { admitMaker } from '@/lib/endpoints/characters/admit'
import { uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { listOwn } from '@/lib/services/characters/own'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: async (context) => {
    const caller = await admitMaker(context)
    const data = await listOwn(caller.accountId)
    return uncachedJson({ object: 'list', data })
  },
})
