import { adminModels } from '@/lib/endpoints/admin/models'
import { uncachedJson } from '@/lib/pipeline/reply'
import { operatorRoute } from '@/lib/pipeline/route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = operatorRoute({
  GET: async () => uncachedJson(await adminModels()),
})
