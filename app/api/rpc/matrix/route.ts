import { MAX_RPC_BYTES } from '@/lib/contract/limits'
import { enterMatrix, MatrixRequest, quoteMatrix, respondMatrix, runMatrix } from '@/lib/endpoints/rpc/matrix'
import { json } from '@/lib/pipeline/body'
import { metered } from '@/lib/pipeline/metered'
import { route } from '@/lib/pipeline/route'
import { assertSameOrigin } from '@/lib/services/identity/same-origin-cookie'

const read = json(MatrixRequest, { maxBytes: MAX_RPC_BYTES })

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse(context, request) {
      assertSameOrigin(context, 'This is for the service’s own pages. Programs POST to /api/v1/crypto/rpc/{network}.')
      return read(context, request)
    },
    price: quoteMatrix,
    enter: enterMatrix,
    run: runMatrix,
    respond: respondMatrix,
  }),
})
