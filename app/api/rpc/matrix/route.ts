import { MAX_RPC_BYTES } from '@/lib/contract/limits'
import {
  assertOwnPage,
  enterMatrix,
  MatrixRequest,
  quoteMatrix,
  respondMatrix,
  runMatrix,
} from '@/lib/endpoints/rpc/matrix'
import { json } from '@/lib/pipeline/body'
import { metered } from '@/lib/pipeline/metered'
import { route } from '@/lib/pipeline/methods'

const read = json(MatrixRequest, { maxBytes: MAX_RPC_BYTES })

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse(context, request) {
      assertOwnPage(context)
      return read(context, request)
    },
    price: quoteMatrix,
    enter: enterMatrix,
    run: runMatrix,
    respond: respondMatrix,
  }),
})
