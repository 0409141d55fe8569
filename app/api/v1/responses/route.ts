import { ResponsesRequest } from '@/lib/contract/responses.schema'
import { quoteResponse } from '@/lib/endpoints/chat/responses/quote'
import { renderResponse, runResponse } from '@/lib/endpoints/chat/responses/render'
import { json } from '@/lib/pipeline/body'
import { metered } from '@/lib/pipeline/metered'
import { route } from '@/lib/pipeline/route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: json(ResponsesRequest),
    price: quoteResponse, // the same quote as the chat's, for the same conversation
    run: runResponse,
    respond: renderResponse, // one object, or typed server-sent events
  }),
})
