import { adminModels } from '@/lib/endpoints/admin-models/models'
import { route } from '@/lib/pipeline/methods'
import { uncachedJson } from '@/lib/pipeline/reply'
import { requireOperator } from '@/lib/services/identity/operator'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: async (context) => {
    await requireOperator(context)
    return uncachedJson(await adminModels())
  },
})
