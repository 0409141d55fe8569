import { enterCall, networkOfPath, quoteRpc, readRpc, respondRpc, runRpc } from '@/lib/endpoints/rpc/call'
import { metered } from '@/lib/pipeline/metered'
import { route } from '@/lib/pipeline/route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    locate: ({ network }) => void networkOfPath(network), // an unknown slug is 400, with or without credentials
    parse: readRpc, // each call's method and parameters, and the idempotency key
    price: quoteRpc, // every item at its full tier
    enter: enterCall, // the minute, the day, the account's turn, the reply of an earlier request with this key
    run: runRpc, // a node's answer; the meter reads what its items cost
    respond: respondRpc,
  }),
})
