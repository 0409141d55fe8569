import { ChangeDownload } from '@/lib/contract/admin-models.schema'
import { changeDownload } from '@/lib/endpoints/admin/models'
import { json } from '@/lib/pipeline/body'
import { uncachedJson } from '@/lib/pipeline/reply'
import { operatorRoute } from '@/lib/pipeline/route'

const MAX_BODY_BYTES = 1_024
const parse = json(ChangeDownload, { maxBytes: MAX_BODY_BYTES })

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = operatorRoute({
  POST: async (context, request, { id }) => {
    const { action } = await parse(context, request)
    const downloads = await changeDownload(String(id), action)
    return uncachedJson({ downloads })
  },
})
