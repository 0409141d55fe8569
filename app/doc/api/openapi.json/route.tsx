import { documentReply } from '@/lib/endpoints/docs/openapi/served'
import { route } from '@/lib/pipeline/route'

/** The origin and the version are known only where the server runs. */
export const dynamic = 'force-dynamic'

/** The interface description as JSON, for programs that read no YAML. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: ({ headers }) => documentReply('json', headers),
})
