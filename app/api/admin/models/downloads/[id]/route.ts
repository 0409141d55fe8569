import { ChangeDownload } from '@/lib/contract/admin-models.schema'
import { changeDownload } from '@/lib/endpoints/admin-models/models'
import { json } from '@/lib/pipeline/body'
import { route } from '@/lib/pipeline/methods'
import { uncachedJson } from '@/lib/pipeline/reply'
import { requireOperator } from '@/lib/services/identity/operator'

const MAX_BODY_BYTES = 1_024
const parse = json(ChangeDownload, { maxBytes: MAX_BODY_BYTES })

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: async (context, request, { id }) => {
    await requireOperator(context)
    const { action } = await parse(context, request)
    const downloads = await changeDownload(String(id), action)
    return uncachedJson({ downloads })
  },
})
