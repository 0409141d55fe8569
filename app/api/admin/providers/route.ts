import { addProvider, showProviders } from '@/lib/endpoints/admin/providers'
import { endpoint } from '@/lib/pipeline/endpoint'
import { route } from '@/lib/pipeline/methods'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: endpoint(showProviders),
  POST: endpoint(addProvider),
})
