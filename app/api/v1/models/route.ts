import { admitOptional } from '@/lib/pipeline/admit'
import { jsonReply } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { cacheHeaders, listModels } from '@/lib/services/models/list'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: async (context, request) => {
    const caller = await admitOptional(context)
    const models = listModels(new URL(request.url).searchParams, caller)
    return jsonReply(models, { headers: cacheHeaders(context.headers) })
  },
})
