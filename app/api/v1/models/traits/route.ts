import { admitOptional } from '@/lib/pipeline/admit'
import { jsonReply } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { cacheHeaders, listTraits } from '@/lib/services/models/list'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: async (context, request) => {
    const caller = await admitOptional(context)
    const traits = listTraits(new URL(request.url).searchParams, caller)
    return jsonReply(traits, { headers: cacheHeaders(context.headers) })
  },
})
