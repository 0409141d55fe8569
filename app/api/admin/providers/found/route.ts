import { showFoundServers } from '@/lib/endpoints/admin/providers'
import { operatorRoute } from '@/lib/pipeline/route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = operatorRoute({ GET: showFoundServers })
