import { admitOptional } from '@/lib/pipeline/admit'
import { endpoint } from '@/lib/pipeline/endpoint'
import { route } from '@/lib/pipeline/methods'
import { jsonReply } from '@/lib/pipeline/reply'
import { cacheHeaders, listAliases } from '@/lib/services/models/list'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: endpoint(async (context, request) => {
    const caller = await admitOptional(context)
    const aliases = listAliases(new URL(request.url).searchParams, caller)
    return jsonReply(aliases, { headers: cacheHeaders(context.headers) })
  }),
})
