import { admitOptional } from '@/lib/pipeline/admit'
import { jsonReply } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { cacheHeaders, listAliases } from '@/lib/services/models/list'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: async (context, request) => {
    const caller = await admitOptional(context)
    const aliases = listAliases(new URL(request.url).searchParams, caller)
    return jsonReply(aliases, { headers: cacheHeaders(context.headers) })
  },
})
