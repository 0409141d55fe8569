import { adminModels } from '@/lib/endpoints/admin/models'
import { operatorRoute } from '@/lib/pipeline/methods'
import { uncachedJson } from '@/lib/pipeline/reply'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = operatorRoute({
  GET: async () => uncachedJson(await adminModels()),
})
