import { showFoundServers } from '@/lib/endpoints/admin/providers'
import { operatorRoute } from '@/lib/pipeline/methods'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = operatorRoute({ GET: showFoundServers })
