import 'server-only'
import { hex } from '@/lib/contract/ids'
import type { ResponsesRequest } from '@/lib/contract/responses/schema'
import { type ChatWork, quoteChat } from '@/lib/endpoints/chat/quote'
import { inCallersTerms, type Places } from '@/lib/endpoints/chat/responses/places'
import { toChatRequest } from '@/lib/endpoints/chat/responses/request'
import type { Caller } from '@/lib/kernel/caller'
import type { RequestContext } from '@/lib/kernel/request-context'
import type { Quote } from '@/lib/pipeline/metered'

export type ResponseWork = ChatWork & {
  places: Places
  /** The caller wants thoughts that its model keeps to itself, as the model's vendor sealed them. */
  givesSealedThoughts: boolean
}

const SEALED_THOUGHTS = 'reasoning.encrypted_content'

/** A request in this form and its caller → what will run, as for a chat completion. */
export async function quoteResponse(
  body: ResponsesRequest,
  caller: Caller,
  context: RequestContext,
): Promise<Quote<ResponseWork>> {
  const { request, places } = toChatRequest(body)
  const quote = await quoteChat(request, caller, context).catch((error) => {
    throw inCallersTerms(error, places)
  })
  const id = `resp_${hex(12)}`
  const givesSealedThoughts = body.include?.includes(SEALED_THOUGHTS) === true
  return { ...quote, requestId: id, work: { ...quote.work, id, places, givesSealedThoughts } }
}
