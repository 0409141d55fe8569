import { removeModel } from '@/lib/endpoints/admin/models'
import { uncachedJson } from '@/lib/pipeline/reply'
import { operatorRoute } from '@/lib/pipeline/route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = operatorRoute({
  DELETE: async (_context, _request, { id }) => {
    await removeModel(String(id))
    return uncachedJson({ success: true })
  },
})
