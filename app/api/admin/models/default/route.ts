import { ChooseDefault } from '@/lib/contract/admin-models.schema'
import { json } from '@/lib/pipeline/body'
import { uncachedJson } from '@/lib/pipeline/reply'
import { operatorRoute } from '@/lib/pipeline/route'
import { chooseDefault } from '@/lib/services/models/choose-default'

const MAX_BODY_BYTES = 8_192
const parse = json(ChooseDefault, { maxBytes: MAX_BODY_BYTES })

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = operatorRoute({
  POST: async (context, request) => {
    const { id } = await parse(context, request)
    return uncachedJson(await chooseDefault(id))
  },
})
