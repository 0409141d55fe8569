import { StartDownload } from '@/lib/contract/admin-models.schema'
import { startDownload } from '@/lib/endpoints/admin-models/models'
import { json } from '@/lib/pipeline/body'
import { route } from '@/lib/pipeline/methods'
import { uncachedJson } from '@/lib/pipeline/reply'
import { requireOperator } from '@/lib/services/identity/operator'

const MAX_BODY_BYTES = 8_192
const parse = json(StartDownload, { maxBytes: MAX_BODY_BYTES })

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: async (context, request) => {
    await requireOperator(context)
    const { source } = await parse(context, request)
    const download = await startDownload(source)
    return uncachedJson({ download }, { status: 202 })
  },
})
