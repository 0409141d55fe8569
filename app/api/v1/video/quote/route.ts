import { json } from '@/lib/api/body'
import { endpoint } from '@/lib/api/endpoint'
import { jsonReply } from '@/lib/api/reply'
import { route } from '@/lib/api/route'
import { usdNumber } from '@/lib/contract/money'
import { limitAddress } from '@/lib/services/limits/rate-limit'
import { quoteVideo } from '@/lib/video/quote'
import { VideoQuoteRequest } from '@/lib/video/schema'

const MAX_BYTES = 1_048_576
const parse = json(VideoQuoteRequest, { maxBytes: MAX_BYTES })

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: endpoint(async (context, request) => {
    await limitAddress(context, 'default')
    const body = await parse(context, request)
    return jsonReply({ quote: usdNumber(quoteVideo(body, context)) })
  }),
})
