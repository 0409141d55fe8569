import { ChatCompletionRequest } from '@/lib/contract/chat.schema'
import { quoteChat } from '@/lib/endpoints/chat/quote'
import { renderChat } from '@/lib/endpoints/chat/render'
import { runChat } from '@/lib/endpoints/chat/run'
import { json } from '@/lib/pipeline/body'
import { metered } from '@/lib/pipeline/metered'
import { route } from '@/lib/pipeline/route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: json(ChatCompletionRequest),
    price: quoteChat, // resolves the model, checks the caller's tier, bounds the cost
    run: runChat, // engine events; the meter reads what they used
    respond: renderChat, // one JSON object, or server-sent events
  }),
})
