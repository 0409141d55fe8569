import { admitOptional } from '@/lib/pipeline/admit'
import { jsonReply } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { cacheHeaders, getModel, idFromPath } from '@/lib/services/models/list'

// Ids may hold slashes, so the id is the rest of the path.
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: async (context, _request, params) => {
    const caller = await admitOptional(context)
    return jsonReply(getModel(idFromPath(params.id), caller), { headers: cacheHeaders(context.headers) })
  },
})
