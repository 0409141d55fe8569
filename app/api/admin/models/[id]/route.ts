import { removeModel } from '@/lib/endpoints/admin/models'
import { operatorRoute } from '@/lib/pipeline/methods'
import { uncachedJson } from '@/lib/pipeline/reply'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = operatorRoute({
  DELETE: async (_context, _request, { id }) => {
    await removeModel(String(id))
    return uncachedJson({ success: true })
  },
})
