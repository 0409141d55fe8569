import { llmsText } from '@/lib/endpoints/docs/openapi/served'
import { route } from '@/lib/pipeline/route'

/** The origin is known only where the server runs. */
export const dynamic = 'force-dynamic'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: () => ({
    body: llmsText(),
    contentType: 'text/plain; charset=utf-8',
    headers: { 'Cache-Control': 'public, max-age=300' },
    isCompressible: true,
  }),
})
