import { jsonReply } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { listAssists } from '@/lib/services/models/list'

// Lists what the page needs of models beyond the public list; the same for everyone.
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: () => jsonReply(listAssists(), { headers: { 'Cache-Control': 'public, max-age=60' } }),
})
