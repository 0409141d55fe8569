import { showFoundServers } from '@/lib/endpoints/admin/providers'
import { route } from '@/lib/pipeline/methods'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: showFoundServers })
