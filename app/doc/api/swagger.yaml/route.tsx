import { documentReply } from '@/lib/endpoints/docs/openapi/served'
import { route } from '@/lib/pipeline/route'

/** The origin and the version are known only where the server runs. */
export const dynamic = 'force-dynamic'

/** The interface description. Open to everyone. Source: API contract, README 12. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: ({ headers }) => documentReply('yaml', headers),
})
