import { json } from '@/lib/api/body'
import { metered } from '@/lib/api/metered'
import { route } from '@/lib/api/route'
import { quoteResponse } from '@/lib/chat/responses/quote'
import { renderResponse } from '@/lib/chat/responses/render'
import { runResponse } from '@/lib/chat/responses/run'
import { ResponsesRequest } from '@/lib/chat/responses/schema'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: json(ResponsesRequest),
    price: quoteResponse, // the same quote as the chat's, for the same conversation
    run: runResponse,
    respond: renderResponse, // one object, or typed server-sent events
  }),
})
