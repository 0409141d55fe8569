import { removeModel } from '@/lib/endpoints/admin-models/models'
import { route } from '@/lib/pipeline/methods'
import { uncachedJson } from '@/lib/pipeline/reply'
import { requireOperator } from '@/lib/services/identity/operator'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  DELETE: async (context, _request, { id }) => {
    await requireOperator(context)
    await removeModel(String(id))
    return uncachedJson({ success: true })
  },
})
