import { z } from 'zod'
import { MAX_QUERY_CHARS, searchDocs } from '@/lib/endpoints/docs/search'
import { parseQuery } from '@/lib/pipeline/body'
import { jsonReply } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'

const Query = z.object({ q: z.string().max(MAX_QUERY_CHARS) })
const MAX_RESULTS = 12

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: (_context, request) => {
    const { q } = parseQuery(Query, request)
    return jsonReply({ data: searchDocs(q, MAX_RESULTS) }, { headers: { 'Cache-Control': 'public, max-age=300' } })
  },
})
