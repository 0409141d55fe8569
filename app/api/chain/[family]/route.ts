import { json } from '@/lib/pipeline/body'
import { type Handle, notFound, route } from '@/lib/pipeline/route'
import { assertSameOrigin } from '@/lib/services/identity/same-origin-cookie'
import { ownSession } from '@/lib/services/identity/session'
import { countCalls, MAX_RELAY_BYTES, RelayRequest, relay } from '@/lib/services/payments/relay'

const parse = json(RelayRequest, { maxBytes: MAX_RELAY_BYTES })

// Forwards chain reads of the page's wallet code, so that the page talks to no other host.
const ask: Handle = async (context, request, params) => {
  const { family } = params
  if (family !== 'evm' && family !== 'solana') return notFound(context, request, params)
  assertSameOrigin(context, 'This is for the service’s own pages. Programs ask a node of the chain.')
  // What browsers write of themselves a program can write too: the operator's node is for who has a session.
  await ownSession(context)
  const calls = await parse(context, request)
  countCalls(context.clientAddress, calls)
  const body = await relay(family, calls, context.signal)
  return { body, contentType: 'application/json', headers: { 'Cache-Control': 'no-store' } }
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: ask })
