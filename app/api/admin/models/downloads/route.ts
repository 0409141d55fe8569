import { StartDownload } from '@/lib/contract/admin-models.schema'
import { startDownload } from '@/lib/endpoints/admin/models'
import { json } from '@/lib/pipeline/body'
import { uncachedJson } from '@/lib/pipeline/reply'
import { operatorRoute } from '@/lib/pipeline/route'

const MAX_BODY_BYTES = 8_192
const parse = json(StartDownload, { maxBytes: MAX_BODY_BYTES })

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = operatorRoute({
  POST: async (context, request) => {
    const { source } = await parse(context, request)
    const download = await startDownload(source)
    return uncachedJson({ download }, { status: 202 })
  },
})
