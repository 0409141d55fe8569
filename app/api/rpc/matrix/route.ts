import { json } from '@/lib/api/body'
import { metered } from '@/lib/api/metered'
import { route } from '@/lib/api/route'
import { MAX_RPC_BYTES } from '@/lib/rpc/call'
import { assertOwnPage, enterMatrix, MatrixRequest, quoteMatrix, respondMatrix, runMatrix } from '@/lib/rpc/matrix'

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
