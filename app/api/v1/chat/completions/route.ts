import { json } from '@/lib/api/body'
import { metered } from '@/lib/api/metered'
import { route } from '@/lib/api/route'
import { quoteChat } from '@/lib/chat/quote'
import { renderChat } from '@/lib/chat/render'
import { runChat } from '@/lib/chat/run'
import { ChatCompletionRequest } from '@/lib/chat/schema'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: json(ChatCompletionRequest),
    price: quoteChat, // resolves the model, checks the caller's tier, bounds the cost
    run: runChat, // engine events; the meter reads what they used
    respond: renderChat, // one JSON object, or server-sent events
  }),
})
