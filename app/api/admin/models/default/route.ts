import { ChooseDefault } from '@/lib/contract/admin-models.schema'
import { json } from '@/lib/pipeline/body'
import { route } from '@/lib/pipeline/methods'
import { uncachedJson } from '@/lib/pipeline/reply'
import { requireOperator } from '@/lib/services/identity/operator'
import { chooseDefault } from '@/lib/services/models/choose-default'

const MAX_BODY_BYTES = 8_192
const parse = json(ChooseDefault, { maxBytes: MAX_BODY_BYTES })

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: async (context, request) => {
    await requireOperator(context)
    const { id } = await parse(context, request)
    return uncachedJson(await chooseDefault(id))
  },
})
